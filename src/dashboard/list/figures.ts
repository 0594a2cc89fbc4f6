import { sum } from '../format/decimal.ts';

/** Rows in one currency, as an aggregate counts them. */
interface Group {
  currency: string;
  count: number;
}

/** The number of rows, and the sum of their amounts. */
export interface Figures {
  count: number;
  /** Undefined without rows, and if they have several currencies. */
  sum: { amount: string; currency: string } | undefined;
}

/** Adds up groups of rows. */
export function addUp<G extends Group>(groups: readonly G[], getAmount: (group: G) => string): Figures {
  const [currency, ...others] = new Set(groups.map((group) => group.currency));
  return {
    count: groups.reduce((total, { count }) => total + count, 0),
    sum: currency !== undefined && others.length === 0 ? { amount: sum(groups.map(getAmount)), currency } : undefined,
  };
}
