import type { Row } from '../../prisma/client.ts';
import { homeCurrencies } from '../codes/home-currencies.ts';
import type { Problems } from '../errors/errors.ts';
import type { InputFields } from '../graphql/builder.ts';
import type { Context } from '../graphql/context.ts';
import { decimal, requiredText } from '../graphql/input/validators.ts';
import { Decimal, isCurrency } from '../money/money.ts';
import { findCompany } from './company/queries.ts';

// The exchange rate of a document: from its currency into the home currency, that of the company's country, in which
// its VAT is declared (DECISIONS.md#d150-exchange-rates).

/** The rates between two currencies that are believed, and the decimals that are kept of them. */
export const rates = { decimals: 12, min: 1e-9, max: 1e9 };

/** A total in the home currency is less than this: it has at most 15 digits in each currency. */
export const maxExchanged = 1e12;

export const exchangeFields = (t: InputFields) => ({
  exchangeRate: t.field({ type: 'Decimal', validate: decimal(rates) }),
  exchangeRateDate: t.field({ type: 'Date' }),
  exchangeRateSource: t.string({ validate: requiredText(100) }),
});

export const exchangeColumns = [
  'exchangeRate',
  'exchangeRateDate',
  'exchangeRateSource',
  'exchangeCurrency',
] as const satisfies (keyof Row<'Invoice'>)[];

/** The columns of a document. */
export type Exchange = Pick<Row<'Invoice'>, (typeof exchangeColumns)[number]>;

/** Those of a document that takes them from another. */
export const copyExchange = ({
  exchangeRate,
  exchangeRateDate,
  exchangeRateSource,
  exchangeCurrency,
}: Exchange): Exchange => ({ exchangeRate, exchangeRateDate, exchangeRateSource, exchangeCurrency });

/** The currency of the company's country; the tenant's, where that has none. */
export async function findHomeCurrency(context: Pick<Context, 'db' | 'tenant'>): Promise<string> {
  const country = (await findCompany(context))?.country ?? context.tenant.country;
  return homeCurrencies.get(country) ?? context.tenant.defaultCurrency;
}

type Amount = Pick<Decimal, 'toFixed'>;

interface Input {
  currency?: string | null | undefined;
  exchangeRate?: Decimal | null | undefined;
  exchangeRateDate?: Date | null | undefined;
  exchangeRateSource?: string | null | undefined;
}

/**
 * A rate and its day stand together, and only on a document in foreign money.
 * @param gross of the document after the change, where it is known
 * @param current the document that the input changes; nothing for a new one
 */
export function exchangeRules(
  input: Input,
  context: Context,
  problems: Problems,
  gross: Amount | undefined,
  current?: Exchange & { currency: string },
): void {
  const take = <Name extends keyof Exchange & keyof Input>(name: Name) =>
    input[name] === undefined ? current?.[name] : input[name];
  const [rate, day, source] = [take('exchangeRate'), take('exchangeRateDate'), take('exchangeRateSource')];
  const path = 'input.exchangeRate';
  if (!rate && !problems.has(path)) {
    const message = 'Only with an exchange rate.';
    if (day) problems.add(`${path}Date`, 'inconsistent', message);
    if (source) problems.add(`${path}Source`, 'inconsistent', message);
  }
  if (rate && !day && !problems.has(`${path}Date`))
    problems.add(`${path}Date`, 'required', 'Required with an exchange rate.');
  const { currency, exchangeRate: newRate } = input;
  if (rate && newRate === undefined && current && currency && currency !== current.currency)
    problems.add(path, 'inconsistent', `It is the rate of ${current.currency}: give that of ${currency}, or null.`);
  if (rate && gross && new Decimal(rate.toFixed()).times(gross.toFixed()).abs().greaterThanOrEqualTo(maxExchanged))
    problems.add(path, 'total_out_of_range', 'The total in the home currency is too large.');
  if (!newRate) return;
  problems.defer(async () => {
    const home = await findHomeCurrency(context);
    if ((currency ?? current?.currency ?? context.tenant.defaultCurrency) === home)
      problems.add(path, 'inconsistent', `Must be left out: ${home} is the currency of the company's country.`);
  });
}

/** The home currency, for a rate that is given; null where it is cleared, and undefined where it stays. */
export const chooseExchangeCurrency = async (
  context: Context,
  { exchangeRate }: Input,
): Promise<string | null | undefined> => (exchangeRate ? findHomeCurrency(context) : exchangeRate);

/** The rule of a document or payment that comes with an archive, which no constraint has. */
export function storedExchangeRules(
  { exchangeCurrency }: Pick<Exchange, 'exchangeCurrency'>,
  problems: Problems,
): void {
  if (exchangeCurrency !== null && !isCurrency(exchangeCurrency))
    problems.add('exchange_currency', 'unknown_value', 'Must be an ISO 4217 currency code.');
}
