import type { Resource } from '../resources.ts';
import { BankTransaction } from './bank-transaction/bank-transaction.ts';
import { CreditNote } from './credit-note/credit-note.ts';
import { Customer } from './customer.ts';
import { Invoice } from './invoice/invoice.ts';
import { Project } from './project/project.ts';
import { Receipt } from './receipt/receipt.ts';
import { TimeEntry } from './time-entry.ts';

/** The GraphQL type of each resource, by its model. */
export const resourceTypes = {
  Customer,
  Invoice,
  CreditNote,
  Receipt,
  Project,
  TimeEntry,
  BankTransaction,
} satisfies Record<Resource['model'], unknown>;
