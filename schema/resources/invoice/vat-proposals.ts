import { builder } from '../../graphql/builder.ts';
import { chooseLanguage } from '../../codes/languages.ts';
import type { VatCategory } from '../../money/vat-categories.ts';
import { usualVatCategory } from './line.ts';
import type { Context } from '../../graphql/context.ts';
import { usualReason } from '../../documents/pdf/vat-notes.ts';
import { Decimal } from '../../money/money.ts';
import { findCompany } from '../company/queries.ts';
import { findPartiesOfDraft, type Parties } from './parties.ts';
import { treatments, type Supply } from './vat-treatment.ts';
import { getPlace } from '../../codes/vat-territory.ts';

/** The VAT that a whole invoice usually has. */
export interface VatProposal {
  supply: Supply;
  vatCategory: VatCategory;
  /** Null where VAT is charged, and the company has no usual rate. */
  vatRate: Decimal | null;
  exemptionReason: string | null;
}

/** @param usualRate the company's; null without one */
function proposeVat(supply: Supply, { seller, buyer }: Parties, usualRate: Decimal | null): VatProposal {
  const place = getPlace(seller, buyer);
  const category = place ? treatments[place].usual[supply] : 'S';
  if (category === 'S') {
    const vatCategory = usualRate ? usualVatCategory(usualRate) : category;
    return { supply, vatCategory, vatRate: usualRate, exemptionReason: null };
  }
  const countries = { from: seller.country ?? undefined, to: buyer.country ?? undefined };
  const reason = usualReason(category, countries, chooseLanguage({ seller, buyer }));
  return { supply, vatCategory: category, vatRate: new Decimal(0), exemptionReason: reason ?? null };
}

/** The usual VAT of invoices to a customer: for services, and for goods. @throws NotFoundError */
export async function findVatProposals(context: Context, customerId: string): Promise<Record<Supply, VatProposal>> {
  const [parties, company] = await Promise.all([findPartiesOfDraft(context, customerId), findCompany(context)]);
  const usualRate = company?.defaultVatRate ? new Decimal(company.defaultVatRate.toFixed()) : null;
  return {
    SERVICES: proposeVat('SERVICES', parties, usualRate),
    GOODS: proposeVat('GOODS', parties, usualRate),
  };
}

const SupplyType = builder.enumType('Supply', {
  description: 'What is sold.',
  values: {
    SERVICES: { description: 'Services, such as time that is billed.' },
    GOODS: { description: 'Goods that are sent to the customer.' },
  } satisfies Record<Supply, object>,
});

const VatProposalType = builder.objectRef<VatProposal>('VatProposal').implement({
  description: 'The VAT that all items of an invoice usually have.',
  fields: (t) => ({
    supply: t.expose('supply', { type: SupplyType, description: 'For what.' }),
    vatCategory: t.exposeString('vatCategory', { description: 'S, Z, AE, K, G, or O.' }),
    vatRate: t.expose('vatRate', {
      type: 'Decimal',
      nullable: true,
      description: 'Per cent; null where VAT is charged, and the company profile has no usual rate.',
    }),
    exemptionReason: t.exposeString('exemptionReason', {
      nullable: true,
      description: "Why no VAT is charged, in the document's language; null where VAT is charged.",
    }),
  }),
});

builder.queryField('vatProposals', (t) =>
  t.field({
    type: [VatProposalType],
    nullable: true,
    description:
      'The VAT that invoices to a customer usually have, by the countries and VAT numbers of company and customer: for services, and for goods. It is only a proposal: there are exceptions, which depend on what is sold.',
    ability: 'invoices:read',
    args: { customerId: t.arg({ type: 'UUID', required: true, description: 'The customer.' }) },
    resolve: async (_root, { customerId }, context) => Object.values(await findVatProposals(context, customerId)),
  }),
);
