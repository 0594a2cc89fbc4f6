import type {
  Customer,
  ReceiptStatus as ReceiptStatuses,
  Prisma,
  Receipt as ReceiptRow,
} from '../../../prisma/generated/client/client.ts';
import { builder, type InputFields } from '../../graphql/builder.ts';
import { Node } from '../../graphql/node.ts';
import type { Readable } from '../../graphql/plugins/authorization-and-validation.ts';
import type { Context } from '../../graphql/context.ts';
import { containingOrPartner } from '../customer.ts';
import { refuse, type Problems } from '../../errors.ts';
import type { EventInput } from '../../events/events.ts';
import { among, currency, decimal, given, notNull, text, vatRate } from '../../graphql/input/validators.ts';
import { changeRow, deleteRow } from '../../rows/change-row.ts';
import { enforce } from '../../rows/locked-row.ts';
import { takeSteps, transitionRow } from '../../rows/transition.ts';
import { Decimal, minorDigits, vatIncluded } from '../../money/money.ts';
import { byDay, byDecimal, orderType } from '../../graphql/paging/order.ts';
import { readPage } from '../../graphql/paging/page.ts';
import { book, booking } from './transitions.ts';
import { requireExisting } from '../../graphql/input/references.ts';
import { joinConditions, searchText, wordsIn } from '../../graphql/filters/search.ts';
import { findById, findByIdIfAny } from '../../graphql/find-by-id.ts';
import { insertNew } from '../../rows/insert-new.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { byExternalId, externalIdArgument } from '../../graphql/filters/external-id.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';
import { amountArgument, byAmount } from '../../graphql/filters/amount.ts';
import { updatedSince, updatedSinceArgument } from '../../graphql/filters/updated-since.ts';

const ReceiptStatus = builder.enumType('ReceiptStatus', {
  description: 'draft → booked → paid.',
  values: {
    DRAFT: { description: 'Not booked yet.' },
    BOOKED: { description: 'Booked and to be paid; may be partly paid.' },
    PAID: { description: 'Paid in full; booked again when a payment is undone.' },
  } satisfies Record<ReceiptStatuses, object>,
});

export const Receipt = builder.prismaObject('Receipt', {
  interfaces: [Node],
  example: {
    receiptNumber: 'R-2026-88',
    receiptDate: '2026-01-20',
    dueDate: '2026-02-14',
    description: 'Design of the new shop pages',
    category: 'software',
    currency: 'EUR',
    amountGross: '119',
    vatRate: '19',
    vatAmount: '19',
    amountNet: '100',
    paidAt: null,
    externalId: null,
  },
  fields: (t) => ({
    id: t.exposeID('id'),
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
    externalId: t.exposeString('externalId', { nullable: true }),
    version: t.exposeInt('version', {
      description: 'Grows with every change. A change can expect it: `expectedVersion`.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const ReceiptConnection = builder.connectionObject({ type: Receipt, name: 'ReceiptConnection' });

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
  description: 'Only the fields that are present change; null clears a field.',
  fields: (t) => ({
    receiptDate: t.field({ type: 'Date', ...notNull }),
    amountGross: t.field({ type: 'Decimal', validate: amountGross, ...notNull }),
    currency: t.string({ validate: currency, ...notNull }),
    vatRate: t.field({ type: 'Decimal', validate: vatRate, ...notNull }),
    ...optionalFields(t),
  }),
});

type ReceiptUpdate = typeof UpdateReceiptInput.$inferInput;
type ReceiptInput = Readable<typeof CreateReceiptInput.$inferInput | ReceiptUpdate>;

/** @param current the receipt that the input changes; nothing for a new one */
function receiptRules(input: ReceiptInput, context: Context, problems: Problems, current?: ReceiptRow): void {
  requireExisting(context, problems, 'project', input.projectId);
  const amount = input.amountGross ?? current?.amountGross;
  const digits = minorDigits(input.currency ?? current?.currency ?? context.tenant.defaultCurrency);
  if (amount && amount.decimalPlaces() > digits) {
    problems.add('input.amountGross', `Must not have more than ${digits} decimals in this currency.`);
  }
}

/** A receipt names a customer of type supplier. */
export function supplierRules(supplier: Customer | null, problems: Problems): void {
  if (supplier?.type !== 'SUPPLIER') problems.add('input.supplierId', 'There is no such supplier.');
}

/** A receipt may be changed while nothing of it is paid. */
function refusePaid({ amountPaid, status }: ReceiptRow): void {
  if (!new Decimal(amountPaid).isZero() || status === 'PAID') {
    refuse('status', 'A receipt that is paid, wholly or in part, can not be changed.');
  }
}

/** The VAT and the net amount after a change; nothing where they stay the same. */
function splitAfter(input: ReceiptInput, current: ReceiptRow) {
  if (!input.amountGross && !input.vatRate && !input.currency) return {};
  return vatIncluded(
    new Decimal(input.amountGross ?? current.amountGross),
    new Decimal(input.vatRate ?? current.vatRate),
    input.currency ?? current.currency,
  );
}

const order = orderType('Receipt', {
  RECEIPT_DATE: byDay('receiptDate', 'The day on the receipt.'),
  AMOUNT_GROSS: byDecimal('amountGross', 'The gross amount, whatever the currency.'),
});

builder.queryFields((t) => ({
  receipt: t.prismaField({
    type: Receipt,
    description: 'One receipt.',
    ability: 'receipts:read',
    args: idArgument,
    resolve: (query, _root, { id }, context) => findById(context, 'Receipt', id, query),
  }),
  receipts: t.connection(
    {
      type: Receipt,
      description: 'The receipts, newest first.',
      ability: 'receipts:read',
      args: {
        status: t.arg({ type: ReceiptStatus, description: 'Only rows in this state.' }),
        supplierId: t.arg({ type: 'UUID', description: 'Only receipts of this supplier.' }),
        q: t.arg.string({
          description: `${wordsIn} supplier's own number, the description and, for those who may read customers, the supplier's company name.`,
          validate: searchText,
        }),
        ...externalIdArgument,
        ...amountArgument,
        ...updatedSinceArgument,
        orderBy: t.arg({ type: order.input, description: 'Default: newest first, by when they were entered.' }),
        offset: t.arg.int(),
      },
      resolve: async (_root, args, context, info) => {
        const where: Prisma.ReceiptWhereInput = {
          ...byExternalId(args),
          ...updatedSince(args),
          ...byAmount('amountGross', args),
          ...(args.status && { status: args.status }),
          ...(args.supplierId && { supplierId: args.supplierId }),
          ...joinConditions(
            await containingOrPartner<Prisma.ReceiptWhereInput>(
              args.q,
              context,
              (ids) => ({ supplierId: { in: ids } }),
              (supplier) => ({ supplier }),
            ),
          ),
        };
        return readPage({ context, info }, 'Receipt', args, where, order.columns);
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
    rules: ({ input = {} }, context, problems) => {
      receiptRules(input, context, problems);
      const { supplierId } = input;
      if (supplierId)
        problems.defer(async () => supplierRules(await findByIdIfAny(context, 'Customer', supplierId), problems));
    },
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
      const { row: receipt, events: booked } = takeSteps(draft, status === 'BOOKED' ? [booking] : []);
      const events: EventInput[] = [['receipt.created', draft], ...booked];
      const rows = { Receipt: [receipt] };
      const { supplierId } = input;
      if (!supplierId) return insertNew(context, 'Receipt', receipt, { rows, events, query });
      return context.transaction(async (inside) => {
        // They stay a supplier until the transaction ends.
        const supplier = await inside.db.lock('Customer', supplierId, 'key share');
        await enforce((problems) => supplierRules(supplier, problems));
        return insertNew(inside, 'Receipt', receipt, { rows, events, query });
      });
    },
  }),

  updateReceipt: t.prismaField({
    type: Receipt,
    description: 'Changes a receipt of which nothing is paid.',
    ability: 'receipts:write',
    args: { ...idArgument, input: t.arg({ type: UpdateReceiptInput, required: true }), ...expectedVersionArgument },
    ...changeRow('Receipt', {
      // Under the lock, they stay a supplier until the transaction ends.
      related: async ({ supplierId }: Readable<ReceiptUpdate>, _context, _current, find) =>
        supplierId ? find('Customer', supplierId, 'key share') : null,
      rules: (input: Readable<ReceiptUpdate>, context, problems, current, supplier = null) => {
        refusePaid(current);
        receiptRules(input, context, problems, current);
        if (input.supplierId) supplierRules(supplier, problems);
      },
      data: (input: ReceiptUpdate, current) => ({
        ...input,
        receiptDate: given(input.receiptDate),
        amountGross: given(input.amountGross),
        vatRate: given(input.vatRate),
        currency: given(input.currency),
        ...splitAfter(input, current),
      }),
      event: 'receipt.updated',
    }),
  }),

  bookReceipt: t.prismaField({
    type: Receipt,
    description: 'Books a draft. The receipt is then to be paid.',
    ability: 'receipts:write',
    args: { ...idArgument, ...expectedVersionArgument },
    ...transitionRow('Receipt', book),
  }),

  deleteReceipt: t.prismaField({
    type: Receipt,
    description: 'Deletes a receipt. Refused while payments refer to it.',
    ability: 'receipts:write',
    args: { ...idArgument, ...expectedVersionArgument },
    ...deleteRow('Receipt', {
      rules: async ({ db }, _problems, { id: receiptId }) => {
        const payment = await db.payment.findFirst({ where: { receiptId }, select: { id: true } });
        if (payment) refuse('id', 'Payments refer to this receipt.');
      },
      event: 'receipt.deleted',
    }),
  }),
}));
