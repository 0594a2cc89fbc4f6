import type { Context } from '../graphql/context.ts';
import { renderEvents } from '../events/events.ts';
import type { BalancesRow, StatementBatch } from './parsers/rows.ts';

/** The accounts and the balances of a file, which are written after its transactions: imports of one account wait the least then. */
export class FileAccounts {
  readonly #accounts = new Map<string, { iban: string; currency: string }>();
  readonly #balances: BalancesRow[] = [];

  add({ transactions, balances }: StatementBatch): void {
    for (const { accountIban: iban, currency } of [...transactions, ...balances])
      this.#accounts.set(keyOf(iban, currency), { iban, currency });
    this.#balances.push(...balances);
  }

  /** Adds the accounts and statements that are not there yet. */
  async write(context: Context): Promise<void> {
    const accounts = this.#accounts.values().toArray();
    if (accounts.length === 0) return;
    await addAccounts(context, accounts);
    const ibans = [...new Set(accounts.map(({ iban }) => iban))];
    const stored = await context.db.bankAccount.findMany({ where: { iban: { in: ibans } } });
    const ids = new Map(stored.map(({ id, iban, currency }) => [keyOf(iban, currency), id]));
    await addStatements(context, this.#balances, ids);
  }
}

const keyOf = (iban: string, currency: string): string => `${currency} ${iban}`;

async function addAccounts(context: Context, accounts: { iban: string; currency: string }[]): Promise<void> {
  // In one order, so that concurrent imports can't deadlock.
  const inOrder = accounts.toSorted((a, b) => (keyOf(a.iban, a.currency) < keyOf(b.iban, b.currency) ? -1 : 1));
  const rows = inOrder.map((account) => context.db.row('BankAccount', account));
  const written = await context.db.insertNew('BankAccount', rows, ['iban', 'currency']);
  const added = rows.filter(({ id }) => written.has(id));
  if (added.length === 0) return;
  const events = await renderEvents(
    context,
    added.map((row) => ['bank_account.created', row]),
  );
  await context.insert({ Event: events.map((event) => event.row) });
}

const identity = ['bankAccountId', 'toDate', 'fromDate', 'openingBalance', 'closingBalance'];

async function addStatements(context: Context, balances: BalancesRow[], ids: Map<string, string>): Promise<void> {
  const rows = balances.flatMap(({ accountIban, currency, fromDate, toDate, ...rest }) => {
    const bankAccountId = ids.get(keyOf(accountIban, currency));
    if (bankAccountId === undefined) return [];
    const days = { fromDate: new Date(fromDate), toDate: new Date(toDate) };
    return [context.db.row('BankStatement', { ...rest, ...days, bankAccountId })];
  });
  if (rows.length > 0) await context.db.insertNew('BankStatement', rows, identity);
}
