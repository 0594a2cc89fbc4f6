import { batchPerRequest } from '../../../prisma/batching.ts';
import type { Prisma, Row } from '../../../prisma/client.ts';
import { refuse } from '../../errors/errors.ts';
import type { Context } from '../../graphql/context.ts';
import { convert, Decimal } from '../../money/money.ts';
import { maxExchanged } from '../exchange-rate.ts';
import { settledAtHome } from './settled-at-home.ts';

// The worth of foreign money when it was paid (DECISIONS.md#d151-exchange-differences).

export type PaymentExchange = Pick<
  Prisma.PaymentUncheckedCreateInput,
  'exchangeAmount' | 'exchangeCurrency' | 'exchangeRate'
>;

/**
 * The worth of a payment in the home currency of the document that it pays, at a rate of the payment's own.
 * @param amount with the sign of the payment
 * @throws ValidationError
 */
export function exchangeAt(
  { exchangeCurrency }: Pick<Row<'Invoice'>, 'exchangeCurrency'>,
  amount: Decimal,
  exchangeRate: Decimal | null | undefined,
): PaymentExchange {
  if (!exchangeRate) return {};
  const path = 'exchangeRate';
  if (exchangeCurrency === null) refuse(path, 'inconsistent', 'Only what has an exchange rate is paid at another one.');
  const exchangeAmount = convert(amount, exchangeRate, exchangeCurrency);
  if (exchangeAmount.isZero()) refuse(path, 'inconsistent', 'Nothing is paid that has a value in the home currency.');
  if (exchangeAmount.abs().greaterThanOrEqualTo(maxExchanged))
    refuse(path, 'total_out_of_range', 'The amount in the home currency is too large.');
  return { exchangeAmount, exchangeCurrency, exchangeRate };
}

/**
 * The payments with a difference between what they moved in the home currency and what that settled there, as
 * `id, paid_on, is_reversal, invoice_id, receipt_id, number, currency, difference`: a gain is positive. Refunds are of the invoice,
 * whose rate its credit notes have. Parameter 1 is the tenant.
 * @param where a condition on `payment`
 */
export const exchangeDifferences = (where: string): string => `
  select payment.id, payment.paid_on, payment.reversal_of is not null as is_reversal, invoice.id as invoice_id, payment.receipt_id,
    coalesce(invoice.number, receipt.receipt_number) as number, settled.currency,
    (payment.exchange_amount - settled.worth)
      * case when payment.invoice_id is null then -1 else 1 end as difference
  from payments as payment
    left join credit_notes as note on note.tenant_id = payment.tenant_id and note.id = payment.credit_note_id
    left join invoices as invoice
      on invoice.tenant_id = payment.tenant_id and invoice.id = coalesce(payment.invoice_id, note.invoice_id)
    left join receipts as receipt on receipt.tenant_id = payment.tenant_id and receipt.id = payment.receipt_id
    join (${settledAtHome(`payment.exchange_rate is not null and ${where}`)}) as settled
      on settled.id = payment.id and settled.currency = payment.exchange_currency
  where payment.tenant_id = $1 and payment.exchange_rate is not null and ${where}`;

/** The difference of a payment with an exchange rate; null where the document has none. */
export const findExchangeDifference = batchPerRequest(async (ids: string[], { db }: Context) => {
  const rows = await db.$rows<{ id: string; difference: string }>(
    `select id, difference::text from (${exchangeDifferences('payment.id = any ($2::uuid[])')}) as payment`,
    [ids],
  );
  return new Map(rows.map(({ id, difference }): [string, Decimal | null] => [id, new Decimal(difference)]));
}, null);
