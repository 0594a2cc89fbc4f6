import type { Resource } from '../resource-list.ts';
import { BankAccount } from './bank-account/type.ts';
import { BankTransaction } from './bank-transaction/type.ts';
import { CreditNote } from './credit-note/type.ts';
import { Customer } from './customer/type.ts';
import { Invoice } from './invoice/type.ts';
import { Payment } from './payment/type.ts';
import { Project } from './project/type.ts';
import { Receipt } from './receipt/type.ts';
import { TimeEntry } from './time-entry/type.ts';

/** The GraphQL type of each resource, by its model. */
export const resourceTypes = {
  Customer,
  Invoice,
  CreditNote,
  Receipt,
  Project,
  TimeEntry,
  BankAccount,
  BankTransaction,
  Payment,
} satisfies Record<Resource['model'], unknown>;
