import { divide, minus } from '../../format/decimal.ts';
import { amountField, orNull, toDecimal } from '../../forms/form-values.ts';
import { open, withRest, type Rest } from '../payments/rest.ts';
import type { Found } from './fields.ts';

// Computations of the form of a match, with all digits.

/** A document of a match, with what is typed. */
export interface Part extends Found {
  amount: string;
  /** The amount that the document takes of the transaction, where the document is in another currency. */
  exchangeAmount: string;
  adjustments: Rest[];
  /** The amount that the form proposed. The form proposes it anew until something else is typed. */
  proposed: string;
}

/** The open amount of a transaction, without its sign. */
export interface OpenAmount {
  open: string;
  currency: string;
}

export const isForeign = (part: Found, { currency }: OpenAmount): boolean => part.currency !== currency;

/** The amount that a document takes of the transaction, or adds to it where the document is deducted. */
const getTaken = (part: Part, of: OpenAmount): string =>
  toDecimal(isForeign(part, of) ? part.exchangeAmount : part.amount);

/** The rest of the transaction. Undefined while an amount is no number. */
export function computeLeft(parts: Part[], of: OpenAmount): string | undefined {
  const [deducted = [], paid = []] = [true, false].map((is) => parts.filter((part) => part.isDeducted === is));
  const less = minus(of.open, ...paid.map((part) => getTaken(part, of)));
  const more = minus('0', ...deducted.map((part) => getTaken(part, of)));
  return less && more && minus(less, more);
}

const isLess = (a: string, b: string): boolean => minus(a, b)?.startsWith('-') ?? false;

/**
 * Proposes amounts for the documents whose amounts nobody typed: what is left, at most what is due. Those in other currencies
 * are last, because nobody knows their rate: they take all that is left.
 */
export function propose(parts: Part[], of: OpenAmount): Part[] {
  const isTyped = (part: Part): boolean => part.isDeducted || getTaken(part, of) !== toDecimal(part.proposed);
  let left = computeLeft(parts.filter(isTyped), of) ?? of.open;
  const proposed = new Map<Part, Part>();
  for (const part of parts.toSorted((a, b) => Number(isForeign(a, of)) - Number(isForeign(b, of)))) {
    if (isTyped(part)) continue;
    const most = isLess(left, '0') ? '0' : left;
    const taken = isForeign(part, of) || isLess(most, part.due) ? most : part.due;
    left = minus(left, taken) ?? left;
    const text = amountField(taken, of.currency);
    proposed.set(part, { ...part, [isForeign(part, of) ? 'exchangeAmount' : 'amount']: text, proposed: text });
  }
  return parts.map((part) => proposed.get(part) ?? part);
}

/** Adds a document to a match. */
export function addPart(parts: Part[], found: Found, of: OpenAmount): Part[] {
  const isProposed = !found.isDeducted && !isForeign(found, of);
  const amount = isProposed ? '' : amountField(found.due, found.currency);
  return propose([...parts, { ...found, amount, exchangeAmount: '', adjustments: [open], proposed: '' }], of);
}

/** The decimals of a rate, as the API keeps it. */
const rateDecimals = 12;

/** How much of the transaction's currency one unit of the document's is. Undefined while it can't be computed. */
export function computeRate({ amount, exchangeAmount, due, adjustments: [rest = open] }: Part): string | undefined {
  const rate = divide(toDecimal(exchangeAmount), withRest(due, amount, rest).amount, rateDecimals);
  return rate === undefined || rate === '0' || rate.startsWith('-') ? undefined : rate;
}

/** Documents of which only one customer's or supplier's can be netted: its id, if there is such a one. */
export function findPartner(parts: Part[]): string | undefined {
  const [first, ...others] = new Set(parts.map(({ partnerId }) => partnerId));
  return others.length === 0 ? (first ?? undefined) : undefined;
}

export function buildMatchInput(part: Part, of: OpenAmount) {
  const {
    type,
    id,
    due,
    adjustments: [rest = open],
  } = part;
  const paid = withRest(due, part.amount, rest);
  return {
    type,
    id,
    ...paid,
    amount: orNull(paid.amount),
    // An empty one is refused at its own field.
    ...(isForeign(part, of) && { exchangeAmount: toDecimal(part.exchangeAmount) }),
  };
}
