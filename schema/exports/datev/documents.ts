import { minorDigitsSql } from '../../money/money.ts';
import type { VatCategory } from '../../money/vat-categories.ts';
import type { Context } from '../../graphql/context.ts';
import { vatCategorySql } from '../../resources/invoice/line.ts';
import { computed, countRows, readRows, type Period, type TableSource } from '../table.ts';

// What is booked: issued invoices, credit notes, booked receipts, and payments, each on its own day. All of it is frozen, so that a
// period that is locked has the same postings for ever.

/** A part of a document by VAT category and rate; negative where a document takes something back. */
export interface Share {
  category: VatCategory;
  rate: string;
  gross: string;
}

interface Booked {
  number: string | null;
  day: string;
  currency: string;
  /** The account of the customer or supplier; null where there is no supplier. */
  partner: string | null;
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

export interface Purchase extends Booked {
  text: string | null;
  category: string | null;
  shares: Pick<Share, 'rate' | 'gross'>[];
}

export interface Payment extends Booked {
  of: 'invoice' | 'credit_note' | 'receipt';
  amount: string;
  isReversal: boolean;
}

/** Net and VAT of an invoice's lines: VAT is rounded once per rate (EN 16931, BR-CO-17). */
const sharesOfInvoice = `(
  select json_agg(json_build_object('category', category, 'rate', trim_scale(rate)::text, 'gross', (net + vat)::text) order by category, rate)
  from (
    select ${vatCategorySql('item')} as category, item.vat_rate as rate, sum(item.line_total_net) as net,
      round(sum(item.line_total_net) * item.vat_rate / 100, ${minorDigitsSql('own.currency')}) as vat
    from invoice_items as item where item.tenant_id = $1 and item.invoice_id = own.id
    group by ${vatCategorySql('item')}, item.vat_rate
  ) as share)`;

const sharesOfCreditNote = `(
  select json_agg(json_build_object('category', vat_category, 'rate', trim_scale(vat_rate)::text, 'gross', (-net - vat)::text)
    order by vat_category, vat_rate)
  from jsonb_to_recordset(own.vat_breakdown) as share (vat_category text, vat_rate numeric, net numeric, vat numeric))`;

const supplied = (invoice: string): string => `coalesce(${invoice}.delivery_date, (
  select max(line.service_period_end) from invoice_items as line
  where line.tenant_id = $1 and line.invoice_id = ${invoice}.id))`;

const accountOf = (customer: string, kind: 'debtor' | 'creditor'): string => `(
  select account.number::text from partner_accounts as account
  where account.tenant_id = $1 and account.customer_id = ${customer} and account.kind = '${kind}')`;

/** @param fields the fields of an object, with their expressions */
const source = (
  table: string,
  day: string,
  where: string,
  fields: Record<string, string>,
  joins = '',
): TableSource => ({
  columns: [
    computed(
      'document',
      'text',
      `json_build_object(${Object.entries(fields)
        .map(([name, sql]) => `'${name}', ${sql}`)
        .join(', ')})::text`,
    ),
  ],
  from: `${table} as own ${joins}`,
  where: `own.tenant_id = $1 and ${where}`,
  keys: [
    { sql: `own.${day}`, type: 'date' },
    { sql: 'own.id', type: 'uuid' },
  ],
  dated: { sql: `own.${day}` },
});

const buyer = {
  name: `parties.buyer ->> 'company_name'`,
  country: `parties.buyer ->> 'country'`,
  vatId: `parties.buyer ->> 'vat_id'`,
};

const sources = {
  invoices: source(
    'invoices',
    'invoice_date',
    `own.status <> 'draft'`,
    {
      number: 'own.number',
      day: 'own.invoice_date',
      currency: 'own.currency',
      partner: accountOf('own.customer_id', 'debtor'),
      supplied: supplied('own'),
      ...buyer,
      shares: sharesOfInvoice,
    },
    'left join invoice_parties as parties on parties.tenant_id = own.tenant_id and parties.id = own.id',
  ),
  creditNotes: source(
    'credit_notes',
    'credit_note_date',
    'true',
    {
      number: 'own.number',
      day: 'own.credit_note_date',
      currency: 'own.currency',
      partner: accountOf('own.customer_id', 'debtor'),
      supplied: 'null',
      ...buyer,
      shares: sharesOfCreditNote,
    },
    'left join invoice_parties as parties on parties.tenant_id = own.tenant_id and parties.id = own.invoice_id',
  ),
  receipts: source('receipts', 'receipt_date', `own.status <> 'draft'`, {
    number: 'own.receipt_number',
    day: 'own.receipt_date',
    currency: 'own.currency',
    partner: accountOf('own.supplier_id', 'creditor'),
    text: 'own.description',
    category: 'own.category',
    shares: `json_build_array(json_build_object('rate', trim_scale(own.vat_rate)::text, 'gross', own.amount_gross::text))`,
  }),
  payments: source(
    'payments',
    'paid_on',
    'true',
    {
      of: `case when own.receipt_id is not null then 'receipt' when own.credit_note_id is not null then 'credit_note' else 'invoice' end`,
      number: 'coalesce(invoice.number, note.number, receipt.receipt_number)',
      day: 'own.paid_on',
      currency: 'own.currency',
      partner: `case when own.receipt_id is null then ${accountOf('coalesce(invoice.customer_id, note.customer_id)', 'debtor')}
        else ${accountOf('receipt.supplier_id', 'creditor')} end`,
      amount: 'own.amount::text',
      isReversal: 'own.reversal_of is not null',
    },
    `left join invoices as invoice on invoice.tenant_id = own.tenant_id and invoice.id = own.invoice_id
     left join credit_notes as note on note.tenant_id = own.tenant_id and note.id = own.credit_note_id
     left join receipts as receipt on receipt.tenant_id = own.tenant_id and receipt.id = own.receipt_id`,
  ),
} satisfies Record<string, TableSource>;

export type Document = ({ kind: 'sale' } & Sale) | ({ kind: 'purchase' } & Purchase) | ({ kind: 'payment' } & Payment);

const kinds = { invoices: 'sale', creditNotes: 'sale', receipts: 'purchase', payments: 'payment' } as const;
const names = Object.keys(sources) as (keyof typeof sources)[];

/** What is booked in a period, page by page: by kind, and by day. */
export async function* readDocuments(context: Context, period: Period): AsyncGenerator<Document[]> {
  for (const name of names)
    for await (const rows of readRows(context, sources[name], period))
      yield rows.map(([text]): Document => ({ kind: kinds[name], ...(JSON.parse(text ?? '') as object) }) as Document);
}

export async function countDocuments(context: Context, period: Period): Promise<number> {
  let count = 0;
  for (const name of names) count += await countRows(context, sources[name], period);
  return count;
}
