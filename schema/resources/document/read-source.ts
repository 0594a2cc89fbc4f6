import type { Row } from '../../../prisma/client.ts';
import { wasEverPaidWhenIssued } from '../invoice/paid-when-issued.ts';
import { categorized, getUnitCode, getVatCategory } from '../invoice/line.ts';
import type { Context } from '../../graphql/context.ts';
import type { Tenant } from '../../graphql/identity.ts';
import { vatBreakdownByCategory, type VatCategoryShare } from '../../money/money.ts';
import { readBreakdown } from '../credit-note/vat-breakdown.ts';
import { findParties, type Parties } from '../invoice/parties.ts';
import type { DocumentSource, SourceLine, SourceShare } from '../../documents/document-source.ts';
import type { Exchange } from '../exchange-rate.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { formatDay } from '../../graphql/scalars/scalars.ts';
import { wholePeriod } from '../../documents/service-periods.ts';

/** An invoice or a credit note. */
export type DocumentKey = { invoiceId: string } | { creditNoteId: string };

/** Reads a document as it was issued; a draft as it would be issued now. @throws NotFoundError */
export const readSource = (context: Context, document: DocumentKey): Promise<DocumentSource> =>
  'invoiceId' in document ? readInvoice(context, document.invoiceId) : readCreditNote(context, document.creditNoteId);

const inOrder = { orderBy: { position: 'asc' } } as const;
const period = { servicePeriodStart: true, servicePeriodEnd: true } as const;

async function readInvoice(context: Context, id: string): Promise<DocumentSource> {
  const invoice = await findById(context, 'Invoice', id);
  const [items, parties, isPaid] = await Promise.all([
    context.db.invoiceItem.findMany({ where: { invoiceId: id }, ...inOrder }),
    findParties(context, invoice),
    wasEverPaidWhenIssued(context, invoice),
  ]);
  return buildSource(invoice, items, parties, { test: context.tenant.test, isPaid });
}

/** The columns of an invoice that its document is made from. */
type InvoiceHead = Pick<
  Row<'Invoice'>,
  'number' | 'invoiceDate' | 'dueDate' | 'deliveryDate' | 'subject' | 'currency' | keyof Exchange
>;

/**
 * @param items by position
 * @param isPaid whether the invoice is paid in full when it is issued
 */
export function buildSource(
  invoice: InvoiceHead,
  items: Row<'InvoiceItem'>[],
  parties: Parties,
  { test, isPaid }: Pick<Tenant, 'test'> & { isPaid: boolean },
): DocumentSource {
  const { number, subject, currency } = invoice;
  return {
    test,
    number,
    date: formatDay(invoice.invoiceDate),
    dueDate: formatDay(invoice.dueDate),
    deliveryDate: formatOptionalDay(invoice.deliveryDate),
    subject,
    currency,
    exchange: sourceExchange(invoice),
    isPaid,
    credited: null,
    ...parties,
    lines: items.map(sourceLine),
    vatBreakdown: vatBreakdownByCategory(categorized(items), currency).map(sourceShare),
  };
}

async function readCreditNote(context: Context, id: string): Promise<DocumentSource> {
  const creditNote = await findById(context, 'CreditNote', id);
  const [items, invoice] = await Promise.all([
    context.db.creditNoteItem.findMany({ where: { creditNoteId: id }, ...inOrder }),
    findById(context, 'Invoice', creditNote.invoiceId),
  ]);
  return creditNoteSource(context, creditNote, items, invoice);
}

/** The document that a credit note is, which may not be stored yet. @param items by position */
export async function creditNoteSource(
  context: Context,
  creditNote: Row<'CreditNote'>,
  items: Row<'CreditNoteItem'>[],
  invoice: Row<'Invoice'>,
): Promise<DocumentSource> {
  const { number, reason, currency } = creditNote;
  const [invoiceItems, parties] = await Promise.all([
    context.db.invoiceItem.findMany({ where: { invoiceId: invoice.id }, select: period }),
    findParties(context, invoice),
  ]);
  return {
    test: context.tenant.test,
    number,
    date: formatDay(creditNote.creditNoteDate),
    dueDate: null,
    deliveryDate: formatOptionalDay(invoice.deliveryDate),
    subject: reason,
    currency,
    exchange: sourceExchange(creditNote),
    isPaid: false,
    credited: {
      number: invoice.number ?? '',
      date: formatDay(invoice.invoiceDate),
      period: wholePeriod(invoiceItems.map(formatPeriod)) ?? null,
      isCancelled: creditNote.isCancellation,
    },
    ...parties,
    lines: items.map(sourceLine),
    vatBreakdown: readBreakdown(creditNote.vatBreakdown).map(sourceShare),
  };
}

const formatOptionalDay = (day: Date | null): string | null => day && formatDay(day);

const sourceExchange = (document: Exchange): DocumentSource['exchange'] => {
  const { exchangeRate, exchangeRateDate, exchangeRateSource: source, exchangeCurrency: currency } = document;
  if (!exchangeRate || !exchangeRateDate || currency === null) return null;
  return { rate: exchangeRate.toFixed(), day: formatDay(exchangeRateDate), source, currency };
};

const formatPeriod = (item: Pick<Row<'InvoiceItem'>, keyof typeof period>) => ({
  servicePeriodStart: formatOptionalDay(item.servicePeriodStart),
  servicePeriodEnd: formatOptionalDay(item.servicePeriodEnd),
});

const sourceLine = (item: Row<'InvoiceItem' | 'CreditNoteItem'>): SourceLine => ({
  title: item.title,
  description: item.description,
  quantity: item.quantity.toFixed(),
  unit: item.unit,
  unitCode: getUnitCode(item),
  unitPriceNet: item.unitPriceNet.toFixed(),
  discountPercent: item.discountPercent.toFixed(),
  lineTotalNet: item.lineTotalNet.toFixed(),
  vatCategory: getVatCategory(item),
  vatRate: item.vatRate.toFixed(),
  exemptionReason: item.exemptionReason,
  ...formatPeriod(item),
});

const sourceShare = ({ vatCategory, vatRate, net, vat, exemptionReason }: VatCategoryShare): SourceShare => ({
  vatCategory,
  vatRate: vatRate.toFixed(),
  net: net.toFixed(),
  vat: vat.toFixed(),
  exemptionReason,
});
