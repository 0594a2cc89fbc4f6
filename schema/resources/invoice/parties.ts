import { batchPerRequest } from '../../../prisma/batching.ts';
import type { Context } from '../../graphql/context.ts';
import { frozenBuyer, frozenSeller, type FrozenBuyer, type FrozenSeller } from '../../documents/document-source.ts';
import { found } from '../../errors.ts';

// The seller and the buyer of an invoice. Those of an issued invoice are as they were when it was issued, whatever changes
// afterwards: a trigger writes them (prisma/migrations/20261124000000_baseline/migration.sql).

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
export async function findParties(context: Context, invoice: { id: string; customerId: string }): Promise<Parties> {
  const frozen = await frozenParties(invoice.id, context);
  return frozen ? readParties(context, frozen) : findPartiesOfDraft(context, invoice.customerId);
}

/** The parties of an invoice that isn't issued, as it would be issued now. @throws NotFoundError */
export const findPartiesOfDraft = async (context: Context, customerId: string): Promise<Parties> =>
  readParties(context, await found(currentParties(customerId, context)));

const readParties = (context: Context, { seller, buyer }: StoredParties): Parties => ({
  seller: readSeller(context, seller),
  buyer: frozenBuyer.parse(buyer),
});

/** @param profile the columns of the company profile; null without one: then the tenant's name and country are known */
function readSeller({ tenant }: Context, profile: unknown): FrozenSeller {
  if (profile === null) return { legal_name: tenant.name, country: tenant.country };
  const seller = frozenSeller.parse(profile);
  return { ...seller, country: seller.country ?? tenant.country };
}
