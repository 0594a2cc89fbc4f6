import type { Row } from '../../prisma/client.ts';
import { unitCodeOf } from '../codes/unit-codes.ts';
import { vatCategoryOf } from '../codes/vat-categories.ts';
import type { Context } from '../context.ts';
import { findById } from '../rows/find-by-id.ts';
import { partiesOf, type FrozenBuyer, type FrozenSeller, type Parties } from '../resources/invoice/parties.ts';
import { formatDay } from '../scalars/scalars.ts';

/** What the files of an invoice or credit note are made from. It has plain values only, because another thread gets it. */
export interface DocumentSource {
  /** Null for a draft. */
  number: string | null;
  /** Days are YYYY-MM-DD. */
  date: string;
  /** Null for a credit note. */
  dueDate: string | null;
  /** What it is about; a credit note's reason. */
  subject: string | null;
  currency: string;
  /** Whether it was paid in full when it was issued. */
  isPaid: boolean;
  /** The invoice that a credit note takes back; null for an invoice. */
  credited: { number: string; date: string } | null;
  seller: FrozenSeller;
  buyer: FrozenBuyer;
  /** Decimals are texts. */
  lines: SourceLine[];
}

export interface SourceLine {
  title: string;
  description: string | null;
  quantity: string;
  unit: string | null;
  unitCode: string;
  unitPriceNet: string;
  discountPercent: string;
  lineTotalNet: string;
  vatCategory: ReturnType<typeof vatCategoryOf>;
  vatRate: string;
  exemptionReason: string | null;
  servicePeriodStart: string | null;
  servicePeriodEnd: string | null;
}

/** Reads an invoice as it was issued; a draft as it would be issued now. @throws NotFoundError */
export async function readInvoice(context: Context, id: string): Promise<DocumentSource> {
  const invoice = await findById(context, 'Invoice', id);
  const [items, parties] = await Promise.all([
    context.db.invoiceItem.findMany({ where: { invoiceId: id }, orderBy: { position: 'asc' } }),
    partiesOf(context, invoice),
  ]);
  return sourceOf(invoice, items, parties);
}

/** @param items by position */
export function sourceOf(
  invoice: Row<'Invoice'>,
  items: Row<'InvoiceItem'>[],
  { seller, buyer }: Parties,
): DocumentSource {
  const { number, subject, currency, issuedAt, paidAt } = invoice;
  const isPaid = issuedAt !== null && paidAt !== null && paidAt <= issuedAt;
  const [date, dueDate] = [formatDay(invoice.invoiceDate), formatDay(invoice.dueDate)];
  const lines = items.map(sourceLine);
  return { number, date, dueDate, subject, currency, isPaid, credited: null, seller, buyer, lines };
}

const sourceLine = (item: Row<'InvoiceItem'>): SourceLine => ({
  title: item.title,
  description: item.description,
  quantity: item.quantity.toFixed(),
  unit: item.unit,
  unitCode: unitCodeOf(item),
  unitPriceNet: item.unitPriceNet.toFixed(),
  discountPercent: item.discountPercent.toFixed(),
  lineTotalNet: item.lineTotalNet.toFixed(),
  vatCategory: vatCategoryOf(item),
  vatRate: item.vatRate.toFixed(),
  exemptionReason: item.exemptionReason,
  servicePeriodStart: item.servicePeriodStart && formatDay(item.servicePeriodStart),
  servicePeriodEnd: item.servicePeriodEnd && formatDay(item.servicePeriodEnd),
});
