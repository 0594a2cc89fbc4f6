import { batchPerRequest } from '../../../prisma/batching.ts';
import type { Context } from '../../graphql/context.ts';
import { formatDay } from '../../graphql/scalars/days.ts';
import { Decimal } from '../../money/money.ts';
import type { Balance } from './type.ts';

import { statementOrder } from '../bank-statement/continuity.ts';
import { spellingsSql } from './spellings.ts';

// The balance at a day (DECISIONS.md#d149-bank-accounts): that of a statement nearby, and the transactions in between.

/**
 * $2 are the accounts, $3 is the day. A closing balance is that of the end of its day, unless another statement goes over the
 * end of that day: that one may have more of the day's transactions. Where a statement covers the day, the next closing balance
 * counts, since before that statement another one may be missing. Else the last one before the day counts, or the opening balance
 * of the first statement.
 *
 * Transactions have their account as it was sent. An account has those of all its spellings; where an earlier version made two
 * accounts of them, each has its own, and the older one the others.
 */
const balancesSql = `
  with statement as (
    select bank_account_id, id, from_date, to_date, opening_balance, closing_balance,
      row_number() over (partition by bank_account_id order by ${statementOrder}) as place,
      min(from_date) over (
        partition by bank_account_id order by to_date desc groups between unbounded preceding and 1 preceding
      ) as later_from,
      bool_or($3::date between from_date and to_date) over (partition by bank_account_id) as day_is_covered
    from bank_statements where tenant_id = $1 and bank_account_id = any ($2::uuid[])
  ), known as (
    select bank_account_id, id, place, to_date as day, closing_balance as balance, day_is_covered from statement
    where later_from is null or later_from > to_date
    union all
    select * from (
      select distinct on (bank_account_id) bank_account_id, id, place, from_date - 1, opening_balance, day_is_covered
      from statement
      order by bank_account_id, from_date, place
    ) as first_opening
  ), nearest as (
    select distinct on (account.id) account.id, account.iban, account.currency, known.id as statement_id,
      coalesce(known.day, '-infinity') as day, coalesce(known.balance, 0) as balance
    from bank_accounts as account left join known on known.bank_account_id = account.id
    where account.tenant_id = $1 and account.id = any ($2::uuid[])
    order by account.id,
      known.day_is_covered = (known.day >= $3::date) desc,
      abs(known.day - $3::date), known.place desc
  ), spelling as materialized (
    select distinct nearest.id, text from nearest cross join unnest(nearest.iban || ${spellingsSql('nearest.iban')}) as text
    where text = nearest.iban or nearest.iban = any (${spellingsSql('nearest.iban')}) and not exists (
      select from bank_accounts as other
      where other.tenant_id = $1 and other.currency = nearest.currency and other.id <> nearest.id
        and other.iban = any (${spellingsSql('nearest.iban')}) and (other.iban = text or other.id < nearest.id)
    )
  )
  select id, currency, statement_id,
    (balance + case when day > $3::date then -1 else 1 end * coalesce((
      select sum(of_text.amount) from spelling cross join lateral (
        select sum(moved.amount) as amount from bank_transactions as moved
        where moved.tenant_id = $1 and moved.account_iban = spelling.text and moved.currency = nearest.currency
          and moved.booking_date > least(day, $3::date) and moved.booking_date <= greatest(day, $3::date)
      ) as of_text
      where spelling.id = nearest.id
    ), 0))::text as amount
  from nearest`;

interface Known {
  id: string;
  currency: string;
  amount: string;
  statement_id: string | null;
}

/** The balances of bank accounts at the end of a day: one statement for all that a request asks for. */
export const findBalance = batchPerRequest(async (ids, context: Context, { at }: { at: Date }) => {
  const rows = await context.db.$rows<Known>(balancesSql, [ids, formatDay(at)]);
  return new Map(
    rows.map(({ id, amount, currency, statement_id }): [string, Balance | null] => [
      id,
      { at, amount: new Decimal(amount), currency, bankStatementId: statement_id },
    ]),
  );
}, null);
