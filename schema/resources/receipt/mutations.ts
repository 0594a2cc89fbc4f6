import { ReceiptStatus, Receipt } from './type.ts';
import { creditedRules, keepCredited, receiptRules, refuseBooked, supplierRules } from './rules.ts';
import {
  buildLines,
  changeLine,
  completeLine,
  lineCount,
  ReceiptLineInput,
  sumLines,
  toLines,
  type Line,
} from './lines.ts';
import { decimal, text, currency, vatRate, among, notNull, given } from '../../graphql/input/validators.ts';
import { type InputFields, builder } from '../../graphql/builder.ts';
import type { ReceiptStatus as ReceiptStatuses } from '../../../prisma/generated/client/client.ts';
import type { Row } from '../../../prisma/client.ts';
import { Decimal } from '../../money/money.ts';
import { findByIdIfAny } from '../../graphql/find-by-id.ts';
import { takeSteps } from '../../rows/transition.ts';
import { booking, reverse } from './transitions.ts';
import type { EventInput } from '../../events/events.ts';
import { insertNew } from '../../rows/insert-new.ts';
import { enforce } from '../../rows/locked-row.ts';
import { newOwnFields, ownFields } from '../../graphql/input/own-fields.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { expectedVersionArgument } from '../../graphql/input/expected-version.ts';
import { chooseExchangeCurrency, exchangeFields } from '../exchange-rate.ts';
import { changeRow, deleteRow } from '../../rows/change-row.ts';
import type { Readable } from '../../graphql/plugins/authorization-and-validation.ts';
import { refuseLocked } from '../period-lock/rules.ts';
import { NotFoundError } from '../../errors/errors.ts';
import { key, type Context } from '../../graphql/context.ts';
import { isChanged } from '../../rows/is-changed.ts';
import { byPosition } from '../invoice/type.ts';

const amountGross = (t: InputFields) =>
  t.field({
    type: 'Decimal',
    description:
      'VAT included. Required without lines; with lines it must be their sum. Not below 0, but for a credit.',
    validate: decimal({}),
    ...notNull,
  });

const prepaid = 'What was paid before the document, as it says. At most the gross amount. Default: 0.';

const optionalFields = (t: InputFields) => ({
  supplierId: t.field({ type: 'UUID' }),
  projectId: t.field({ type: 'UUID' }),
  receiptNumber: t.string({ validate: text(64) }),
  dueDate: t.field({ type: 'Date' }),
  serviceDate: t.field({ type: 'Date' }),
  receivedOn: t.field({ type: 'Date' }),
  description: t.string({ validate: text(2000) }),
  category: t.string({ validate: text(64) }),
  ...exchangeFields(t),
});

export const CreateReceiptInput = builder.inputType('CreateReceiptInput', {
  description: 'A new receipt.',
  fields: (t) => ({
    receiptDate: t.field({ type: 'Date', required: true }),
    amountGross: amountGross(t),
    creditedReceiptId: t.field({ type: 'UUID' }),
    lines: t.field({
      type: [ReceiptLineInput],
      description: 'Default: one with the gross amount and the VAT rate.',
      validate: lineCount,
    }),
    amountPrepaid: t.field({ type: 'Decimal', description: prepaid, validate: decimal({ min: 0 }) }),
    currency: t.string({ description: "ISO 4217. Default: the tenant's.", validate: currency }),
    vatRate: t.field({ type: 'Decimal', description: 'Per cent: 19 for 19 %. Default: 0.', validate: vatRate }),
    status: t.field({
      type: ReceiptStatus,
      description: 'Draft (default) or booked.',
      validate: among<ReceiptStatuses>(['DRAFT', 'BOOKED'], 'A receipt can be created as draft or booked.'),
    }),
    ...optionalFields(t),
    ...newOwnFields(t),
  }),
});

const UpdateReceiptInput = builder.inputType('UpdateReceiptInput', {
  description: 'Only the fields that are present change; null clears a field.',
  fields: (t) => ({
    receiptDate: t.field({ type: 'Date', ...notNull }),
    amountGross: amountGross(t),
    currency: t.string({ validate: currency, ...notNull }),
    vatRate: t.field({ type: 'Decimal', validate: vatRate, ...notNull }),
    lines: t.field({
      type: [ReceiptLineInput],
      description: 'They replace all lines.',
      validate: lineCount,
      ...notNull,
    }),
    amountPrepaid: t.field({ type: 'Decimal', description: prepaid, validate: decimal({ min: 0 }), ...notNull }),
    ...optionalFields(t),
    ...ownFields(t),
  }),
});

export type ReceiptUpdate = typeof UpdateReceiptInput.$inferInput;

/** Everything of an update but the lines that there are. */
interface Change {
  lines?: Parameters<typeof completeLine>[0][] | null;
  amountGross?: Decimal | null;
  vatRate?: Decimal | null;
  currency?: string | null;
}

/** The lines after a change; undefined where they stay as they are. */
function changeLines(input: Change, { receipt, lines: before }: Stored): Line[] | undefined {
  const inCurrency = input.currency ?? receipt.currency;
  if (input.lines) {
    const lines = input.lines.map((line) => completeLine(line, inCurrency));
    const isSame = lines.length === before.length && lines.every((line, at) => !isChanged(before[at] ?? {}, line));
    // With another currency, the same line may need a row: its VAT may not be what the rate gives any more.
    return isSame && inCurrency === receipt.currency ? undefined : lines;
  }
  const [one, ...others] = before;
  if (!one || others.length > 0) return undefined;
  const gross = input.amountGross ?? one.amountGross;
  const rate = input.vatRate ?? one.vatRate;
  const isSame = gross.equals(one.amountGross) && rate.equals(one.vatRate) && inCurrency === receipt.currency;
  return isSame ? undefined : [changeLine(one, gross, rate, inCurrency)];
}

/** A receipt with its lines, and whether these have rows. */
interface Stored {
  receipt: Row<'Receipt'>;
  hasRows: boolean;
  lines: Line[];
}

async function findStored({ db }: Context, receipt: Row<'Receipt'>): Promise<Stored> {
  const rows = await db.receiptLine.findMany({ where: { receiptId: receipt.id }, ...byPosition });
  return { receipt, hasRows: rows.length > 0, lines: toLines({ ...receipt, lines: rows }) };
}

builder.mutationFields((t) => ({
  createReceipt: t.prismaField({
    type: Receipt,
    description: 'Adds a receipt, as a draft unless its status says otherwise.',
    ability: 'receipts:write',
    args: { input: t.arg({ type: CreateReceiptInput, required: true }) },
    rules: ({ input }, context, problems) => {
      if (!input) return;
      receiptRules(input, context, problems);
      const { supplierId, creditedReceiptId } = input;
      if (supplierId)
        problems.defer(async () => supplierRules(await findByIdIfAny(context, 'Customer', supplierId), problems));
      if (creditedReceiptId)
        problems.defer(async () => {
          const credited = await findByIdIfAny(context, 'Receipt', creditedReceiptId);
          creditedRules(credited, { supplierId, currency: input.currency ?? context.tenant.defaultCurrency }, problems);
        });
    },
    resolve: async (query, _root, { input }, context) => {
      const { status, lines: wanted, amountGross: gross, vatRate: rate, ...fields } = input;
      const inCurrency = input.currency ?? context.tenant.defaultCurrency;
      const lines = (wanted ?? [{ amountGross: gross ?? new Decimal(0), vatRate: rate ?? null }]).map((line) =>
        completeLine(line, inCurrency),
      );
      const amountPrepaid = given(input.amountPrepaid);
      const exchangeCurrency = await chooseExchangeCurrency(context, input);
      const said = { ...fields, amountPrepaid, currency: inCurrency, exchangeCurrency };
      const columns = { ...said, ...sumLines(lines) };
      const newReceipt = context.db.row('Receipt', columns);
      const draft = { ...newReceipt, lines: buildLines(context.db, newReceipt.id, lines, inCurrency) };
      const { row: receipt, events: booked } = takeSteps(draft, status === 'BOOKED' ? [booking] : []);
      const events: EventInput[] = [['receipt.created', draft], ...booked];
      const rows = { Receipt: [receipt], ReceiptLine: receipt.lines };
      const { supplierId, creditedReceiptId } = input;
      const isBooked = status === 'BOOKED';
      if (!supplierId && !isBooked && !creditedReceiptId)
        return insertNew(context, 'Receipt', receipt, { rows, events, query });
      return context.transaction(async (inside) => {
        if (isBooked) await refuseLocked(inside, 'PURCHASES', receipt.receiptDate, 'input.receiptDate');
        // They stay a supplier, and that receipt booked, until the transaction ends.
        const supplier = supplierId ? await inside.db.lock('Customer', supplierId, 'key share') : null;
        const credited = creditedReceiptId ? await inside.db.lock('Receipt', creditedReceiptId, 'no key update') : null;
        await enforce((problems) => {
          if (supplierId) supplierRules(supplier, problems);
          if (creditedReceiptId) creditedRules(credited, receipt, problems);
        });
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
      related: async (input: Readable<ReceiptUpdate>, context, current, find) => ({
        supplier: input.supplierId ? await find('Customer', input.supplierId, 'key share') : null,
        stored: await findStored(context, current),
        exchangeCurrency: await chooseExchangeCurrency(context, input),
      }),
      rules: (input: Readable<ReceiptUpdate>, context, problems, current, related) => {
        refuseBooked(current, input);
        receiptRules(input, context, problems, { ...current, currentLines: related?.stored.lines ?? [] });
        keepCredited(input, current, problems);
        if (input.supplierId) supplierRules(related?.supplier ?? null, problems);
      },
      data: ({ lines: newLines, amountGross: gross, vatRate: rate, ...input }: ReceiptUpdate, _current, related) => {
        const { currency: newCurrency } = input;
        const change = { lines: newLines, amountGross: gross, vatRate: rate, currency: newCurrency };
        const lines = related && changeLines(change, related.stored);
        return {
          ...input,
          receiptDate: given(input.receiptDate),
          currency: given(newCurrency),
          exchangeCurrency: related?.exchangeCurrency,
          amountPrepaid: given(input.amountPrepaid),
          ...(lines && sumLines(lines)),
        };
      },
      dependents: {
        areChanged: (input, related) => related !== undefined && changeLines(input, related.stored) !== undefined,
        write: async (inside, input, { id, currency: before }, related) => {
          const lines = related && changeLines(input, related.stored);
          if (!lines) return;
          if (related.stored.hasRows) await inside.db.receiptLine.deleteMany({ where: { receiptId: id } });
          const rows = buildLines(inside.db, id, lines, input.currency ?? before);
          if (rows.length > 0) await inside.insert({ ReceiptLine: rows });
        },
      },
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
