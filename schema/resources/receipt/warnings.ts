import { batchPerRequest } from '../../../prisma/batching.ts';
import { builder } from '../../graphql/builder.ts';
import type { Context } from '../../graphql/context.ts';
import { currency as validCurrency, decimal, text } from '../../graphql/input/validators.ts';
import { computeVat, minorUnit, sum, vatIncluded } from '../../money/money.ts';
import { Receipt } from './type.ts';
import { WarningType, type Warning } from '../warning.ts';
import { selectLines, toLines, type Line } from './lines.ts';

/** How another receipt of the supplier with the same number resembles a receipt. */
interface Others {
  /** Whether one has the same currency and gross amount. */
  isSame: boolean;
}

const warnAbout = (others: Others | undefined): Warning[] => {
  if (!others) return [];
  const number: Warning = {
    code: 'RECEIPT_NUMBER',
    field: 'receipt_number',
    message: 'Another receipt of this supplier has the same number. Is it the same receipt?',
  };
  const whole: Warning = {
    code: 'RECEIPT_DUPLICATE',
    field: 'amount_gross',
    message: 'Another receipt of this supplier has the same number and amount: it is probably there already.',
  };
  return others.isSame ? [number, whole] : [number];
};

const findOthers = batchPerRequest(async (ids, { db }: Context) => {
  const rows = await db.$rows<Others & { id: string }>(
    `select receipt.id,
         bool_or((other.currency, other.amount_gross) = (receipt.currency, receipt.amount_gross)) as "isSame"
       from receipts as receipt join receipts as other
         on other.tenant_id = receipt.tenant_id and other.supplier_id = receipt.supplier_id
           and other.receipt_number = receipt.receipt_number and other.id <> receipt.id
       where receipt.tenant_id = $1 and other.tenant_id = $1 and receipt.id = any($2::uuid[])
         and 'reversed' not in (receipt.status, other.status)
       group by receipt.id`,
    [ids],
  );
  return new Map<string, Others | undefined>(rows.map(({ id, isSame }) => [id, { isSame }]));
}, undefined);

/**
 * Whether the VAT of a rate's lines is theirs, within one minor unit: each line's, added up, or that of their sum. Documents
 * calculate it either way.
 */
function isVatRight(lines: Line[], currency: string): boolean {
  const stated = sum(lines.map(({ vatAmount }) => vatAmount));
  const byLine = lines.map(({ amountGross, vatRate }) => vatIncluded(amountGross, vatRate, currency).vatAmount);
  const [{ vatRate } = { vatRate: stated }] = lines;
  const ofSum = computeVat(sum(lines.map(({ amountNet }) => amountNet)), vatRate, currency);
  return [sum(byLine), ofSum].some((computed) => stated.minus(computed).abs().lessThanOrEqualTo(minorUnit(currency)));
}

function warnOfVat(lines: Line[], currency: string): Warning[] {
  const taxed = lines.map((line, index) => ({ ...line, index })).filter(({ vatCategory }) => vatCategory === 'S');
  return [...Map.groupBy(taxed, ({ vatRate }) => vatRate.toFixed())]
    .filter(([, ofRate]) => !isVatRight(ofRate, currency))
    .map(([rate, [first]]) => ({
      code: 'VAT_AMOUNT',
      field: `lines.${first?.index ?? 0}.vat_amount`,
      message: `The VAT at ${rate} % is not that of the amounts. Is it what the document states?`,
    }));
}

builder.prismaObjectField(Receipt, 'warnings', (t) =>
  t.field({
    type: [WarningType],
    description:
      'What is probably wrong: another receipt of the same supplier has the same number, or the stated VAT is not that of the amounts.',
    select: { id: true, supplierId: true, receiptNumber: true, currency: true, ...selectLines },
    resolve: async ({ id, supplierId, receiptNumber, ...receipt }, _args, context) => [
      ...(supplierId && receiptNumber ? warnAbout(await findOthers(id, context)) : []),
      ...warnOfVat(toLines(receipt), receipt.currency),
    ],
  }),
);

builder.queryField('receiptNumberWarnings', (t) =>
  t.field({
    type: [WarningType],
    nullable: true,
    description: 'Whether a receipt with this number would be the second of its supplier. Nothing is stored.',
    ability: 'receipts:read',
    args: {
      supplierId: t.arg({ type: 'UUID', required: true, description: 'The supplier.' }),
      receiptNumber: t.arg.string({ required: true, description: "The supplier's own number.", validate: text(64) }),
      receiptId: t.arg({ type: 'UUID', description: 'The receipt that has this number, if it is stored already.' }),
      amountGross: t.arg({ type: 'Decimal', description: 'Its gross amount, if it is known.', validate: decimal({}) }),
      currency: t.arg.string({ description: "ISO 4217. Default: the tenant's.", validate: validCurrency }),
    },
    resolve: async (_root, { supplierId, receiptNumber, receiptId, amountGross, currency }, { db, tenant }) => {
      const where = {
        supplierId,
        receiptNumber,
        status: { not: 'REVERSED' as const },
        ...(receiptId && { id: { not: receiptId } }),
      };
      const find = (more: object) => db.receipt.findFirst({ where: { ...where, ...more }, select: { id: true } });
      if (!(await find({}))) return [];
      const same = amountGross && (await find({ amountGross, currency: currency ?? tenant.defaultCurrency }));
      return warnAbout({ isSame: Boolean(same) });
    },
  }),
);
