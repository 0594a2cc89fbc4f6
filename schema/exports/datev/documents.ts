import { minorDigitsSql } from '../../money/money.ts';
import type { PaymentKind } from '../../../prisma/client.ts';
import type { ReceiptVatCategory, VatCategory } from '../../money/vat-categories.ts';
import type { Context } from '../../graphql/context.ts';
import { vatCategorySql } from '../../resources/invoice/line.ts';
import { receiptLinesSql } from '../../resources/receipt/lines.ts';
import { exchangeDifferences } from '../../resources/payment/exchange.ts';
import { restsAtHome, settledAtHome } from '../../resources/payment/settled-at-home.ts';
import { inHomeCurrency } from '../../resources/report/home-amounts.ts';
import { asDated, discountedLines, linesAtHome, taxedLines } from '../../resources/report/receipt-shares.ts';
import { discountShares, invoiceDiscounts } from '../../resources/report/vat-shares.ts';
import { computed, countRows, readRows, type Period, type TableSource } from '../table.ts';
import { readPartnerAccounts } from './partner-accounts.ts';

// The documents that are posted: issued invoices, credit notes, booked receipts, and payments, each on its own day;
// cash discounts as the VAT report splits them; and rests of roundings. All of them are frozen, so that a period that
// is locked has the same postings for ever.

/** A part of a document by VAT category and rate; negative where a document takes something back. */
export interface Share {
  category: VatCategory;
  rate: string;
  net: string;
  vat: string;
  /** The same in the home currency, as the reports have it; of a document without a rate, in its own. */
  home: { net: string; vat: string };
}

interface Booked {
  number: string | null;
  day: string;
  currency: string;
  /** The account of the customer or supplier; null where there is no supplier. */
  partner: string | null;
  /** The exchange rate: the worth of one unit of the document's currency in another one. */
  worth: { rate: string; currency: string } | null;
}

export interface Sale extends Booked {
  /** The day of supply, where it isn't that of the document. */
  supplied: string | null;
  /** The customer when the invoice was issued. */
  name: string | null;
  country: string | null;
  vatId: string | null;
  shares: Share[];
}

/** A purchase at one VAT rate: a line of a receipt. */
export interface BoughtLine {
  category: ReceiptVatCategory;
  rate: string;
  net: string;
  /** The VAT that the supplier gets. */
  vat: string;
  /** The same, or the VAT that the tenant owes instead of the supplier; and what can be deducted of it. */
  tax: string;
  deducted: string;
  /** The same in the home currency, as the reports have it; of a receipt without a rate, in its own. */
  home: Record<'net' | 'vat' | 'tax' | 'deducted', string>;
  account: string | null;
  text: string | null;
}

interface Bought extends Booked {
  /** The supplier's, frozen with the receipt, by which the VAT is of this country or another. */
  country: string | null;
  lines: BoughtLine[];
}

export interface Purchase extends Bought {
  text: string | null;
  category: string | null;
}

/** The changes of an invoice's shares by the cash discounts of a day. */
export interface SaleDiscount extends Booked {
  /** The customer's when the invoice was issued. */
  country: string | null;
  shares: Share[];
}

/** The same of a receipt. */
export type PurchaseDiscount = Bought;

export interface Payment extends Booked {
  of: 'invoice' | 'credit_note' | 'receipt';
  settles: Lowercase<Exclude<PaymentKind, 'CASH_DISCOUNT' | 'CREDIT'>>;
  amount: string;
  /** The amount in another currency: that of the bank account, or the home currency at the payment's own rate. */
  exchange: { amount: string; currency: string } | null;
  /** The amount settled in the home currency, if the document has a rate; null if only a customer's credit changes. */
  settled: string | null;
  /** The payment's gain against the document's rate, in the home currency; negative for a loss. */
  difference: string | null;
  isReversal: boolean;
}

/** The rest of a document in the home currency, by roundings, on the day on which nothing more of it is due. */
export interface Rest extends Booked {
  of: 'invoice' | 'receipt';
  /** Positive where it is a gain. */
  difference: string;
}

/** The shares of a document: what it says, and what it is at home. @param shares a statement, as `category, rate, net, vat` */
const sharesSql = (shares: string): string => `(
  select json_agg(json_build_object('category', category, 'rate', trim_scale(rate)::text, 'net', said_net::text, 'vat', said_vat::text,
    'home', json_build_object('net', net::text, 'vat', vat::text)) order by category, rate)
  from (${inHomeCurrency(
    `select share.*, own.currency, own.exchange_rate, own.exchange_currency from (${shares}) as share`,
    { columns: 'category, rate, net as said_net, vat as said_vat', document: 'exchange_rate', order: 'category, rate' },
  )}) as share)`;

/** Net and VAT of an invoice's lines: VAT is rounded once per rate (EN 16931, BR-CO-17). */
const invoiceShares = sharesSql(`
  select ${vatCategorySql('item')} as category, item.vat_rate as rate, sum(item.line_total_net) as net,
    round(sum(item.line_total_net) * item.vat_rate / 100, ${minorDigitsSql('own.currency')}) as vat
  from invoice_items as item where item.tenant_id = $1 and item.invoice_id = own.id
  group by ${vatCategorySql('item')}, item.vat_rate`);

const creditNoteShares = sharesSql(`
  select vat_category as category, vat_rate as rate, -net as net, -vat as vat
  from jsonb_to_recordset(own.vat_breakdown) as share (vat_category text, vat_rate numeric, net numeric, vat numeric)`);

const supplied = (invoice: string): string => `coalesce(${invoice}.delivery_date, (
  select max(line.service_period_end) from invoice_items as line
  where line.tenant_id = $1 and line.invoice_id = ${invoice}.id))`;

/** The key of a partner's account: see readPartnerAccounts(). */
const partnerSql = (customer: string, kind: 'debtor' | 'creditor'): string => `('${kind} ' || ${customer})`;

/** A list of objects. @param fields their fields, with their expressions */
const jsonList = (fields: Record<string, string>, from: string, order: string): string =>
  `(select json_agg(${jsonObject(fields)} order by ${order}) from ${from})`;

const jsonObject = (fields: Record<string, string>): string =>
  `json_build_object(${Object.entries(fields)
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join(', ')})`;

const worthSql = (rate: string, currency: string): string =>
  `case when ${rate} is not null then json_build_object('rate', ${rate}::text, 'currency', ${currency}) end`;

const documentWorthSql = (document: string): string =>
  worthSql(`${document}.exchange_rate`, `${document}.exchange_currency`);

const ofPaid = (column: string): string =>
  `coalesce(${['invoice', 'note', 'receipt'].map((of) => `${of}.${column}`).join(', ')})`;

const amountFields = (of: string) => ({
  net: `${of}.net::text`,
  vat: `${of}.vat::text`,
  tax: `${of}.tax::text`,
  deducted: `${of}.deducted::text`,
});

/** Of a `line`, and the same `at_home`. */
const lineFields = (account: string, text: string) => ({
  category: 'line.category',
  rate: 'trim_scale(line.rate)::text',
  ...amountFields('line'),
  home: jsonObject(amountFields('at_home')),
  account,
  text,
});

const ownLines = receiptLinesSql('document.tenant_id = $1 and document.id = own.id');

const receiptLines = jsonList(
  lineFields('line.account', 'line.description'),
  `(${taxedLines(ownLines)}) as line
    join (${taxedLines(linesAtHome(asDated(ownLines)))}) as at_home on at_home.part = line.position`,
  'line.position',
);

/** The sums of a day's discounts by what they have in common. */
const sumDiscounts = (lines: string): string => `
  select id, date, number, currency, category, rate, deductible, sum(at * net) as net, sum(at * vat) as vat, sum(at * tax) as tax,
    sum(at * deducted) as deducted
  from (${taxedLines(lines)}) as part group by id, date, number, currency, category, rate, deductible`;

/** @param fields the fields of an object, with their expressions */
const source = (
  table: string,
  day: string,
  where: string,
  fields: Record<string, string>,
  joins = '',
): TableSource => ({
  columns: [computed('document', 'text', `${jsonObject(fields)}::text`)],
  from: `${table} as own ${joins}`,
  where: `own.tenant_id = $1 and ${where}`,
  order: [`own.${day}`, 'own.id'],
  dated: { sql: `own.${day}` },
});

const buyer = {
  name: `parties.buyer ->> 'company_name'`,
  country: `parties.buyer ->> 'country'`,
  vatId: `parties.buyer ->> 'vat_id'`,
};

const partiesSql = (invoice: string): string =>
  `left join invoice_parties as parties on parties.tenant_id = $1 and parties.id = ${invoice}`;

const sources = {
  invoices: source(
    'invoices',
    'invoice_date',
    `own.status <> 'draft'`,
    {
      number: 'own.number',
      day: 'own.invoice_date',
      currency: 'own.currency',
      partner: partnerSql('own.customer_id', 'debtor'),
      worth: documentWorthSql('own'),
      supplied: supplied('own'),
      ...buyer,
      shares: invoiceShares,
    },
    partiesSql('own.id'),
  ),
  creditNotes: source(
    'credit_notes',
    'credit_note_date',
    'true',
    {
      number: 'own.number',
      day: 'own.credit_note_date',
      currency: 'own.currency',
      partner: partnerSql('own.customer_id', 'debtor'),
      worth: documentWorthSql('own'),
      supplied: 'null',
      ...buyer,
      shares: creditNoteShares,
    },
    partiesSql('own.invoice_id'),
  ),
  receipts: source('receipts', 'receipt_date', `own.status <> 'draft'`, {
    number: 'own.receipt_number',
    day: 'own.receipt_date',
    currency: 'own.currency',
    partner: partnerSql('own.supplier_id', 'creditor'),
    worth: documentWorthSql('own'),
    country: 'own.supplier_country',
    text: 'own.description',
    category: 'own.category',
    lines: receiptLines,
  }),
  payments: source(
    'payments',
    'paid_on',
    // Used credit moves nothing: the customer's account has it already. Cash discounts are split.
    `own.kind not in ('credit', 'cash_discount')`,
    {
      of: `case when own.receipt_id is not null then 'receipt' when own.credit_note_id is not null then 'credit_note' else 'invoice' end`,
      number: 'coalesce(invoice.number, note.number, receipt.receipt_number)',
      day: 'own.paid_on',
      currency: 'own.currency',
      partner: `case when own.receipt_id is null then ${partnerSql('coalesce(invoice.customer_id, note.customer_id, own.customer_id)', 'debtor')}
        else ${partnerSql('receipt.supplier_id', 'creditor')} end`,
      worth: worthSql(ofPaid('exchange_rate'), ofPaid('exchange_currency')),
      settles: 'own.kind::text',
      amount: 'own.amount::text',
      exchange: `case when own.exchange_amount is not null then
        json_build_object('amount', own.exchange_amount::text, 'currency', own.exchange_currency) end`,
      difference: `case when own.exchange_rate is not null then (
        select difference::text from (${exchangeDifferences('payment.id = own.id')}) as payment) end`,
      settled: `case when coalesce(invoice.exchange_rate, note.exchange_rate, receipt.exchange_rate) is not null then (
        select worth::text from (${settledAtHome('payment.id = own.id')}) as settled where settled.id = own.id) end`,
      isReversal: 'own.reversal_of is not null',
    },
    `left join invoices as invoice on invoice.tenant_id = own.tenant_id and invoice.id = own.invoice_id
     left join credit_notes as note on note.tenant_id = own.tenant_id and note.id = own.credit_note_id
     left join receipts as receipt on receipt.tenant_id = own.tenant_id and receipt.id = own.receipt_id`,
  ),
} satisfies Record<string, TableSource>;

const discountSource = (table: string, shares: string, fields: Record<string, string>, join = ''): TableSource => ({
  columns: [
    computed(
      'document',
      'text',
      `${jsonObject({ number: 'own.number', day: 'own.date', currency: 'own.currency', ...fields })}::text`,
    ),
  ],
  from: `(${shares}) as own join ${table} as document on document.tenant_id = $1 and document.id = own.id ${join}`,
  order: ['own.date', 'own.id'],
});

const restSource = (rests: string): TableSource => ({
  columns: [
    computed(
      'document',
      'text',
      `${jsonObject({
        of: `case when own.is_invoice then 'invoice' else 'receipt' end`,
        number: 'own.number',
        day: 'own.date',
        currency: 'own.currency',
        partner: `coalesce(${partnerSql('invoice.customer_id', 'debtor')}, ${partnerSql('receipt.supplier_id', 'creditor')})`,
        worth: 'null',
        difference: 'own.difference::text',
      })}::text`,
    ),
  ],
  from: `(${rests}) as own
    left join invoices as invoice on invoice.tenant_id = $1 and invoice.id = own.id
    left join receipts as receipt on receipt.tenant_id = $1 and receipt.id = own.id`,
  where: 'own.difference <> 0',
  order: ['own.date', 'own.id'],
});

/** Cash discounts, by document and day, and rests. The reports' statements have the period as parameters 2 and 3. */
function settlementSources({ from, to }: Period) {
  const within = (sql: string): string =>
    sql.replaceAll('$2', `date '${from ?? '-infinity'}'`).replaceAll('$3', `date '${to ?? 'infinity'}'`);
  const share = {
    category: 'share.category',
    rate: 'trim_scale(share.rate)::text',
    net: 'share.net::text',
    vat: 'share.vat::text',
    home: jsonObject({ net: 'coalesce(at_home.net, 0)::text', vat: 'coalesce(at_home.vat, 0)::text' }),
  };
  return {
    invoiceDiscounts: discountSource(
      'invoices',
      `select share.id, share.date, share.number, share.currency,
         json_agg(${jsonObject(share)} order by share.category, share.rate) as shares
       from (${within(invoiceDiscounts)}) as share left join (${within(discountShares)}) as at_home
         on at_home.id = share.id and at_home.date = share.date and at_home.category = share.category and at_home.rate = share.rate
       group by share.id, share.date, share.number, share.currency`,
      {
        partner: partnerSql('document.customer_id', 'debtor'),
        worth: documentWorthSql('document'),
        country: buyer.country,
        shares: 'own.shares',
      },
      partiesSql('own.id'),
    ),
    receiptDiscounts: discountSource(
      'receipts',
      `select line.id, line.date, line.number, line.currency,
         json_agg(${jsonObject(lineFields('null', 'null'))} order by line.category, line.rate, line.deductible) as lines
       from (${within(sumDiscounts(discountedLines))}) as line
         join (${within(sumDiscounts(linesAtHome(discountedLines)))}) as at_home
           on at_home.id = line.id and at_home.date = line.date and at_home.category = line.category
             and at_home.rate = line.rate and at_home.deductible = line.deductible
       group by line.id, line.date, line.number, line.currency`,
      {
        partner: partnerSql('document.supplier_id', 'creditor'),
        worth: documentWorthSql('document'),
        country: 'document.supplier_country',
        lines: 'own.lines',
      },
    ),
    rests: restSource(within(restsAtHome('moved.date between $2 and $3'))),
  };
}

export type Document =
  | ({ kind: 'sale' } & Sale)
  | ({ kind: 'purchase' } & Purchase)
  | ({ kind: 'saleDiscount' } & SaleDiscount)
  | ({ kind: 'purchaseDiscount' } & PurchaseDiscount)
  | ({ kind: 'payment' } & Payment)
  | ({ kind: 'rest' } & Rest);

const kinds = {
  invoices: 'sale',
  creditNotes: 'sale',
  receipts: 'purchase',
  payments: 'payment',
  invoiceDiscounts: 'saleDiscount',
  receiptDiscounts: 'purchaseDiscount',
  rests: 'rest',
} as const;

const buildSources = (days: Period) =>
  Object.entries({ ...sources, ...settlementSources(days) }) as [keyof typeof kinds, TableSource][];

/** Reads the documents that are posted in a period, page by page: by kind, and by day. */
export async function* readDocuments(context: Context, period: Period): AsyncGenerator<Document[]> {
  const accounts = await readPartnerAccounts(context);
  for (const [name, table] of buildSources(period))
    for await (const rows of readRows(context, table, period))
      yield rows.map(([text]) => {
        const read = JSON.parse(text ?? '') as Pick<Booked, 'partner'>;
        return { kind: kinds[name], ...read, partner: accounts.get(read.partner ?? '') ?? null } as Document;
      });
}

export async function countDocuments(context: Context, period: Period): Promise<number> {
  let count = 0;
  for (const [, table] of buildSources(period)) count += await countRows(context, table, period);
  return count;
}
