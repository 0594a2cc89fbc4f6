import type { Row } from '../../prisma/client.ts';
import { unitCodeOf } from '../codes/unit-codes.ts';
import { vatCategoryOf } from '../codes/vat-categories.ts';
import type { Context } from '../context.ts';
import { findById } from '../rows/find-by-id.ts';
import { partiesOf, type FrozenBuyer, type FrozenSeller } from '../resources/invoice/parties.ts';
import { formatDay } from '../scalars/scalars.ts';

/** What an invoice's files are made from. It has plain values only, because another thread gets it. */
export interface InvoiceSource {
  /** Null for a draft. */
  number: string | null;
  /** YYYY-MM-DD. */
  invoiceDate: string;
  dueDate: string;
  subject: string | null;
  currency: string;
  /** Whether it was paid in full when it was issued. */
  isPaid: boolean;
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
export async function readInvoiceSource(context: Context, id: string): Promise<InvoiceSource> {
  const invoice = await findById(context, 'Invoice', id);
  const [items, { seller, buyer }] = await Promise.all([
    context.db.invoiceItem.findMany({ where: { invoiceId: id }, orderBy: { position: 'asc' } }),
    partiesOf(context, invoice),
  ]);
  const { number, subject, currency, issuedAt, paidAt } = invoice;
  const isPaid = issuedAt !== null && paidAt !== null && paidAt <= issuedAt;
  const [invoiceDate, dueDate] = [formatDay(invoice.invoiceDate), formatDay(invoice.dueDate)];
  return { number, invoiceDate, dueDate, subject, currency, isPaid, seller, buyer, lines: items.map(sourceLine) };
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
