import { batchPerRequest } from '../../../prisma/batching.ts';
import { refuse, found } from '../../errors/errors.ts';
import type { Context } from '../../graphql/context.ts';
import { Decimal } from '../../money/money.ts';

// The credit of customers: what they paid beyond what was due. It is the sum of rows of the payments ledger.

/** The amount that a payment adds to its customer's credit, in SQL. */
export const creditSql = `case kind when 'overpayment' then amount else -amount end`;

/** Reads the balance of a customer's credit in one currency. */
export async function readCredit({ db }: Context, customerId: string, currency: string): Promise<Decimal> {
  const [credit] = await db.$rows<{ balance: string }>(
    `select coalesce(sum(${creditSql}), 0)::text as balance from payments
     where tenant_id = $1 and customer_id = $2::uuid and currency = $3`,
    [customerId, currency],
  );
  return new Decimal(credit?.balance ?? 0);
}

/**
 * Refuses what uses more of a customer's credit than there is. The rows that use it are written already: whoever has the lock of
 * the customer sees those of earlier transactions, too.
 * @throws ValidationError at `path`
 */
export async function requireCredit(
  context: Context,
  customerId: string,
  currency: string,
  { used, path }: { used: Decimal; path: string },
): Promise<void> {
  await found(context.db.lock('Customer', customerId, 'no key update'));
  const balance = await readCredit(context, customerId, currency);
  if (!balance.isNegative()) return;
  const left = balance.plus(used).toFixed();
  const isKnown = context.may('invoices:read');
  refuse(
    path,
    'exceeds_left',
    isKnown
      ? `Must not be more than the ${left} ${currency} of the customer's credit.`
      : "Must not be more than the customer's credit.",
    isKnown ? { left } : {},
  );
}

export interface CreditBalance {
  currency: string;
  amount: Decimal;
}

/** The credit of customers that have some, by customer, in the order of the currency codes. */
export const findCreditBalances = batchPerRequest(async (ids: string[], { db }: Context) => {
  const rows = await db.$rows<{ id: string; currency: string; balance: string }>(
    `select customer_id as id, currency, sum(${creditSql})::text as balance from payments
     where tenant_id = $1 and customer_id = any ($2::uuid[])
     group by customer_id, currency having sum(${creditSql}) <> 0 order by currency`,
    [ids],
  );
  const byCustomer = Map.groupBy(rows, ({ id }) => id);
  return new Map(
    [...byCustomer].map(([id, ofCustomer]): [string, CreditBalance[]] => [
      id,
      ofCustomer.map(({ currency, balance }) => ({ currency, amount: new Decimal(balance) })),
    ]),
  );
}, []);
