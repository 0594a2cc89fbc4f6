import { batchPerRequest } from '../../../prisma/batching.ts';
import type { Context } from '../../graphql/context.ts';
import { Decimal } from '../../money/money.ts';

// Whether a statement goes on where the one before it ended (DECISIONS.md#d149-bank-accounts).

/** The order of an account's statements: by their days, and on the same days by the bank's numbers. */
export const statementOrder = 'to_date, from_date, length(number), number, id';

export type Continuity = 'FIRST' | 'CONTINUES' | 'GAP' | 'OVERLAP';

export interface Previous {
  continuity: Continuity;
  /** The opening balance less the closing balance before; zero for the first. */
  difference: Decimal;
}

const first: Previous = { continuity: 'FIRST', difference: new Decimal(0) };

interface Pair {
  id: string;
  number: string | null;
  previous_number: string | null;
  overlaps: boolean;
  difference: string;
}

const pairsSql = `
  select id, number, previous_number, from_date < previous_to_date as overlaps,
    (opening_balance - previous_closing_balance)::text as difference
  from (
    select *, lag(number) over in_order as previous_number, lag(to_date) over in_order as previous_to_date,
      lag(closing_balance) over in_order as previous_closing_balance
    from bank_statements as statement
    where tenant_id = $1 and bank_account_id in (
      select bank_account_id from bank_statements where tenant_id = $1 and id = any ($2::uuid[])
    )
    window in_order as (partition by bank_account_id order by ${statementOrder})
  ) as pair
  where id = any ($2::uuid[]) and previous_to_date is not null`;

/** The number without that of a page: 27 of `27/1`. */
const plainNumber = (number: string | null): number => Number(/^\d{1,9}/.exec(number ?? '')?.[0] ?? NaN);

/** Whether the bank's numbers leave one out. A bank counts from 1 again in a new year. */
const leavesOut = ({ number, previous_number: previous }: Pair): boolean =>
  plainNumber(number) > plainNumber(previous) + 1;

const getContinuity = (pair: Pair, difference: Decimal): Continuity => {
  if (pair.overlaps) return 'OVERLAP';
  return difference.isZero() && !leavesOut(pair) ? 'CONTINUES' : 'GAP';
};

/** How statements follow the ones before them: one statement of SQL for all that a request asks for. */
export const findPrevious = batchPerRequest(async (ids, context: Context) => {
  const pairs = await context.db.$rows<Pair>(pairsSql, [ids]);
  return new Map(
    pairs.map((pair) => {
      const difference = new Decimal(pair.difference);
      return [pair.id, { difference, continuity: getContinuity(pair, difference) }] as const;
    }),
  );
}, first);
