import { ReceiptStatus, Receipt } from './type.ts';
import { type ReceiptInput, receiptRules, refuseBooked, supplierRules } from './rules.ts';
import { decimal, text, currency, vatRate, among, notNull, given } from '../../graphql/input/validators.ts';
import { type InputFields, builder } from '../../graphql/builder.ts';
import type {
  ReceiptStatus as ReceiptStatuses,
  Receipt as ReceiptRow,
} from '../../../prisma/generated/client/client.ts';
import { vatIncluded, Decimal } from '../../money/money.ts';
import { findByIdIfAny } from '../../graphql/find-by-id.ts';
import { takeSteps } from '../../rows/transition.ts';
import { booking, reverse } from './transitions.ts';
import type { EventInput } from '../../events/events.ts';
import { insertNew } from '../../rows/insert-new.ts';
import { enforce } from '../../rows/locked-row.ts';
import { ownColumns, ownFields, ownRules } from '../../graphql/input/own-fields.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';
import { changeRow, deleteRow } from '../../rows/change-row.ts';
import type { Readable } from '../../graphql/plugins/authorization-and-validation.ts';
import { refuseLocked } from '../period-lock/rules.ts';
import { NotFoundError } from '../../errors.ts';
import { key } from '../../graphql/context.ts';

const amountGross = decimal({ min: 0 });

const optionalFields = (t: InputFields) => ({
  supplierId: t.field({ type: 'UUID' }),
  projectId: t.field({ type: 'UUID' }),
  receiptNumber: t.string({ validate: text(64) }),
  dueDate: t.field({ type: 'Date' }),
  description: t.string({ validate: text(2000) }),
  category: t.string({ validate: text(64) }),
  ...ownFields(t),
});

export const CreateReceiptInput = builder.inputType('CreateReceiptInput', {
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

export type ReceiptUpdate = typeof UpdateReceiptInput.$inferInput;

/** The VAT and the net amount after a change; nothing where they stay the same. */
function splitAfter(input: ReceiptInput, current: ReceiptRow) {
  if (!input.amountGross && !input.vatRate && !input.currency) return {};
  return vatIncluded(
    new Decimal(input.amountGross ?? current.amountGross),
    new Decimal(input.vatRate ?? current.vatRate),
    input.currency ?? current.currency,
  );
}

builder.mutationFields((t) => ({
  createReceipt: t.prismaField({
    type: Receipt,
    description: 'Adds a receipt, as a draft unless its status says otherwise.',
    ability: 'receipts:write',
    args: { input: t.arg({ type: CreateReceiptInput, required: true }) },
    rules: ({ input = {} }, context, problems) => {
      receiptRules(input, context, problems);
      ownRules(context, problems, 'Receipt', input);
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
        ...ownColumns(input),
      });
      const { row: receipt, events: booked } = takeSteps(draft, status === 'BOOKED' ? [booking] : []);
      const events: EventInput[] = [['receipt.created', draft], ...booked];
      const rows = { Receipt: [receipt] };
      const { supplierId } = input;
      const isBooked = status === 'BOOKED';
      if (!supplierId && !isBooked) return insertNew(context, 'Receipt', receipt, { rows, events, query });
      return context.transaction(async (inside) => {
        if (isBooked) await refuseLocked(inside, 'PURCHASES', receipt.receiptDate, 'input.receiptDate');
        if (supplierId) {
          // They stay a supplier until the transaction ends.
          const supplier = await inside.db.lock('Customer', supplierId, 'key share');
          await enforce((problems) => supplierRules(supplier, problems));
        }
        return insertNew(inside, 'Receipt', receipt, { rows, events, query });
      });
    },
  }),

  updateReceipt: t.prismaField({
    type: Receipt,
    description: 'Changes a draft; of a booked receipt, only the metadata and the external id.',
    ability: 'receipts:write',
    args: { ...idArgument, input: t.arg({ type: UpdateReceiptInput, required: true }), ...expectedVersionArgument },
    ...changeRow('Receipt', {
      // Under the lock, they stay a supplier until the transaction ends.
      related: async ({ supplierId }: Readable<ReceiptUpdate>, _context, _current, find) =>
        supplierId ? find('Customer', supplierId, 'key share') : null,
      rules: (input: Readable<ReceiptUpdate>, context, problems, current, supplier = null) => {
        refuseBooked(current, input);
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

  deleteReceipt: t.prismaField({
    type: Receipt,
    description:
      'Deletes a draft, or reverses a booked receipt, and returns it as it was. Refused while payments count for it.',
    ability: 'receipts:write',
    args: { ...idArgument, ...expectedVersionArgument },
    ...deleteRow('Receipt', {
      rules: (_context, _problems, { status }) => {
        if (status === 'REVERSED') throw new NotFoundError();
      },
      remove: async (inside, receipt) => {
        if (receipt.status !== 'DRAFT') await reverse(inside, receipt);
        else await inside.db.receipt.delete({ where: key(inside, receipt.id) });
      },
      event: 'receipt.deleted',
    }),
  }),
}));
