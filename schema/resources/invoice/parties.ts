import { batchPerRequest } from '../../../prisma/batching.ts';
import type { Context } from '../../graphql/context.ts';
import { frozenBuyer, frozenSeller, type FrozenBuyer, type FrozenSeller } from '../../documents/document-source.ts';
import type { EInvoiceFormat } from '../../documents/e-invoice/formats.ts';
import { found } from '../../errors/errors.ts';
import { getInvoiceBeforeValues, invoiceBeforeSql, type Numbered, type Place } from '../document/issue-date.ts';

// The seller and the buyer of an invoice. Those of an issued invoice are as they were when it was issued, whatever changes
// afterwards: a trigger writes them (prisma/migrations/20261128140001_baseline/migration.sql).

export interface Parties {
  seller: FrozenSeller;
  buyer: FrozenBuyer;
}

/** The terms that an invoice takes from the customer and the company, as they are now. */
export interface CurrentTerms {
  parties: Parties;
  /** The days until payment: the customer's own, or the company's; null without any. */
  paymentTermsDays: number | null;
  /** The format whose rules it must keep to be issued: the customer's, or the company's; null for none. */
  requiredFormat: EInvoiceFormat | null;
  /** Whether the company refuses what is dated before the last issued one. */
  refusesDisorder: boolean;
  /** The invoice issued before it: see findBefore(). Undefined without a place, and while that waits to be written. */
  before: Numbered | null | undefined;
}

/** The property in which a new invoice carries its terms, so that its warnings need not read them again. */
export const knownTerms: unique symbol = Symbol('terms');

/** An invoice that may carry its terms. */
export type WithKnownTerms<Of> = Of & { [knownTerms]?: CurrentTerms | null };

/** The columns of the company profile, null if there is none, and those of the customer; by the id that was looked up. */
interface StoredParties {
  id: string;
  seller: unknown;
  buyer: unknown;
}

const frozenParties = batchPerRequest<Parties | null, Context>(async (invoiceIds, context) => {
  const rows = await context.db.$lookup<StoredParties>(
    'select id, seller, buyer from invoice_parties where tenant_id = $1 and id = any($2::uuid[])',
    [invoiceIds],
  );
  return new Map(rows.map((row) => [row.id, readParties(context, row)]));
}, null);

interface StoredTerms extends StoredParties, Omit<CurrentTerms, 'parties' | 'before'> {
  before: { number: string; day: string | null } | null;
}

const termsSql = `
  select customer.id, to_jsonb(company) as seller, to_jsonb(customer) as buyer,
    coalesce(customer.payment_terms_days, company.payment_terms_days) as "paymentTermsDays",
    nullif(coalesce(customer.required_e_invoice, company.required_e_invoice), 'none') as "requiredFormat",
    coalesce(company.issue_date_order = 'refuse', false) as "refusesDisorder",
    ${invoiceBeforeSql('$3', '$4')} as before
  from customers as customer left join companies as company on company.tenant_id = customer.tenant_id
  where customer.tenant_id = $1 and customer.id = any($2::uuid[])`;

/** Reads the terms of invoices to these customers, by the customers' ids. @param place that of one invoice */
async function readTerms(context: Context, customerIds: string[], place?: Place): Promise<Map<string, CurrentTerms>> {
  const [year, number] = place ? getInvoiceBeforeValues(place) : [null, null];
  const rows = await context.db.$lookup<StoredTerms>(termsSql, [customerIds, year, number], ['Customer', 'Company']);
  const terms = new Map<string, CurrentTerms>();
  for (const row of rows) {
    const { id, paymentTermsDays, requiredFormat, refusesDisorder } = row;
    const before = place && row.before && toNumbered(row.before);
    const parties = readParties(context, row);
    terms.set(id, { parties, paymentTermsDays, requiredFormat, refusesDisorder, before });
  }
  return terms;
}

const toNumbered = ({ number, day }: { number: string; day: string | null }): Numbered | undefined =>
  day === null ? undefined : { number, day: new Date(day) };

const currentTerms = batchPerRequest<CurrentTerms | null, Context>((ids, context) => readTerms(context, ids), null);

/** Without a company profile, the tenant's name and country are known of the seller. */
function readParties({ tenant }: Context, { seller: profile, buyer }: StoredParties): Parties {
  const seller = profile === null ? { legal_name: tenant.name } : frozenSeller.parse(profile);
  return { seller: { ...seller, country: seller.country ?? tenant.country }, buyer: frozenBuyer.parse(buyer) };
}

/** The parties of an invoice: as it was issued; of a draft, as it would be issued now. @throws NotFoundError */
export const findParties = async (context: Context, invoice: { id: string; customerId: string }): Promise<Parties> =>
  (await frozenParties(invoice.id, context)) ?? findPartiesOfDraft(context, invoice.customerId);

/** The parties of an invoice that isn't issued, as it would be issued now. @throws NotFoundError */
export const findPartiesOfDraft = async (context: Context, customerId: string): Promise<Parties> =>
  (await found(currentTerms(customerId, context))).parties;

/**
 * The terms of an invoice to this customer, as they are now; null if there is no such customer.
 * @param place the invoice's, for the one before it
 */
export const findTerms = async (context: Context, customerId: string, place?: Place): Promise<CurrentTerms | null> =>
  (await readTerms(context, [customerId], place)).get(customerId) ?? null;
