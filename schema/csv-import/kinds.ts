import type { Kind } from './kind.ts';
import { customers } from './kinds/customers.ts';
import { invoices } from './kinds/invoices.ts';
import { projects } from './kinds/projects.ts';
import { receipts } from './kinds/receipts.ts';
import { timeEntries } from './kinds/time-entries.ts';

/** The records that can be imported, in an order in which they can refer to each other. */
export const kinds: readonly Kind[] = [customers, projects, invoices, receipts, timeEntries];
