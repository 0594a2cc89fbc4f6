import type { EnumOf } from '../../graphql.ts';
import { getKeys } from '../../list/list-state.ts';

/** The kinds of records that can be imported, with their names and lists. */
export const records = {
  CUSTOMER: { label: 'Customers and suppliers', list: '/customers' },
  PROJECT: { label: 'Projects', list: '/projects' },
  INVOICE: { label: 'Invoices', list: '/invoices' },
  RECEIPT: { label: 'Receipts', list: '/receipts' },
  TIME_ENTRY: { label: 'Time entries', list: '/time-entries' },
} as const satisfies Partial<Record<EnumOf<'ResourceName'>, { label: string; list: string }>>;

export type Records = keyof typeof records;
export const allRecords = getKeys(records);
