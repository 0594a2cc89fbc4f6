import type { EnumOf } from '../../graphql.ts';
import { getKeys } from '../../list/list-state.ts';
import { t } from '../../i18n/t.ts';

/** The kinds of records that can be imported, with their names and lists. */
export const records = {
  CUSTOMER: { label: t('Customers and suppliers'), list: '/customers' },
  PROJECT: { label: t('Projects'), list: '/projects' },
  INVOICE: { label: t('Invoices'), list: '/invoices' },
  RECEIPT: { label: t('Receipts'), list: '/receipts' },
  TIME_ENTRY: { label: t('Time entries'), list: '/time-entries' },
} as const satisfies Partial<Record<EnumOf<'ResourceName'>, { label: string; list: string }>>;

export type Records = keyof typeof records;
export const allRecords = getKeys(records);
