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

/** The columns of the company profile, null if there is none, and those of the customer; by the id that was looked up. */
interface StoredParties {
  id: string;
  seller: unknown;
  buyer: unknown;
}

const frozenParties = batchPerRequest(
  async (invoiceIds, context: Context) =>
    readParties(
      context,
      await context.db.$rows<StoredParties>(
        'select id, seller, buyer from invoice_parties where tenant_id = $1 and id = any($2::uuid[])',
        [invoiceIds],
      ),
    ),
  null,
);

const currentParties = batchPerRequest(
  async (customerIds, context: Context) =>
    readParties(
      context,
      await context.db.$rows<StoredParties>(
        `select customer.id, to_jsonb(company) as seller, to_jsonb(customer) as buyer
         from customers as customer left join companies as company on company.tenant_id = customer.tenant_id
         where customer.tenant_id = $1 and customer.id = any($2::uuid[])`,
        [customerIds],
      ),
    ),
  null,
);

/** Without a company profile, the tenant's name and country are known of the seller. */
function readParties({ tenant }: Context, rows: StoredParties[]): Map<string, Parties | null> {
  const parties = new Map<string, Parties | null>();
  for (const { id, seller: profile, buyer } of rows) {
    const seller = profile === null ? { legal_name: tenant.name } : frozenSeller.parse(profile);
    parties.set(id, {
      seller: { ...seller, country: seller.country ?? tenant.country },
      buyer: frozenBuyer.parse(buyer),
    });
  }
  return parties;
}

/** The parties of an invoice: as it was issued; of a draft, as it would be issued now. @throws NotFoundError */
export const findParties = async (context: Context, invoice: { id: string; customerId: string }): Promise<Parties> =>
  (await frozenParties(invoice.id, context)) ?? findPartiesOfDraft(context, invoice.customerId);

/** The parties of an invoice that isn't issued, as it would be issued now. @throws NotFoundError */
export const findPartiesOfDraft = (context: Context, customerId: string): Promise<Parties> =>
  found(currentParties(customerId, context));
