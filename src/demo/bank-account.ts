import { formatDay } from '../../schema/graphql/scalars/scalars.ts';
import { Decimal } from '../../schema/money/money.ts';
import type { Row } from '../../prisma/client.ts';
import { account } from './money.ts';
import type { Timeline } from './timeline.ts';

const openingBalance = new Decimal('18250.4');

/** Adds the bank account, and a statement for each month of its transactions that has ended, as imports would. */
export async function addBankAccount(timeline: Timeline): Promise<void> {
  const bankAccountId = await timeline.create('createBankAccount', {
    name: 'Business account',
    iban: account.accountIban,
    currency: account.currency,
  });
  const transactions = await timeline.db.bankTransaction.findMany({ orderBy: { bookingDate: 'asc' } });
  const months = Map.groupBy(transactions, ({ bookingDate }) => formatDay(bookingDate).slice(0, 7));
  const ended = [...months].filter(([month]) => month < timeline.today.toString().slice(0, 7));
  let balance = openingBalance;
  const statements = ended.map(([month, ofMonth], at): Row<'BankStatement'> => {
    const opening = balance;
    balance = Decimal.sum(opening, ...ofMonth.map(({ amount }) => amount));
    const first = Temporal.PlainDate.from(`${month}-01`);
    return timeline.db.row('BankStatement', {
      bankAccountId,
      number: String(at + 1),
      fromDate: toDate(first),
      toDate: toDate(first.with({ day: first.daysInMonth })),
      openingBalance: opening,
      closingBalance: balance,
    });
  });
  await timeline.db.insert({ BankStatement: statements });
}

const toDate = (day: Temporal.PlainDate): Date => new Date(`${day.toString()}T00:00:00Z`);
