import type { ExportResource, ExportSide, ExportType } from '../../../prisma/generated/client/client.ts';
import type { Ability } from '../../graphql/ability.ts';

/** At most so many of a tenant's exports are pending or running. */
export const maxUnfinished = 5;

/** The most rows by which a list is narrowed: as many as filters take. */
export const maxIds = 100;

/** The longest file, in bytes. */
export const maxFileLength = 2 ** 31 - 1;

/** So many files of exports a tenant has at most, and so many bytes in all: with a further one, the oldest expire. */
export const maxKept = { files: 1000, bytes: 2 * 2 ** 31 };

/** Whether a list has a day in each row, by which it can be narrowed; and which abilities it takes to read it. */
interface ListKind {
  isDated: boolean;
  abilities: readonly Ability[];
}

export const listKinds: Record<ExportResource, ListKind> = {
  CUSTOMERS: { isDated: false, abilities: ['customers:read'] },
  INVOICES: { isDated: true, abilities: ['invoices:read'] },
  INVOICE_ITEMS: { isDated: true, abilities: ['invoices:read'] },
  CREDIT_NOTES: { isDated: true, abilities: ['invoices:read'] },
  CREDIT_NOTE_ITEMS: { isDated: true, abilities: ['invoices:read'] },
  RECEIPTS: { isDated: true, abilities: ['receipts:read'] },
  RECEIPT_LINES: { isDated: true, abilities: ['receipts:read'] },
  PAYMENTS: { isDated: true, abilities: ['invoices:read', 'receipts:read'] },
  PROJECTS: { isDated: false, abilities: ['projects:read'] },
  TIME_ENTRIES: { isDated: true, abilities: ['time-entries:read'] },
  BANK_ACCOUNTS: { isDated: false, abilities: ['bank-transactions:read'] },
  BANK_STATEMENTS: { isDated: true, abilities: ['bank-transactions:read'] },
  BANK_TRANSACTIONS: { isDated: true, abilities: ['bank-transactions:read'] },
  AUDIT_LOG: { isDated: true, abilities: ['audit:read'] },
};

/** The subject of an export, as far as abilities depend on it. */
export interface ExportSubject {
  type: ExportType;
  resource?: ExportResource | null | undefined;
  side?: ExportSide | null | undefined;
}

/** The abilities that it takes to read what an export has. Starting it, writing it, and reading its file take all of them. */
export function abilitiesToExport({ type, resource, side }: ExportSubject): readonly Ability[] {
  switch (type) {
    case 'LIST':
      return resource ? listKinds[resource].abilities : [];
    case 'OPEN_ITEMS':
      return ['invoices:read', 'customers:read', ...(side === 'PAYABLE' ? (['receipts:read'] as const) : [])];
    case 'DATEV':
      return ['invoices:read', 'receipts:read', 'customers:read'];
    case 'GOBD':
      return [
        'invoices:read',
        'receipts:read',
        'customers:read',
        'bank-transactions:read',
        'company:read',
        'audit:read',
      ];
    default:
      throw new Error(`No export is of the type ${String(type satisfies never)}`);
  }
}

/** Whether it has entries of the audit log: only those that the one who started it may read. */
export const hasAuditEntries = ({ type, resource }: ExportSubject): boolean =>
  type === 'GOBD' || resource === 'AUDIT_LOG';
