import { date, label } from '../../format/format.ts';
import type { EnumOf } from '../../graphql.ts';
import { getKeys } from '../../list/list-state.ts';
import type { Export } from './fields.ts';
import { t } from '../../i18n/t.ts';

export type ExportType = EnumOf<'ExportType'>;
export type ExportResource = EnumOf<'ExportResource'>;
export type ExportFormat = EnumOf<'ExportFormat'>;

/** The types, and what each is for. */
export const types: Record<ExportType, { label: string; description: string }> = {
  LIST: { label: t('List'), description: t('All rows of a list, such as invoices or customers.') },
  OPEN_ITEMS: { label: t('Open items'), description: t('What was not paid at the end of a day.') },
  DATEV: { label: 'DATEV', description: t('The bookings of a period, for your tax consultant.') },
  GOBD: {
    label: t('Tax audit (GoBD)'),
    description: t('The books and documents of a period, for a tax audit in Germany (Z3).'),
  },
};

/** The lists, and whether each has a day in its rows, by which a period narrows it. */
export const lists: Record<ExportResource, { isDated: boolean }> = {
  INVOICES: { isDated: true },
  INVOICE_ITEMS: { isDated: true },
  CREDIT_NOTES: { isDated: true },
  CREDIT_NOTE_ITEMS: { isDated: true },
  RECEIPTS: { isDated: true },
  RECEIPT_LINES: { isDated: true },
  PAYMENTS: { isDated: true },
  CUSTOMERS: { isDated: false },
  PROJECTS: { isDated: false },
  TIME_ENTRIES: { isDated: true },
  BANK_ACCOUNTS: { isDated: false },
  BANK_STATEMENTS: { isDated: true },
  BANK_TRANSACTIONS: { isDated: true },
  AUDIT_LOG: { isDated: true },
};

export const formats: Record<ExportFormat, string> = { CSV: 'CSV', XLSX: 'Excel (XLSX)' };

export const charts: Record<EnumOf<'ExportChart'>, string> = { SKR03: 'SKR03', SKR04: 'SKR04' };

/** The options of a selection, by their labels. */
export const buildOptions = <Name extends string>(labels: Record<Name, string>): { value: Name; label: string }[] =>
  getKeys(labels).map((value) => ({ value, label: labels[value] }));

const sides: Record<EnumOf<'ExportSide'>, string> = { RECEIVABLE: t('receivable'), PAYABLE: t('payable') };

/** `Invoices, CSV`, or `Invoices, 3 selected, CSV` */
export function getTitle({ type, resource, ids, format, side, chart }: Export): string {
  const parts = {
    LIST: [resource && label(resource), ids.length > 0 && t('{count} selected', { count: ids.length }), format],
    OPEN_ITEMS: [types.OPEN_ITEMS.label, side && sides[side], format],
    DATEV: [types.DATEV.label, chart],
    GOBD: [types.GOBD.label],
  }[type];
  return parts.filter(Boolean).join(', ');
}

/** The period, or the day. */
export function getDays({ type, resource, ids, from, to, at }: Export): string | undefined {
  if (at) return t('On {date}', { date: date(at) });
  if (from && to) return t('{from} to {to}', { from: date(from), to: date(to) });
  if (from) return t('From {date}', { date: date(from) });
  if (to) return t('Until {date}', { date: date(to) });
  return type === 'LIST' && ids.length === 0 && resource && lists[resource].isDated ? t('All days') : undefined;
}
