import { z } from 'zod';
import { key, type Context } from '../../context.ts';
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
  language: z.enum(['de', 'en']).nullish(),
};

/** The columns of a company profile that documents show. */
export const frozenSeller = z.object({
  ...place,
  legal_name: z.string(),
  address_line2: text,
  tax_number: text,
  register_entry: text,
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
  electronic_address: text,
  electronic_address_scheme: text,
});
export type FrozenBuyer = z.infer<typeof frozenBuyer>;

export interface Parties {
  seller: FrozenSeller;
  buyer: FrozenBuyer;
}

/** The parties of an invoice: as it was issued; of a draft, as it would be issued now. */
export async function partiesOf(context: Context, invoice: { id: string; customerId: string }): Promise<Parties> {
  const frozen = await context.db.invoiceParties.findUnique({ where: key(context, invoice.id) });
  const { seller, buyer } = frozen ?? (await currentParties(context, invoice.customerId));
  return { seller: sellerOf(context, seller), buyer: frozenBuyer.parse(buyer) };
}

async function currentParties({ db }: Context, customerId: string): Promise<{ seller: unknown; buyer: unknown }> {
  const [parties] = await db.$rows<{ seller: unknown; buyer: unknown }>(
    `select to_jsonb(company) as seller, to_jsonb(customer) as buyer
     from customers as customer left join companies as company on company.tenant_id = customer.tenant_id
     where customer.tenant_id = $1 and customer.id = $2`,
    [customerId],
  );
  return found(Promise.resolve(parties ?? null));
}

/** @param profile the columns of the company profile; null without one: then the tenant's name and country are known */
function sellerOf({ tenant }: Context, profile: unknown): FrozenSeller {
  if (profile === null) return { legal_name: tenant.name, country: tenant.country };
  const seller = frozenSeller.parse(profile);
  return { ...seller, country: seller.country ?? tenant.country };
}
