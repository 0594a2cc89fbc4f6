import type { BankTransaction as BankTransactionRow } from '../../../prisma/generated/client/client.ts';
import type { Context } from '../../graphql/context.ts';
import { Decimal } from '../../money/money.ts';
import { balanceSql } from '../invoice/balance.ts';
import { toMoveSql } from '../receipt/balance.ts';
import { payables } from '../payment/payables.ts';
import { holdPeriodLocks, lastLockedSql, type FindLocked } from '../period-lock/rules.ts';
import { readManyRows } from '../../rows/read-many-rows.ts';
import { inLockOrder, lockPayable, match } from './match.ts';
import { createCommonClues, findEarlierPartners, getText, normal } from './candidates.ts';
import { numbersOfReceived, parseCreditNoteNumbers, parseReceiptNumbers } from './invoice-references.ts';
import { suggest, type Suggestion } from './suggestions.ts';

/** A transaction, and what it exactly pays. */
export interface ExactMatch {
  transaction: Pick<BankTransactionRow, 'id' | 'bookingDate'>;
  suggestion: Suggestion;
}

/**
 * The signed amounts that invoices, receipts, and credit notes have due: for them, money comes in or goes out. With the last day on
 * which no transaction can pay them, because it is locked. A credit note's invoice is a range of one id, in an order that only the
 * primary key has: where PostgreSQL believes that the tenant has few invoices, it goes through all of them for an equality.
 */
const dueAmounts = `
  select currency, ${balanceSql} as amount, ${lastLockedSql(['BANK', 'SALES'])} as locked_until, number, customer_id as partner_id
    from invoices where tenant_id = $1 and status = 'issued'
  union all
  select currency, ${toMoveSql}, ${lastLockedSql(['BANK', 'PURCHASES'])}, lower(receipt_number), supplier_id
    from receipts where tenant_id = $1 and status = 'booked'
  union all
  select currency, greatest(amount_refunded - total_gross,
      (select ${balanceSql} from invoices
        where tenant_id = $1 and id >= credit_notes.invoice_id and id <= credit_notes.invoice_id order by id limit 1)),
      ${lastLockedSql(['BANK', 'SALES'])}, number, customer_id
    from credit_notes where tenant_id = $1 and amount_refunded < total_gross`;

/** At most so many transactions whose amount is due are read, and so many at a time. */
const maxDue = 10_000;
const pageSize = 500;

/** More documents of the same amounts are not read: then each transaction is looked at. */
const maxDocuments = 20_000;

/**
 * Pages of unmatched transactions whose amount is exactly due somewhere, with a second reason there, oldest booking first. No other has
 * an exact match. Those of locked days are left out: they would take the places of others, and can't be matched.
 */
async function* findPromising(context: Context): AsyncGenerator<BankTransactionRow[]> {
  const ids = await findDue(context);
  for (let start = 0; start < ids.length; start += pageSize) {
    const where = { id: { in: ids.slice(start, start + pageSize) } };
    const page = await context.db.bankTransaction.findMany({ where, orderBy: [{ bookingDate: 'asc' }, { id: 'asc' }] });
    yield await withSecondReason(context, page);
  }
}

async function findDue(context: Context): Promise<string[]> {
  const rows = await readManyRows<{ id: string }>(
    context,
    `select id from bank_transactions as own
      where own.tenant_id = $1 and own.match_status = 'unmatched' and exists (
        select from (${dueAmounts}) as due
        where due.currency = own.currency and due.amount = own.amount_open and due.locked_until < own.booking_date
      )
      order by own.booking_date, own.id limit $2`,
    [maxDue],
  );
  return rows.map(({ id }) => id);
}

/** A document of which exactly this is due. */
interface Due {
  currency: string;
  amount: string;
  /** In lower case for receipts. */
  number: string | null;
  partnerId: string | null;
  partnerName: string | null;
}

/**
 * Leaves transactions out that have no second reason for any document of their amount: by a few statements for all of them, where
 * their suggestions take several for each. Books can have very many, which stay unmatched, and would hide later ones.
 */
async function withSecondReason(context: Context, transactions: BankTransactionRow[]): Promise<BankTransactionRow[]> {
  const amounts = new Map(transactions.map((each) => [keyOf(each.currency, each.amountOpen), each]));
  const documents = await readManyRows<Due>(
    context,
    `select due.currency, due.amount::text, due.number, due.partner_id as "partnerId", customers.company_name as "partnerName"
     from (${dueAmounts}) as due
     left join customers on customers.tenant_id = $1 and customers.id = due.partner_id
     where (due.currency, due.amount) in (select * from unnest($2::text[], $3::numeric[])) limit $4`,
    [
      [...amounts.values()].map(({ currency }) => currency),
      [...amounts.values()].map(({ amountOpen }) => amountOpen.toString()),
      maxDocuments,
    ],
  );
  if (documents.length === maxDocuments) return transactions;
  const partners = await findEarlierPartners(
    context,
    transactions.map(({ counterpartyIban }) => counterpartyIban),
  );
  const reasons = new Map(
    [...Map.groupBy(documents, ({ currency, amount }) => keyOf(currency, amount))].map(([key, due]) => [
      key,
      {
        numbers: new Set(due.map(({ number }) => number)),
        names: new Set(due.map(({ partnerName }) => partnerName && normal(partnerName))),
        partners: new Set(due.map(({ partnerId }) => partnerId)),
      },
    ]),
  );
  return transactions.filter((transaction) => {
    const { currency, amountOpen, counterpartyName, counterpartyIban } = transaction;
    const due = reasons.get(keyOf(currency, amountOpen));
    const text = getText(transaction);
    return (
      due !== undefined &&
      ((counterpartyName !== null && due.names.has(normal(counterpartyName))) ||
        [...numbersOfReceived(text), ...parseReceiptNumbers(text), ...parseCreditNoteNumbers(text)].some((number) =>
          due.numbers.has(number),
        ) ||
        [...(partners.get(counterpartyIban) ?? [])].some((id) => due.partners.has(id)))
    );
  });
}

const keyOf = (currency: string, amount: string | BankTransactionRow['amountOpen']): string =>
  `${currency} ${new Decimal(amount).toString()}`;

/** So many transactions are looked at together, so that a request has a bounded number of statements at once. */
const atOnce = 10;

/** Of these transactions, those that pay something exactly that the caller may read. */
export async function findExactMatches(
  context: Context,
  transactions: BankTransactionRow[],
  common = createCommonClues(context),
): Promise<ExactMatch[]> {
  const readable = transactions.filter(({ amountOpen }) =>
    context.may(new Decimal(amountOpen).isNegative() ? 'receipts:read' : 'invoices:read'),
  );
  const earlier = await findEarlierPartners(
    context,
    readable.map(({ counterpartyIban }) => counterpartyIban),
  );
  const matches: ExactMatch[] = [];
  for (let start = 0; start < readable.length; start += atOnce) {
    const found = await Promise.all(
      readable.slice(start, start + atOnce).map(async (transaction) => {
        const suggestion = (await suggest(context, transaction, { earlier, common })).find(({ isExact }) => isExact);
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

/**
 * At most so many transactions are looked at for their suggestions, to which a second reason doesn't suffice: several documents may
 * have the same.
 */
const maxLookedAt = 200;

/** The first matches that can be made together. Transactions that aren't needed for them aren't looked at. */
export async function findPossible(context: Context, first: number): Promise<ExactMatch[]> {
  const findLocked = await context.transaction(holdPeriodLocks);
  const common = createCommonClues(context);
  const matches: ExactMatch[] = [];
  let possible: ExactMatch[] = [];
  let [size, lookedAt] = [Math.min(first, atOnce), 0];
  for await (const page of findPromising(context)) {
    const transactions = page.slice(0, maxLookedAt - lookedAt);
    for (let start = 0; start < transactions.length && possible.length < first;) {
      matches.push(...(await findExactMatches(context, transactions.slice(start, start + size), common)));
      possible = choosePayers(matches, findLocked);
      start += size;
      size = atOnce; // where the first ones weren't exact, many may not be
    }
    lookedAt += transactions.length;
    if (possible.length >= first || lookedAt >= maxLookedAt) break;
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
    context.responseSize?.forgetRead();
  }
  return matched;
}
