import { hash } from 'node:crypto';
import type { Prisma } from '../../../prisma/client.ts';
import { Decimal, vatBreakdownByCategory } from '../../money/money.ts';
import { storeBreakdown } from '../credit-note/vat-breakdown.ts';
import { exchangeColumns } from '../exchange-rate.ts';
import { categorized } from '../invoice/line.ts';

// The data of an issued document, as a canonical text: its proof has the hash, beside those of its files. A file tells
// nothing of rows that somebody changed later, and another service may draw the same rows otherwise. The text's version
// is the proof's. Version 2 added the VAT breakdown of invoices, and of credit notes the parties, the invoice, and the
// time of the issue.

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
  ...exchangeColumns,
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
  ...exchangeColumns,
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

/** The relations that writeData() needs of an invoice, and of a credit note. */
export const invoiceData = { items, parties } as const satisfies Prisma.InvoiceInclude;
export const creditNoteData = {
  items,
  invoice: { select: { number: true, invoiceDate: true, parties } },
} as const satisfies Prisma.CreditNoteInclude;

type WholeInvoice = Prisma.InvoiceGetPayload<{ include: typeof invoiceData }>;
type WholeCreditNote = Prisma.CreditNoteGetPayload<{ include: typeof creditNoteData }>;
export type WholeDocument = WholeInvoice | WholeCreditNote;

/** The SHA-256 of what an issued document says, in hexadecimal digits. */
export const dataHash = (document: WholeDocument, version: 1 | 2): string =>
  hash('sha256', writeData(document, version));

/** The data of an issued document, as JSON without spaces, whose keys are sorted. */
export const writeData = (document: WholeDocument, version: 1 | 2): string =>
  JSON.stringify(
    canonical('creditNoteDate' in document ? dataOfCreditNote(document, version) : dataOfInvoice(document, version)),
  );

const dataOfInvoice = (invoice: WholeInvoice, version: 1 | 2): object => ({
  ...pick(invoice, invoiceColumns),
  items: invoice.items.map((item) => pick(item, itemColumns)),
  parties: invoice.parties,
  ...(version === 2 && {
    vatBreakdown: storeBreakdown(vatBreakdownByCategory(categorized(invoice.items), invoice.currency)),
  }),
});

function dataOfCreditNote(creditNote: WholeCreditNote, version: 1 | 2): object {
  const { items: lines, invoice, isCancellation, createdAt } = creditNote;
  return {
    ...pick(creditNote, creditNoteColumns),
    items: lines.map((item) => pick(item, itemColumns)),
    ...(version === 2 && {
      isCancellation,
      issuedAt: createdAt,
      invoice: { number: invoice.number, invoiceDate: invoice.invoiceDate },
      parties: invoice.parties,
    }),
  };
}

export const pick = (row: object, columns: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(columns.map((column) => [column, (row as Record<string, unknown>)[column]]));

/** A value whose JSON is always the same: keys are sorted, nulls are left out, and decimals have no trailing zeros. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if ('toFixed' in value) return new Decimal((value as Prisma.Decimal).toFixed()).toFixed();
  const fields = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(
    fields.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, canonical(each)]),
  );
}
