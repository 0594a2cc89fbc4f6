import { hash } from 'node:crypto';
import type { Prisma } from '../../../prisma/client.ts';
import { Decimal } from '../../money/money.ts';

// What an issued document says, as a hash: its proof has it, beside the hashes of its files. A file tells nothing of rows that
// somebody changed later, and another version may draw the same rows otherwise.

/**
 * The columns that never change once a document is issued. A column that is added later belongs here only if it can be null:
 * what is null isn't hashed, so that earlier proofs stay valid.
 */
const invoiceColumns = [
  'customerId',
  'number',
  'invoiceDate',
  'dueDate',
  'deliveryDate',
  'subject',
  'currency',
  'totalNet',
  'totalVat',
  'totalGross',
  'issuedAt',
] as const;
const creditNoteColumns = [
  'customerId',
  'invoiceId',
  'number',
  'creditNoteDate',
  'reason',
  'currency',
  'totalNet',
  'totalVat',
  'totalGross',
  'vatBreakdown',
] as const;
const itemColumns = [
  'id',
  'position',
  'title',
  'description',
  'quantity',
  'unit',
  'unitCode',
  'unitPriceNet',
  'discountPercent',
  'lineTotalNet',
  'vatRate',
  'vatCategory',
  'exemptionReason',
  'servicePeriodStart',
  'servicePeriodEnd',
] as const;

const items = { orderBy: { position: 'asc' } } as const;
const parties = { select: { seller: true, buyer: true } } as const;

/** What dataHash() needs of an invoice, and of a credit note. */
export const invoiceData = { items, parties } as const satisfies Prisma.InvoiceInclude;
export const creditNoteData = { items } as const satisfies Prisma.CreditNoteInclude;

type WholeInvoice = Prisma.InvoiceGetPayload<{ include: typeof invoiceData }>;
type WholeCreditNote = Prisma.CreditNoteGetPayload<{ include: typeof creditNoteData }>;

/** The SHA-256 of what an issued document says, in hexadecimal digits. */
export function dataHash(document: WholeInvoice | WholeCreditNote): string {
  const columns: readonly string[] = 'creditNoteDate' in document ? creditNoteColumns : invoiceColumns;
  const data = {
    ...pick(document, columns),
    items: document.items.map((item) => pick(item, itemColumns)),
    ...('parties' in document && { parties: document.parties }),
  };
  return hash('sha256', JSON.stringify(canonical(data)));
}

const pick = (row: object, columns: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(columns.map((column) => [column, (row as Record<string, unknown>)[column]]));

/** A value whose JSON is always the same: keys are sorted, nulls are left out, and decimals have no trailing zeros. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if ('toFixed' in value) return new Decimal((value as Prisma.Decimal).toFixed()).toFixed();
  const fields = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(
    fields.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, canonical(each)]),
  );
}
