import { builder } from '../../graphql/builder.ts';
import { Invoice, byPosition } from './type.ts';
import { WarningType, type WarningCode, type Warning } from '../warning.ts';
import { findPartiesOfDraft, findParties } from './parties.ts';
import { buildSource } from '../document/read-source.ts';
import type { DocumentSource } from '../../documents/document-source.ts';
import type { VatCategory } from '../../money/vat-categories.ts';
import { getVatCountry, isMemberState } from '../../codes/eu-countries.ts';
import { isVatNumber } from '../../codes/vat-number.ts';
import { getPlace, treatments } from './vat-treatment.ts';
import { chosenLanguage } from '../../codes/languages.ts';

// What an invoice must say, or should, and doesn't. The law is that of the country where the seller is taxed: Germany,
// Austria, or the directive that the other member states' laws follow.

/** § and number of UStG in Germany and Austria; article of Directive 2006/112/EC elsewhere in the EU. */
type Jurisdiction = 'DE' | 'AT' | 'EU';

interface Finding {
  field: string;
  message: string;
}

interface InvoiceRule {
  code: WarningCode;
  /** Where the law says it; a rule holds only where it does. Undefined: no law, but nobody wants it otherwise. */
  law?: Partial<Record<Jurisdiction, string>>;
  find: (source: DocumentSource, firstLines: FirstLines) => Finding[];
}

/** The index of the first line of each VAT category. */
type FirstLines = ReadonlyMap<VatCategory, number>;

type PartyAddress = Record<'address_line1' | 'postal_code' | 'city' | 'country', string | null | undefined>;

const partsOfAddress = {
  address_line1: 'street',
  postal_code: 'postal code',
  city: 'city',
  country: 'country',
} as const satisfies Record<keyof PartyAddress, string>;

/** @param owner "company" or "customer", as REST's fields are named */
function missingAddress(owner: string, party: Partial<PartyAddress>): Finding[] {
  const names = Object.keys(partsOfAddress) as (keyof PartyAddress)[];
  const missing = names.filter((name) => !party[name]?.trim());
  if (missing[0] === undefined) return [];
  const parts = missing.map((name) => partsOfAddress[name]);
  const listed = parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}` : parts[0];
  return [{ field: `${owner}.${missing[0]}`, message: `The ${owner}'s address has no ${listed}.` }];
}

function missingTaxNumber(source: DocumentSource, firstLines: FirstLines): Finding[] {
  const { vat_id, tax_number } = source.seller;
  if (vat_id) return [];
  const field = 'company.vat_id';
  if (firstLines.has('AE') || firstLines.has('K') || firstLines.has('G'))
    return [{ field, message: 'The company has no VAT number, which invoices across borders need.' }];
  const isTaxed = firstLines.has('S') || firstLines.has('Z');
  if (getVatCountry(source.seller) === 'DE' || !isTaxed)
    return tax_number ? [] : [{ field, message: 'The company has neither a VAT number nor a tax number.' }];
  return [{ field, message: 'The company has no VAT number.' }];
}

function missingBuyerVatNumber({ buyer: { vat_id } }: DocumentSource, firstLines: FirstLines): Finding[] {
  if (!firstLines.has('AE') && !firstLines.has('K')) return [];
  const field = 'customer.vat_id';
  if (!vat_id)
    return [
      { field, message: 'The customer has no VAT number, which reverse charge and supplies within the EU need.' },
    ];
  return isVatNumber(vat_id)
    ? []
    : [{ field, message: "The customer's VAT number has not the form of its country's numbers." }];
}

function missingServiceDate(source: DocumentSource): Finding[] {
  const hasPeriod = source.lines.some(({ servicePeriodStart: start, servicePeriodEnd: end }) => start ?? end);
  if (source.deliveryDate !== null || hasPeriod) return [];
  const message = "No date of supply is given, so the document says that it is the invoice's date.";
  return [{ field: 'delivery_date', message }];
}

function missingReason(source: DocumentSource): Finding[] {
  const at = source.lines.findIndex(({ vatCategory, exemptionReason }) => vatCategory === 'E' && !exemptionReason);
  return at === -1
    ? []
    : [{ field: `items.${at}.exemption_reason`, message: 'An exempt item needs the reason why no VAT is charged.' }];
}

function unusualCategories({ seller, buyer }: DocumentSource, firstLines: FirstLines): Finding[] {
  const place = getPlace(seller, buyer);
  if (!place) return [];
  const { unusual, reason } = treatments[place];
  const why = reason(getVatCountry(buyer) ?? '');
  return unusual.flatMap((category) => {
    const at = firstLines.get(category);
    const what = category === 'S' ? 'VAT is charged (S)' : `The VAT category is ${category}`;
    return at === undefined ? [] : [{ field: `items.${at}.vat_category`, message: `${what}, but ${why}.` }];
  });
}

const rules: readonly InvoiceRule[] = [
  {
    code: 'SELLER_ADDRESS',
    law: { DE: '§ 14 (4) No. 1', AT: '§ 11 (1) No. 3 a', EU: 'Art. 226 (5)' },
    find: ({ seller }) => missingAddress('company', seller),
  },
  {
    code: 'BUYER_ADDRESS',
    law: { DE: '§ 14 (4) No. 1', AT: '§ 11 (1) No. 3 b', EU: 'Art. 226 (5)' },
    find: ({ buyer }) => missingAddress('customer', buyer),
  },
  {
    code: 'SELLER_TAX_NUMBER',
    law: { DE: '§ 14 (4) No. 2', AT: '§ 11 (1) No. 3 i', EU: 'Art. 226 (3)' },
    find: missingTaxNumber,
  },
  {
    code: 'BUYER_VAT_ID',
    law: { DE: '§ 14a (1), (3)', AT: '§ 11 (1a)', EU: 'Art. 226 (4)' },
    find: missingBuyerVatNumber,
  },
  {
    code: 'SERVICE_DATE',
    // Elsewhere in the EU, the date is needed only where it differs from the invoice's (Art. 226 (7)).
    law: { DE: '§ 14 (4) No. 6', AT: '§ 11 (1) No. 3 d' },
    find: missingServiceDate,
  },
  {
    code: 'EXEMPTION_REASON',
    law: { DE: '§ 14 (4) No. 8', AT: '§ 11 (1) No. 3 e', EU: 'Art. 226 (11)' },
    find: missingReason,
  },
  {
    code: 'VAT_CATEGORY',
    law: { DE: '§ 14 (4) No. 8', AT: '§ 11 (1) No. 3 e', EU: 'Art. 226 (11), (11a)' },
    find: unusualCategories,
  },
  {
    code: 'BANK_ACCOUNT',
    find: ({ seller, isPaid }) =>
      seller.iban || isPaid
        ? []
        : [{ field: 'company.iban', message: "The company has no IBAN, so the document doesn't say where to pay." }],
  },
  {
    code: 'LANGUAGE',
    find: (source) =>
      chosenLanguage(source)
        ? []
        : [
            {
              field: 'company.language',
              message: 'Nothing says the language of documents, so this one is in English.',
            },
          ],
  },
];

const lawNames: Record<Jurisdiction, string> = { DE: 'UStG', AT: 'UStG 1994', EU: 'Directive 2006/112/EC' };

function findJurisdiction({ seller }: DocumentSource): Jurisdiction | undefined {
  const country = getVatCountry(seller);
  if (country === 'DE' || country === 'AT') return country;
  return country !== undefined && isMemberState(country) ? 'EU' : undefined;
}

/** What is missing or probably wrong in an invoice, as it was issued; in a draft, as it would be issued now. */
export function findInvoiceWarnings(source: DocumentSource): Warning[] {
  const jurisdiction = findJurisdiction(source);
  const firstLines = new Map<VatCategory, number>();
  for (const [at, { vatCategory }] of source.lines.entries())
    if (!firstLines.has(vatCategory)) firstLines.set(vatCategory, at);
  const warnings: Warning[] = [];
  for (const { code, law, find } of rules) {
    const place = jurisdiction && law?.[jurisdiction];
    if (law && place === undefined) continue;
    const basis = place === undefined ? '' : ` (${place} ${lawNames[jurisdiction as Jurisdiction]})`;
    for (const { field, message } of find(source, firstLines))
      warnings.push({ code, field, message: basis === '' ? message : `${message.slice(0, -1)}${basis}.` });
  }
  return warnings;
}

builder.prismaObjectField(Invoice, 'warnings', (t) =>
  t.field({
    type: [WarningType],
    description:
      'What is missing or probably wrong: in a draft as it would be issued now, in an issued invoice as it was issued.',
    select: {
      id: true,
      customerId: true,
      number: true,
      invoiceDate: true,
      dueDate: true,
      deliveryDate: true,
      subject: true,
      currency: true,
      issuedAt: true,
      paidAt: true,
      items: byPosition,
    },
    resolve: async (invoice, _args, context) => {
      const isDraft = invoice.number === null;
      const parties = await (isDraft ? findPartiesOfDraft(context, invoice.customerId) : findParties(context, invoice));
      return findInvoiceWarnings(buildSource(invoice, invoice.items, parties));
    },
  }),
);
