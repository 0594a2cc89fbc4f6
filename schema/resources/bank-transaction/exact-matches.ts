import type { BankTransaction as BankTransactionRow } from '../../../prisma/generated/client/client.ts';
import type { Context } from '../../graphql/context.ts';
import { Decimal } from '../../money/money.ts';
import { balanceSql } from '../invoice/balance.ts';
import { toMoveSql } from '../receipt/balance.ts';
import { payables } from '../payment/payables.ts';
import { holdPeriodLocks, lastLockedSql, type FindLocked } from '../period-lock/rules.ts';
import { inLockOrder, lockPayable, match } from './match.ts';
import { suggest, type Suggestion } from './suggestions.ts';

/** A transaction, and what it exactly pays. */
export interface ExactMatch {
  transaction: BankTransactionRow;
  suggestion: Suggestion;
}

/**
 * The signed amounts that invoices, receipts, and credit notes have due: for them, money comes in or goes out. With the last day on
 * which no transaction can pay them, because it is locked.
 */
const dueAmounts = `
  select currency, ${balanceSql} as amount, ${lastLockedSql(['BANK', 'SALES'])} as locked_until
    from invoices where tenant_id = $1 and status = 'issued'
  union all
  select currency, ${toMoveSql}, ${lastLockedSql(['BANK', 'PURCHASES'])}
    from receipts where tenant_id = $1 and status = 'booked'
  union all
  select currency, greatest(amount_refunded - total_gross,
      (select ${balanceSql} from invoices where tenant_id = $1 and id = credit_notes.invoice_id)),
      ${lastLockedSql(['BANK', 'SALES'])}
    from credit_notes where tenant_id = $1 and amount_refunded < total_gross`;

/**
 * Unmatched transactions whose amount is exactly due somewhere, oldest booking first. No other has an exact match. Those of locked
 * days are left out: they would take the places of others, and can't be matched.
 */
export async function findPromising(context: Context, atMost: number): Promise<BankTransactionRow[]> {
  const rows = await context.db.$rows<{ id: string }>(
    `select id from bank_transactions as own
      where own.tenant_id = $1 and own.match_status = 'unmatched' and exists (
        select from (${dueAmounts}) as due
        where due.currency = own.currency and due.amount = own.amount_open and due.locked_until < own.booking_date
      )
      order by own.booking_date, own.id limit $2`,
    [atMost],
    ['BankTransaction', 'Invoice', 'Receipt', 'CreditNote', 'PeriodLock'],
  );
  const where = { id: { in: rows.map(({ id }) => id) } };
  return context.db.bankTransaction.findMany({ where, orderBy: [{ bookingDate: 'asc' }, { id: 'asc' }] });
}

/** So many transactions are looked at together, so that a request has a bounded number of statements at once. */
const atOnce = 10;

/** Of these transactions, those that pay something exactly that the caller may read. */
export async function findExactMatches(context: Context, transactions: BankTransactionRow[]): Promise<ExactMatch[]> {
  const readable = transactions.filter(({ amountOpen }) =>
    context.may(new Decimal(amountOpen).isNegative() ? 'receipts:read' : 'invoices:read'),
  );
  const matches: ExactMatch[] = [];
  for (let start = 0; start < readable.length; start += atOnce) {
    const found = await Promise.all(
      readable.slice(start, start + atOnce).map(async (transaction) => {
        const suggestion = (await suggest(context, transaction)).find(({ isExact }) => isExact);
        return suggestion ? [{ transaction, suggestion }] : [];
      }),
    );
    matches.push(...found.flat());
  }
  return matches;
}

/**
 * Those that can be made together: their days aren't locked, and of several transactions that would pay the same, the first
 * does.
 */
export function choosePayers(matches: ExactMatch[], findLocked: FindLocked): ExactMatch[] {
  const open = matches.filter(
    ({ transaction: { bookingDate }, suggestion: { type } }) =>
      !findLocked('BANK', bookingDate) && !findLocked(payables[type].series, bookingDate),
  );
  const payers = new Map<string, ExactMatch>();
  for (const each of open) if (!payers.has(each.suggestion.id)) payers.set(each.suggestion.id, each);
  return [...payers.values()];
}

/** The first matches of these transactions that can be made together. Transactions that aren't needed for them aren't looked at. */
export async function findPossible(
  context: Context,
  transactions: BankTransactionRow[],
  first: number,
): Promise<ExactMatch[]> {
  const findLocked = await context.transaction(holdPeriodLocks);
  const matches: ExactMatch[] = [];
  let possible: ExactMatch[] = [];
  let size = Math.min(first, atOnce);
  for (let start = 0; start < transactions.length && possible.length < first;) {
    matches.push(...(await findExactMatches(context, transactions.slice(start, start + size))));
    possible = choosePayers(matches, findLocked);
    start += size;
    size = atOnce; // where the first ones weren't exact, many may not be
  }
  return possible.slice(0, first);
}

/**
 * Makes matches that choosePayers() chose. The documents that they pay are locked in the order of match(). One that a concurrent request has
 * paid meanwhile is left out.
 * @returns the ids of the transactions that are matched
 */
export async function makeExactMatches(context: Context, matches: ExactMatch[]): Promise<string[]> {
  const parts = matches.map(({ transaction, suggestion }) => ({ ...suggestion, payer: transaction.id }));
  const matched: string[] = [];
  for (const { payer, ...pays } of await inLockOrder(context, parts)) {
    const target = await lockPayable(context, pays);
    if (!target?.due.equals(pays.amount)) continue;
    await match(context, payer, [pays]);
    matched.push(payer);
  }
  return matched;
}
