import { invoiceRules, refuseUnlessDraft } from './rules.ts';
import { type InputFields, builder } from '../../graphql/builder.ts';
import { text, count, currency, among, notNull, given } from '../../graphql/input/validators.ts';
import { InvoiceStatus, Invoice } from './type.ts';
import type { InvoiceStatus as InvoiceStatuses } from '../../../prisma/generated/client/client.ts';
import type { Row } from '../../../prisma/client.ts';
import { InvoiceItemInput, type NewLine, buildItems, areChanged } from './line.ts';
import { type Context, today } from '../../graphql/context.ts';
import { type WholeInvoice, issue, unbillEntries } from './transitions.ts';
import { invoiceTotals, Decimal } from '../../money/money.ts';
import type { Metadata } from '../../graphql/scalars/metadata.ts';
import { takeSteps } from '../../rows/transition.ts';
import { findTerms, knownTerms } from './parties.ts';
import { atCreationOf } from './paid-when-issued.ts';
import type { EventInput } from '../../events/events.ts';
import { refuseLocked } from '../period-lock/rules.ts';
import { insertNew } from '../../rows/insert-new.ts';
import { newOwnFields, ownFields } from '../../graphql/input/own-fields.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';
import { chooseExchangeCurrency, exchangeFields, findHomeCurrency, type Exchange } from '../exchange-rate.ts';
import { changeRow, deleteRow } from '../../rows/change-row.ts';
import type { Readable } from '../../graphql/plugins/authorization-and-validation.ts';

const subject = (t: InputFields) => t.string({ validate: text(255) });

/** The most items of one invoice (DECISIONS.md#d10-bounds). */
export const maxItems = 500;

const itemCount = count(1, maxItems, 'items');

export const CreateInvoiceInput = builder.inputType('CreateInvoiceInput', {
  description: 'A new invoice.',
  fields: (t) => ({
    customerId: t.field({ type: 'UUID', required: true }),
    invoiceDate: t.field({ type: 'Date', required: true }),
    dueDate: t.field({
      type: 'Date',
      description:
        "Not before the invoice date. Default: after the customer's or the company's payment terms, or 14 days after it.",
    }),
    deliveryDate: t.field({ type: 'Date' }),
    subject: subject(t),
    currency: t.string({ description: "ISO 4217. Default: the tenant's.", validate: currency }),
    ...exchangeFields(t),
    status: t.field({
      type: InvoiceStatus,
      description: 'Draft (default), issued or paid. The invoice passes through all states up to this one.',
      validate: among<InvoiceStatuses>(
        ['DRAFT', 'ISSUED', 'PAID'],
        'An invoice can be created as draft, issued or paid.',
      ),
    }),
    items: t.field({ type: [InvoiceItemInput], required: true, validate: itemCount }),
    ...newOwnFields(t),
  }),
});

const UpdateInvoiceInput = builder.inputType('UpdateInvoiceInput', {
  description: 'Only the fields that are present change; items are replaced as a whole.',
  fields: (t) => ({
    customerId: t.field({ type: 'UUID', ...notNull }),
    invoiceDate: t.field({ type: 'Date', ...notNull }),
    dueDate: t.field({ type: 'Date', ...notNull }),
    deliveryDate: t.field({ type: 'Date' }),
    subject: subject(t),
    currency: t.string({ validate: currency, ...notNull }),
    ...exchangeFields(t),
    items: t.field({ type: [InvoiceItemInput], validate: itemCount, ...notNull }),
    ...ownFields(t),
  }),
});

export type InvoiceUpdate = typeof UpdateInvoiceInput.$inferInput;

const itemsByPosition = (context: Context, invoiceId: string) =>
  context.db.invoiceItem.findMany({ where: { invoiceId }, orderBy: { position: 'asc' } });

const lastDay = new Date('9999-12-31T00:00:00Z');

/** The days until payment where nothing else says so (DECISIONS.md#d11-defaults). */
const usualTerms = 14;

function computeDueDate(invoiceDate: Date, paymentTermsDays: number): Date {
  const due = new Date(invoiceDate);
  due.setUTCDate(due.getUTCDate() + paymentTermsDays);
  return due < lastDay ? due : lastDay;
}

interface Draft extends Partial<Exchange> {
  customerId: string;
  invoiceDate: Date;
  dueDate?: Date | null;
  /** Without a due date: how many days after the invoice date it is. */
  paymentTermsDays?: number | null | undefined;
  deliveryDate?: Date | null;
  subject?: string | null;
  externalId?: string | null;
  metadata?: Metadata | null;
  currency: string;
  items: NewLine[];
}

/** A new draft and its items, not written yet. Its totals have been checked. */
export function newDraft({ db }: Context, { items, paymentTermsDays, ...draft }: Draft): WholeInvoice {
  const { lines, totalNet, totalVat, totalGross } = invoiceTotals(items, draft.currency);
  const dueDate = draft.dueDate ?? computeDueDate(draft.invoiceDate, paymentTermsDays ?? usualTerms);
  const invoice = db.row('Invoice', { ...draft, dueDate, totalNet, totalVat, totalGross });
  return { ...invoice, items: buildItems(db, invoice.id, lines) };
}

/**
 * Writes a new invoice with its events, and its payment if it is paid already.
 * @param events of the invoice, in order; the last one has it as it is written
 * @returns the invoice with the fields that `query` selects
 */
export function insertInvoice(context: Context, invoice: WholeInvoice, events: EventInput[], query = {}) {
  const { id: invoiceId, amountPaid: amount, currency: inCurrency } = invoice;
  const payments: Row<'Payment'>[] = [];
  if (!new Decimal(amount).isZero()) {
    const paid = { invoiceId, amount, currency: inCurrency, paidOn: today(context), ...atCreationOf(invoice) };
    payments.push(context.db.row('Payment', paid));
  }
  return insertNew(context, 'Invoice', invoice, {
    rows: {
      Invoice: [invoice],
      InvoiceItem: invoice.items,
      Payment: payments,
    },
    events: [...events, ...payments.map((payment) => ['payment.recorded', payment] as const)],
    query,
  });
}

builder.mutationFields((t) => ({
  createInvoice: t.prismaField({
    type: Invoice,
    description: 'Adds an invoice, as a draft unless its status says otherwise.',
    ability: 'invoices:write',
    args: { input: t.arg({ type: CreateInvoiceInput, required: true }) },
    rules: ({ input }, context, problems) => invoiceRules(input ?? {}, context, problems),
    resolve: async (query, _root, { input }, context) => {
      const { status, ...fields } = input;
      const isDraft = status !== 'ISSUED' && status !== 'PAID';
      const place = { number: null, day: input.invoiceDate };
      const terms = input.dueDate && !isDraft ? null : await findTerms(context, input.customerId, place);
      const draft = newDraft(context, {
        ...fields,
        paymentTermsDays: terms?.paymentTermsDays,
        currency: input.currency ?? context.tenant.defaultCurrency,
        ...(input.exchangeRate && { exchangeCurrency: await findHomeCurrency(context) }),
      });
      const created: EventInput = ['invoice.created', draft];
      if (isDraft) {
        const inserted = await insertInvoice(context, draft, [created], query);
        return { ...inserted, [knownTerms]: terms };
      }
      return context.transaction(async (inside) => {
        const days = status === 'PAID' ? [draft.invoiceDate, today(inside)] : draft.invoiceDate;
        await refuseLocked(inside, 'SALES', days, 'input.invoiceDate');
        const { steps, terms: issued } = await issue(inside, draft, 'input.invoiceDate', status);
        const { row: invoice, events } = takeSteps(draft, steps);
        const inserted = await insertInvoice(inside, invoice, [created, ...events], query);
        return { ...inserted, [knownTerms]: issued };
      });
    },
  }),

  updateInvoice: t.prismaField({
    type: Invoice,
    description: 'Changes an invoice that is still a draft.',
    ability: 'invoices:write',
    args: { ...idArgument, input: t.arg({ type: UpdateInvoiceInput, required: true }), ...expectedVersionArgument },
    ...changeRow('Invoice', {
      // The lines depend on the currency. Other changes of them lock the invoice, too.
      related: async (input: Readable<InvoiceUpdate>, context, { id }) => ({
        items: input.items || input.currency ? await itemsByPosition(context, id) : [],
        exchangeCurrency: await chooseExchangeCurrency(context, input),
      }),
      rules: (input: Readable<InvoiceUpdate>, context, problems, current, related) => {
        refuseUnlessDraft(current);
        invoiceRules(input, context, problems, { ...current, items: related?.items ?? [] });
      },
      data: (input: InvoiceUpdate, current, related) => {
        const lines = input.items ?? related?.items ?? [];
        const { totalNet, totalVat, totalGross } = invoiceTotals(lines, input.currency ?? current.currency);
        return {
          customerId: given(input.customerId),
          invoiceDate: given(input.invoiceDate),
          dueDate: given(input.dueDate),
          deliveryDate: input.deliveryDate,
          subject: input.subject,
          currency: given(input.currency),
          exchangeRate: input.exchangeRate,
          exchangeRateDate: input.exchangeRateDate,
          exchangeRateSource: input.exchangeRateSource,
          exchangeCurrency: related?.exchangeCurrency,
          ...(lines.length > 0 && { totalNet, totalVat, totalGross }),
        };
      },
      dependents: {
        areChanged: ({ items }, related) => items != null && areChanged(related?.items ?? [], items),
        write: async (inside, { items, currency: newCurrency }, { id, currency: before }, related) => {
          const { lines } = invoiceTotals<NewLine>(items ?? related?.items ?? [], newCurrency ?? before);
          if (lines.length === 0) return;
          await inside.db.invoiceItem.deleteMany({ where: { invoiceId: id } });
          await inside.insert({ InvoiceItem: buildItems(inside.db, id, lines) });
        },
      },
      event: 'invoice.updated',
    }),
  }),

  deleteInvoice: t.prismaField({
    type: Invoice,
    description: 'Deletes an invoice that is still a draft. Its time entries become unbilled again.',
    ability: 'invoices:write',
    args: { ...idArgument, ...expectedVersionArgument },
    ...deleteRow('Invoice', {
      rules: (_context, _problems, current) => refuseUnlessDraft(current),
      release: unbillEntries,
      event: 'invoice.deleted',
    }),
  }),
}));
