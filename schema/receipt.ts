import type {
  ReceiptStatus as ReceiptStatuses,
  Prisma,
  Receipt as ReceiptRow,
} from '../prisma/generated/client/client.ts';
import { builder, type InputFields } from './builder.ts';
import type { Readable } from './checks.ts';
import { key, type Context } from './context.ts';
import { ofPartnersCalled } from './customer.ts';
import { found, refuse, type Problems } from './errors.ts';
import { emit, eventsOf, type Happening } from './events.ts';
import { among, currency, decimal, given, notNull, text, vatRate } from './input.ts';
import { knowing } from './known.ts';
import { Decimal, minorDigits, vatIncluded } from './money.ts';
import { byDay, byDecimal, orderType } from './order.ts';
import { readPage } from './page.ts';
import { book, booked } from './receipt-states.ts';
import { refers } from './reference.ts';
import { containing, searchText } from './search.ts';

export const ReceiptStatus = builder.enumType('ReceiptStatus', {
  description: 'draft → booked → paid.',
  values: {
    DRAFT: { description: 'Not in the books yet.' },
    BOOKED: { description: 'In the books and to be paid, perhaps paid in part.' },
    PAID: { description: 'Paid in full; booked again when a payment is undone.' },
  } satisfies Record<ReceiptStatuses, object>,
});

export const Receipt = builder.prismaObject('Receipt', {
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID' }),
    supplierId: t.expose('supplierId', { type: 'UUID', nullable: true }),
    supplier: t.relation('supplier', { ability: 'customers:read', nullable: true }),
    projectId: t.expose('projectId', { type: 'UUID', nullable: true }),
    status: t.expose('status', { type: ReceiptStatus }),
    receiptNumber: t.exposeString('receiptNumber', { nullable: true }),
    receiptDate: t.expose('receiptDate', { type: 'Date' }),
    dueDate: t.expose('dueDate', { type: 'Date', nullable: true }),
    description: t.exposeString('description', { nullable: true }),
    category: t.exposeString('category', { nullable: true }),
    currency: t.exposeString('currency'),
    amountGross: t.expose('amountGross', { type: 'Decimal' }),
    vatRate: t.expose('vatRate', { type: 'Decimal' }),
    vatAmount: t.expose('vatAmount', { type: 'Decimal' }),
    amountNet: t.expose('amountNet', { type: 'Decimal' }),
    amountPaid: t.expose('amountPaid', { type: 'Decimal' }),
    paidAt: t.expose('paidAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

export const ReceiptConnection = builder.connectionObject({ type: Receipt, name: 'ReceiptConnection' });

const amountGross = decimal({ min: 0 });

const optionalFields = (t: InputFields) => ({
  supplierId: t.field({ type: 'UUID' }),
  projectId: t.field({ type: 'UUID' }),
  receiptNumber: t.string({ validate: text(64) }),
  dueDate: t.field({ type: 'Date' }),
  description: t.string({ validate: text(2000) }),
  category: t.string({ validate: text(64) }),
});

const CreateReceiptInput = builder.inputType('CreateReceiptInput', {
  description: 'A new receipt.',
  fields: (t) => ({
    receiptDate: t.field({ type: 'Date', required: true }),
    amountGross: t.field({ type: 'Decimal', required: true, validate: amountGross }),
    currency: t.string({ description: "ISO 4217. Default: the tenant's.", validate: currency }),
    vatRate: t.field({ type: 'Decimal', description: 'Per cent: 19 for 19 %. Default: 0.', validate: vatRate }),
    status: t.field({
      type: ReceiptStatus,
      description: 'Draft (default) or booked.',
      validate: among<ReceiptStatuses>(['DRAFT', 'BOOKED'], 'A receipt can be created as draft or booked.'),
    }),
    ...optionalFields(t),
  }),
});

const UpdateReceiptInput = builder.inputType('UpdateReceiptInput', {
  description: 'Only the fields present change; null clears.',
  fields: (t) => ({
    receiptDate: t.field({ type: 'Date', ...notNull }),
    amountGross: t.field({ type: 'Decimal', validate: amountGross, ...notNull }),
    currency: t.string({ validate: currency, ...notNull }),
    vatRate: t.field({ type: 'Decimal', validate: vatRate, ...notNull }),
    ...optionalFields(t),
  }),
});

type ReceiptInput = Readable<typeof CreateReceiptInput.$inferInput | typeof UpdateReceiptInput.$inferInput>;

async function receiptRules(
  input: ReceiptInput,
  context: Context,
  problems: Problems,
  current?: ReceiptRow,
): Promise<void> {
  if (input.supplierId) {
    const supplier = await context.db.customer.findUnique({ where: key(context, input.supplierId) });
    if (supplier?.type !== 'SUPPLIER') problems.add('input.supplierId', 'There is no such supplier.');
  }
  refers(context, problems, 'project', input.projectId);
  const amount = input.amountGross ?? current?.amountGross;
  const digits = minorDigits(input.currency ?? current?.currency ?? context.tenant.defaultCurrency);
  if (amount && amount.decimalPlaces() > digits) {
    problems.add('input.amountGross', `Must not have more than ${digits} decimals in this currency.`);
  }
}

/** A receipt that may still be changed: nothing of it is paid. */
async function unpaidReceipt(context: Context, id: string): Promise<ReceiptRow> {
  const receipt = await found(context.db.receipt.findUnique({ where: key(context, id) }));
  if (!new Decimal(receipt.amountPaid).isZero() || receipt.status === 'PAID') {
    refuse('status', 'A receipt that is paid, wholly or in part, can not be changed.');
  }
  return receipt;
}

const order = orderType('Receipt', {
  RECEIPT_DATE: byDay('receiptDate', 'The day on the receipt.'),
  AMOUNT_GROSS: byDecimal('amountGross', 'The gross amount, whatever the currency.'),
});

const anywhere = async (q: string, context: Context): Promise<Prisma.ReceiptWhereInput[]> => [
  ...containing(q, ['receiptNumber', 'description']),
  ...(await ofPartnersCalled<Prisma.ReceiptWhereInput>(
    q,
    context,
    (ids) => ({ supplierId: { in: ids } }),
    (supplier) => ({ supplier }),
  )),
];

builder.queryFields((t) => ({
  receipt: t.prismaField({
    type: Receipt,
    description: 'One receipt.',
    ability: 'receipts:read',
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: (query, _root, { id }, context) =>
      found(context.db.receipt.findUnique({ ...query, where: key(context, id) })),
  }),
  receipts: t.connection(
    {
      type: Receipt,
      description: 'The receipts, newest first.',
      ability: 'receipts:read',
      args: {
        status: t.arg({ type: ReceiptStatus, description: 'Only those in this state.' }),
        supplierId: t.arg({ type: 'UUID', description: "Only this supplier's." }),
        q: t.arg.string({
          description:
            "Part of the supplier's own number, the description or, for those who may read customers, the supplier's company name; in any case.",
          validate: searchText,
        }),
        orderBy: t.arg({ type: order.input, description: 'Default: newest first, by when they were entered.' }),
        offset: t.arg.int(),
      },
      resolve: async (_root, args, context, info) => {
        const where: Prisma.ReceiptWhereInput = {
          ...(args.status && { status: args.status }),
          ...(args.supplierId && { supplierId: args.supplierId }),
          ...(args.q && { OR: await anywhere(args.q, context) }),
        };
        return readPage(
          { context, info },
          args,
          where,
          (query) => context.db.receipt.findMany(query),
          (query) => context.db.receipt.count(query),
          order.columns,
        );
      },
    },
    ReceiptConnection,
  ),
}));

builder.mutationFields((t) => ({
  createReceipt: t.prismaField({
    type: Receipt,
    description: 'Adds a receipt, as a draft unless its status says otherwise.',
    ability: 'receipts:write',
    args: { input: t.arg({ type: CreateReceiptInput, required: true }) },
    rules: ({ input }, context, problems) => receiptRules(input ?? {}, context, problems),
    resolve: async (query, _root, { input }, context) => {
      const { status, ...fields } = input;
      const inCurrency = input.currency ?? context.tenant.defaultCurrency;
      const rate = input.vatRate ?? new Decimal(0);
      const draft = context.db.row('Receipt', {
        ...fields,
        currency: inCurrency,
        vatRate: rate,
        ...vatIncluded(input.amountGross, rate, inCurrency),
      });
      const receipt = status === 'BOOKED' ? { ...draft, ...booked } : draft;
      const happened: Happening[] = [['receipt.created', draft]];
      if (status === 'BOOKED') happened.push(['receipt.booked', receipt]);
      await context.insert({ Receipt: [receipt], Event: await eventsOf(context, happened) });
      return found(
        knowing(context.db, 'receipt', receipt).receipt.findUnique({ ...query, where: key(context, receipt.id) }),
      );
    },
  }),

  updateReceipt: t.prismaField({
    type: Receipt,
    description: 'Changes a receipt of which nothing is paid.',
    ability: 'receipts:write',
    args: { id: t.arg({ type: 'UUID', required: true }), input: t.arg({ type: UpdateReceiptInput, required: true }) },
    rules: async ({ id, input }, context, problems) => {
      if (id && input) await receiptRules(input, context, problems, await unpaidReceipt(context, id));
    },
    resolve: (query, _root, { id, input }, context) =>
      context.transaction(async (inside) => {
        const current = await unpaidReceipt(inside, id);
        const gross = input.amountGross ?? current.amountGross;
        const rate = input.vatRate ?? current.vatRate;
        const inCurrency = input.currency ?? current.currency;
        const receiptDate = given(input.receiptDate);
        const amounts = {
          amountGross: gross,
          vatRate: rate,
          currency: inCurrency,
          ...vatIncluded(gross, rate, inCurrency),
        };
        const changed = await inside.db.receipt.updateMany({
          where: { id, amountPaid: 0, status: { not: 'PAID' } },
          data: { ...input, receiptDate, ...amounts },
        });
        if (changed.count === 0) await unpaidReceipt(inside, id);
        return found(inside.db.receipt.findUnique({ ...query, where: key(context, id) }));
      }),
  }),

  bookReceipt: t.prismaField({
    type: Receipt,
    description: 'Enters a draft into the books: it is to be paid.',
    ability: 'receipts:write',
    args: { id: t.arg({ type: 'UUID', required: true }) },
    resolve: (query, _root, { id }, context) =>
      context.transaction(async (inside) => {
        const receipt = await book(inside, id);
        return found(knowing(inside.db, 'receipt', receipt).receipt.findUnique({ ...query, where: key(context, id) }));
      }),
  }),

  deleteReceipt: t.prismaField({
    type: Receipt,
    description: 'Deletes a receipt. Refused while payments refer to it.',
    ability: 'receipts:write',
    args: { id: t.arg({ type: 'UUID', required: true }) },
    rules: async ({ id }, context, problems) => {
      if (!id) return;
      await found(context.db.receipt.findUnique({ where: key(context, id) }));
      if (await context.db.payment.findFirst({ where: { receiptId: id } }))
        problems.add('id', 'Payments refer to this receipt.');
    },
    resolve: (query, _root, { id }, context) =>
      context.transaction(async (inside) => {
        const receipt = await found(inside.db.receipt.findUnique({ ...query, where: key(context, id) }));
        await emit(inside, 'receipt.deleted', id);
        await inside.db.receipt.delete({ where: key(context, id) });
        return receipt;
      }),
  }),
}));
