import type { Row } from '../../../prisma/client.ts';
import { categorized, getUnitCode, getVatCategory } from '../invoice/line.ts';
import type { VatCategory } from '../../money/vat-categories.ts';
import type { Problem, Problems } from '../../errors/errors.ts';
import { Decimal, lineTotal, minorDigits, sum, vatBreakdownByCategory, computeVat } from '../../money/money.ts';
import type { VatCategoryShare } from '../../money/money.ts';
import type { Readable } from '../../graphql/plugins/authorization-and-validation.ts';

// The rest of an invoice after its credit notes, and the part of it that a new credit note takes.
//
// A credited line comes to lineTotal(quantity left before) − lineTotal(quantity left after). The VAT of a category and rate is
// VAT(net left before) − VAT(net left after). So whatever the pieces are, the rest of the invoice has exactly the VAT of its net
// (EN 16931, BR-CO-17), and all pieces together are exactly the invoice. Each piece differs from the plain product by at most
// one minor unit (DECISIONS.md#d99-credit-notes).

/** A line that is credited already. */
type Credited = Pick<Row<'CreditNoteItem'>, 'invoiceItemId' | 'quantity' | 'lineTotalNet' | 'vatRate' | 'vatCategory'>;

/** A line of the invoice, and what is left of it. */
interface LineLeft {
  item: Row<'InvoiceItem'>;
  share: ShareLeft;
  /** Has the sign of the line's own quantity. */
  quantity: Decimal;
}

/** An entry of the invoice's VAT breakdown, for a VAT category and rate, and the rest of its net sum. */
interface ShareLeft {
  vatCategory: VatCategory;
  vatRate: Decimal;
  exemptionReason: string | null;
  net: Decimal;
  left: Decimal;
}

export interface Remainder {
  currency: string;
  lines: LineLeft[];
  shares: ShareLeft[];
  hasCreditNotes: boolean;
}

const shareKey = (line: { vatCategory: string | null; vatRate: Pick<Decimal, 'toFixed'> }): string =>
  `${getVatCategory(line)} ${line.vatRate.toFixed()}`;

const toDecimal = (value: Pick<Decimal, 'toFixed'>): Decimal => new Decimal(value.toFixed());

/** @param credited the lines of all its credit notes */
export function computeRemainder(items: Row<'InvoiceItem'>[], credited: Credited[], currency: string): Remainder {
  const creditedNet = Map.groupBy(credited, shareKey);
  const shares = vatBreakdownByCategory(categorized(items), currency).map(
    ({ vatCategory, vatRate, exemptionReason, net }) => {
      const taken = creditedNet.get(shareKey({ vatCategory, vatRate })) ?? [];
      const left = net.minus(sum(taken.map(({ lineTotalNet }) => toDecimal(lineTotalNet))));
      return { vatCategory, vatRate, exemptionReason, net, left };
    },
  );
  const sharesByKey = new Map(shares.map((share) => [shareKey(share), share]));
  const creditedByLine = Map.groupBy(credited, ({ invoiceItemId }) => invoiceItemId);
  const lines = items.map((item) => {
    const share = sharesByKey.get(shareKey(item));
    if (!share) throw new Error(`The invoice has no share of its line ${item.id}`);
    const taken = sum((creditedByLine.get(item.id) ?? []).map(({ quantity }) => toDecimal(quantity)));
    return { item, share, quantity: toDecimal(item.quantity).minus(taken) };
  });
  return { currency, lines, shares, hasCreditNotes: credited.length > 0 };
}

/** Whether everything is credited. An invoice without amounts is, once it has a credit note. */
export const isUsedUp = ({ shares, hasCreditNotes }: Remainder): boolean =>
  hasCreditNotes && shares.every(({ left }) => left.isZero());

/** A line of a new credit note. */
export type CreditedLine = Omit<
  Row<'CreditNoteItem'>,
  'tenantId' | 'id' | 'creditNoteId' | 'position' | 'vatCategory'
> & {
  vatCategory: VatCategory;
};

/** A quantity of a line of the invoice. */
export interface RequestedItem {
  invoiceItemId: string;
  quantity: Decimal;
}

/** A net amount of a VAT rate. */
export interface RequestedAmount {
  vatRate: Decimal;
  /** Default: the only one with this rate. */
  vatCategory?: string | null;
  net: Decimal;
}

export interface Requested {
  items?: RequestedItem[] | null;
  amounts?: RequestedAmount[] | null;
}

/**
 * The lines of a credit note of quantities and amounts; without both, of all that is left. Parts of the request that are not
 * valid add a problem, and no line.
 * @param title of a line that credits an amount
 */
export function creditedLines(
  remainder: Remainder,
  request: Readable<Requested>,
  title: string,
  problems: Problems,
): CreditedLine[] {
  if (!request.items && !request.amounts) return wholeRest(remainder, title);
  return [
    ...linesOfItems(remainder, request.items ?? [], problems),
    ...linesOfAmounts(remainder, request.amounts ?? [], title, problems),
  ];
}

interface OfRest {
  /** Undefined for an amount. */
  line: LineLeft | undefined;
  credited: CreditedLine;
}

/** The whole rest, by line. Where an amount of a share was credited, one line has the rest of the share. */
function wholeRest({ lines, shares, currency }: Remainder, title: string): CreditedLine[] {
  return shares
    .flatMap((share): OfRest[] => {
      const ofShare = lines
        .filter((line) => line.share === share && !line.quantity.isZero())
        .map((line) => ({ line, credited: creditedLine(line, line.quantity, currency) }));
      const total = sum(ofShare.map(({ credited }) => credited.lineTotalNet));
      if (total.equals(share.left)) return ofShare;
      return share.left.isZero() ? [] : [{ line: undefined, credited: amountLine(share, share.left, title) }];
    })
    .toSorted((a, b) => getPosition(a.line) - getPosition(b.line))
    .map(({ credited }) => credited);
}

const getPosition = (line: LineLeft | undefined): number => line?.item.position ?? Number.MAX_SAFE_INTEGER;

function linesOfItems(
  { lines, currency }: Remainder,
  items: Readable<RequestedItem[]>,
  problems: Problems,
): CreditedLine[] {
  const seen = new Set<string>();
  return items.flatMap((each, index) => {
    const at = `input.items.${index}`;
    const { invoiceItemId, quantity } = each ?? {};
    if (invoiceItemId === undefined) return [];
    const line = lines.find(({ item }) => item.id === invoiceItemId);
    if (!line) problems.add(`${at}.invoiceItemId`, 'not_found', 'The invoice has no such line.');
    else if (seen.has(invoiceItemId))
      problems.add(`${at}.invoiceItemId`, 'duplicate', 'An earlier item has the same line.');
    seen.add(invoiceItemId);
    if (!line || quantity === undefined) return [];
    const problem = findQuantityProblem(line, quantity);
    if (problem !== undefined) problems.add(`${at}.quantity`, ...problem);
    return problem === undefined ? [creditedLine(line, quantity, currency)] : [];
  });
}

function findQuantityProblem({ item, quantity: left }: LineLeft, quantity: Decimal): Problem | undefined {
  const isDeduction = item.quantity.isNegative();
  if (left.isZero()) return ['nothing_left', 'Nothing is left of this line.'];
  if (quantity.isNegative() !== isDeduction) {
    const expected = isDeduction ? 'negative' : 'positive';
    return ['wrong_sign', `Must be ${expected}, as the line is.`, { expected }];
  }
  if (quantity.abs().greaterThan(left.abs()))
    return ['exceeds_left', `Must not be more than the ${left.toFixed()} left of this line.`, { left: left.toFixed() }];
  return undefined;
}

function linesOfAmounts(
  { shares, currency }: Remainder,
  amounts: Readable<RequestedAmount[]>,
  title: string,
  problems: Problems,
): CreditedLine[] {
  const seen = new Set<ShareLeft>();
  return amounts.flatMap((amount, index) => {
    const at = `input.amounts.${index}`;
    const { vatRate, vatCategory, net } = amount ?? {};
    if (vatRate === undefined || problems.has(`${at}.vatCategory`)) return [];
    const atRate = shares.filter((share) => share.vatRate.equals(vatRate));
    const [share, ...others] = vatCategory ? atRate.filter((each) => each.vatCategory === vatCategory) : atRate;
    if (!share)
      problems.add(
        `${at}.vatRate`,
        'not_found',
        `The invoice has no line with this rate${vatCategory ? ' and category' : ''}.`,
      );
    else if (others.length > 0)
      problems.add(`${at}.vatCategory`, 'required', 'Required: the invoice has several with this rate.');
    else if (seen.has(share))
      problems.add(`${at}.vatRate`, 'duplicate', 'An earlier amount has the same rate and category.');
    if (!share || others.length > 0 || net === undefined) return [];
    seen.add(share);
    const problem = findAmountProblem(share, net, currency);
    if (problem !== undefined) problems.add(`${at}.net`, ...problem);
    return problem === undefined ? [amountLine(share, net, title)] : [];
  });
}

function findAmountProblem({ net: whole, left }: ShareLeft, net: Decimal, currency: string): Problem | undefined {
  const digits = minorDigits(currency);
  if (net.decimalPlaces() > digits)
    return ['too_many_decimals', `Must not have more than ${digits} decimals in this currency.`, { max: digits }];
  if (net.isNegative() !== whole.isNegative())
    return whole.isNegative()
      ? ['wrong_sign', 'Must be negative, as the sum of these lines is.', { expected: 'negative' }]
      : ['wrong_sign', 'Must be more than zero.', { expected: 'positive' }];
  if (net.abs().greaterThan(left.abs()))
    return ['exceeds_left', `Must not be more than the ${left.toFixed()} ${currency} left.`, { left: left.toFixed() }];
  return undefined;
}

function creditedLine({ item, quantity: left, share }: LineLeft, quantity: Decimal, currency: string): CreditedLine {
  const { unitPriceNet, discountPercent } = item;
  const computeTotal = (of: Decimal): Decimal =>
    lineTotal(
      { quantity: of, unitPriceNet: toDecimal(unitPriceNet), discountPercent: toDecimal(discountPercent) },
      currency,
    );
  return {
    invoiceItemId: item.id,
    title: item.title,
    quantity,
    unit: item.unit,
    unitPriceNet,
    vatRate: share.vatRate,
    lineTotalNet: computeTotal(left).minus(computeTotal(left.minus(quantity))),
    vatCategory: share.vatCategory,
    exemptionReason: item.exemptionReason,
    unitCode: getUnitCode(item),
    description: item.description,
    discountPercent,
    servicePeriodStart: item.servicePeriodStart,
    servicePeriodEnd: item.servicePeriodEnd,
  };
}

function amountLine({ vatRate, vatCategory, exemptionReason }: ShareLeft, net: Decimal, title: string): CreditedLine {
  return {
    invoiceItemId: null,
    title,
    quantity: new Decimal(net.isNegative() ? -1 : 1), // a price is never negative (EN 16931, BR-27)
    unit: null,
    unitPriceNet: net.abs(),
    vatRate,
    lineTotalNet: net,
    vatCategory,
    exemptionReason,
    unitCode: getUnitCode({ unit: null, unitCode: null }),
    description: null,
    discountPercent: new Decimal(0),
    servicePeriodStart: null,
    servicePeriodEnd: null,
  };
}

export interface CreditTotals {
  shares: VatCategoryShare[];
  totalNet: Decimal;
  totalVat: Decimal;
  totalGross: Decimal;
}

/** The totals of a credit note's lines. Adds a problem where they take more than is left. */
export function creditTotals(remainder: Remainder, lines: CreditedLine[], problems: Problems): CreditTotals {
  const { currency } = remainder;
  const shares = vatBreakdownByCategory(lines, currency).map((share): VatCategoryShare => {
    const whole = remainder.shares.find((each) => shareKey(each) === shareKey(share));
    if (!whole) throw new Error(`The invoice has no share ${shareKey(share)}`);
    const after = whole.left.minus(share.net);
    if (!isBetween(after, whole.net)) problems.add('input', ...describeShareProblem(whole, after, currency));
    const vat = computeVat(whole.left, share.vatRate, currency).minus(computeVat(after, share.vatRate, currency));
    return { ...share, vat };
  });
  const totalNet = sum(shares.map(({ net }) => net));
  const totalVat = sum(shares.map(({ vat }) => vat));
  const totalGross = totalNet.plus(totalVat);
  const left = grossLeft(remainder);
  if (totalGross.greaterThan(left))
    problems.add(
      'input',
      'exceeds_left',
      `Must not be more than the ${left.toFixed()} ${currency} left of the invoice.`,
      { left: left.toFixed() },
    );
  if (!totalGross.greaterThan(0) && !(totalGross.isZero() && takesAll(remainder, shares)))
    problems.add('input', 'wrong_sign', "The credit note's total must be more than zero.", { expected: 'positive' });
  return { shares, totalNet, totalVat, totalGross };
}

const grossLeft = ({ shares, currency }: Remainder): Decimal =>
  sum(shares.map(({ left, vatRate }) => left.plus(computeVat(left, vatRate, currency))));

const takesAll = (remainder: Remainder, taken: VatCategoryShare[]): boolean =>
  remainder.shares.every(({ left, ...share }) =>
    left.equals(taken.find((each) => shareKey(each) === shareKey(share))?.net ?? 0),
  );

/** Whether an amount is from zero to another one, which may be negative. */
const isBetween = (amount: Decimal, end: Decimal): boolean =>
  amount.isZero() || (amount.isNegative() === end.isNegative() && amount.abs().lessThanOrEqualTo(end.abs()));

const describeShareProblem = ({ vatRate, net, left }: ShareLeft, after: Decimal, currency: string): Problem =>
  after.isZero() || after.isNegative() === net.isNegative()
    ? ['inconsistent', `At ${vatRate.toFixed()} %, a deduction can't be credited without the lines that it reduces.`]
    : [
        'exceeds_left',
        `At ${vatRate.toFixed()} %, must not be more than the ${left.toFixed()} ${currency} net left.`,
        { left: left.toFixed() },
      ];
