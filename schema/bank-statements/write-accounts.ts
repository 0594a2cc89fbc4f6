import type { Context } from '../graphql/context.ts';
import { plainAccountNumber } from '../graphql/input/validators.ts';
import { renderEvents } from '../events/events.ts';
import { listSpellings } from '../resources/bank-account/spellings.ts';
import type { BalancesRow, StatementBatch } from './parsers/rows.ts';

/** An account as a file has it. */
interface AccountText {
  iban: string;
  currency: string;
}

/** The accounts and the balances of a file, which are written after its transactions: imports of one account wait the least then. */
export class FileAccounts {
  readonly #accounts = new Map<string, AccountText>();
  readonly #balances: BalancesRow[] = [];

  add({ transactions, balances }: StatementBatch): void {
    for (const { accountIban: iban, currency } of [...transactions, ...balances])
      this.#accounts.set(buildKey(iban, currency), { iban, currency });
    this.#balances.push(...balances);
  }

  /** Adds the accounts and statements that are not there yet. */
  async write(context: Context): Promise<void> {
    const accounts = this.#accounts.values().toArray();
    if (accounts.length === 0) return;
    let ids = await findIds(context, accounts);
    const missing = accounts.filter(({ iban, currency }) => !ids.has(buildKey(iban, currency)));
    if (missing.length > 0) {
      await addAccounts(context, missing);
      ids = await findIds(context, accounts); // another import may have added some meanwhile
    }
    await addStatements(context, this.#balances, ids);
  }
}

const buildKey = (iban: string, currency: string): string => `${currency} ${iban}`;

/** The ids of the accounts that are there, by the texts of the file: of the very text, else the oldest of its spellings. */
async function findIds(context: Context, accounts: AccountText[]): Promise<Map<string, string>> {
  const ibans = [...new Set(accounts.flatMap(({ iban }) => listSpellings(iban)))];
  const stored = await context.db.bankAccount.findMany({ where: { iban: { in: ibans } } });
  const known = new Map(stored.map(({ id, iban, currency }) => [buildKey(iban, currency), id]));
  return new Map(
    accounts.flatMap(({ iban, currency }): [string, string][] => {
      const ids = listSpellings(iban).flatMap((spelling) => known.get(buildKey(spelling, currency)) ?? []);
      const id = known.get(buildKey(iban, currency)) ?? ids.toSorted()[0];
      return id === undefined ? [] : [[buildKey(iban, currency), id]];
    }),
  );
}

/** One account for all spellings of its number. */
async function addAccounts(context: Context, texts: AccountText[]): Promise<void> {
  const accounts = new Map<string, AccountText>();
  for (const { iban, currency } of texts) {
    const [spelling, ...others] = listSpellings(iban);
    const key = buildKey(spelling, currency);
    // A number in an unusual spelling is stored as it is, because it is found by this text only.
    const stored = others.length > 0 ? plainAccountNumber(iban) : iban;
    if (!accounts.has(key)) accounts.set(key, { iban: stored, currency });
  }
  // In one order, so that concurrent imports can't deadlock.
  const inOrder = [...accounts.values()].toSorted((a, b) =>
    buildKey(a.iban, a.currency) < buildKey(b.iban, b.currency) ? -1 : 1,
  );
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
    const bankAccountId = ids.get(buildKey(accountIban, currency));
    if (bankAccountId === undefined) return [];
    const days = { fromDate: new Date(fromDate), toDate: new Date(toDate) };
    return [context.db.row('BankStatement', { ...rest, ...days, bankAccountId })];
  });
  if (rows.length > 0) await context.db.insertNew('BankStatement', rows, identity);
}
