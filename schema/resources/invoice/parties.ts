import { z } from 'zod';
import { batchPerRequest } from '../../../prisma/batching.ts';
import type { Context } from '../../graphql/context.ts';
import { found } from '../../errors.ts';

// The seller and the buyer of an invoice. Those of an issued invoice are as they were when it was issued, whatever changes
// afterwards: a trigger writes them (prisma/migrations/20261122181000_frozen_parties/migration.sql).

const text = z.string().nullish();
const place = {
  address_line1: text,
  postal_code: text,
  city: text,
  country: text,
  vat_id: text,
  contact_name: text,
  phone: text,
  email: text,
  electronic_address: text,
  electronic_address_scheme: text,
  language: z.enum(['de', 'en']).nullish(),
};

/** The columns of a company profile that documents show. */
export const frozenSeller = z.object({
  ...place,
  legal_name: z.string(),
  address_line2: text,
  tax_number: text,
  register_entry: text,
  registration_number: text,
  registration_number_scheme: text,
  iban: text,
  bic: text,
  footer: text,
  accent_color: text,
  logo_id: text,
});
export type FrozenSeller = z.infer<typeof frozenSeller>;

/** The columns of a customer that documents show. */
export const frozenBuyer = z.object({
  ...place,
  company_name: z.string(),
  buyer_reference: text,
});
export type FrozenBuyer = z.infer<typeof frozenBuyer>;

export interface Parties {
  seller: FrozenSeller;
  buyer: FrozenBuyer;
}

/** The columns of the company profile, null if there is none, and those of the customer. */
interface StoredParties {
  seller: unknown;
  buyer: unknown;
}

const frozenParties = batchPerRequest(async (invoiceIds, { db }: Context) => {
  const rows = await db.invoiceParties.findMany({ where: { id: { in: invoiceIds } } });
  return new Map<string, StoredParties | null>(rows.map((row) => [row.id, row]));
}, null);

const currentParties = batchPerRequest(async (customerIds, { db }: Context) => {
  const rows = await db.$rows<StoredParties & { id: string }>(
    `select customer.id, to_jsonb(company) as seller, to_jsonb(customer) as buyer
     from customers as customer left join companies as company on company.tenant_id = customer.tenant_id
     where customer.tenant_id = $1 and customer.id = any($2::uuid[])`,
    [customerIds],
  );
  return new Map<string, StoredParties | null>(rows.map((row) => [row.id, row]));
}, null);

/** The parties of an invoice: as it was issued; of a draft, as it would be issued now. @throws NotFoundError */
export async function partiesOf(context: Context, invoice: { id: string; customerId: string }): Promise<Parties> {
  const frozen = await frozenParties(invoice.id, context);
  return frozen ? readParties(context, frozen) : partiesOfDraft(context, invoice.customerId);
}

/** The parties of an invoice that isn't issued, as it would be issued now. @throws NotFoundError */
export const partiesOfDraft = async (context: Context, customerId: string): Promise<Parties> =>
  readParties(context, await found(currentParties(customerId, context)));

const readParties = (context: Context, { seller, buyer }: StoredParties): Parties => ({
  seller: sellerOf(context, seller),
  buyer: frozenBuyer.parse(buyer),
});

/** @param profile the columns of the company profile; null without one: then the tenant's name and country are known */
function sellerOf({ tenant }: Context, profile: unknown): FrozenSeller {
  if (profile === null) return { legal_name: tenant.name, country: tenant.country };
  const seller = frozenSeller.parse(profile);
  return { ...seller, country: seller.country ?? tenant.country };
}
