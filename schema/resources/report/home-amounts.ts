import { minorDigitsSql } from '../../money/money.ts';

// Amounts of documents with an exchange rate, in the home currency.

/** The columns of a document, as `document`, on which its amounts at home depend. */
export const rateColumns = 'document.currency, document.exchange_rate, document.exchange_currency';

/**
 * The parts of documents in the home currency, as `…, currency, digits, net, vat`; those of documents without a rate as they are. The
 * sum of the first parts is converted and rounded, and each part is the difference of two sums: so all parts of a document are
 * exactly the converted whole. Gross amounts and VAT are converted; net is what is between: the partner's account has the gross.
 * @param parts a statement whose columns are also `currency, exchange_rate, exchange_currency, net, vat`
 * @param columns the columns to keep
 * @param document what is the same for all parts of a document
 * @param order the order of its parts
 */
export const inHomeCurrency = (
  parts: string,
  { columns, document, order }: Record<'columns' | 'document' | 'order', string>,
): string => `
  select ${columns}, coalesce(exchange_currency, currency) as currency, digits,
    ${convert('(net + vat)')} - ${convert('vat')} as net, ${convert('vat')} as vat
  from (select parts.*, ${minorDigitsSql('coalesce(exchange_currency, currency)')} as digits from (${parts}) as parts) as part
  window so_far as (partition by ${document} order by ${order} rows unbounded preceding)`;

const convert = (amount: string): string => `
  case when exchange_rate is null then ${amount}
    else round(exchange_rate * sum(${amount}) over so_far, digits)
      - round(exchange_rate * (sum(${amount}) over so_far - ${amount}), digits)
  end`;
