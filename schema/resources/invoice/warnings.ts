import { findLanguage } from '../../codes/languages.ts';
import { isVatNumber } from '../../codes/vat-number.ts';
import { homeCurrencies } from '../../codes/home-currencies.ts';
import { getPlace, getVatCountry, memberStates } from '../../codes/vat-territory.ts';
import { builder } from '../../graphql/builder.ts';
import type { Context } from '../../graphql/context.ts';
import type { VatCategory } from '../../money/vat-categories.ts';
import { findBefore, getOrderWarnings } from '../document/issue-date.ts';
import { WarningType, type Warning } from '../warning.ts';
import { wasPaidWhenIssued } from './balance.ts';
import { InvoiceCheckType, type InvoiceCheck, type WarnedCode } from './checklist.ts';
import { getVatCategory } from './line.ts';
import { findParties, findPartiesOfDraft, knownTerms, type Parties, type WithKnownTerms } from './parties.ts';
import { byPosition, Invoice } from './type.ts';
import { treatments } from './vat-treatment.ts';

// Checks of the details that an invoice must have, or should. The law is that of the country where the seller is taxed:
// Germany, Austria, or the directive that the other member states' laws follow.

/** § and number of UStG in Germany and Austria; article of Directive 2006/112/EC elsewhere in the EU. */
type Jurisdiction = 'DE' | 'AT' | 'EU';

/** The part of an invoice that is checked. */
interface CheckedInvoice {
  deliveryDate: Date | null;
  currency: string;
  exchangeRate: unknown;
  /** Whether it is paid in full when it is issued. */
  isPaid: boolean;
  /** Warnings about its date among those of its series. */
  orderWarnings: Warning[];
  /** By position. */
  items: (Parameters<typeof getVatCategory>[0] &
    Record<'servicePeriodStart' | 'servicePeriodEnd', Date | null> & { exemptionReason: string | null })[];
}

/** The facts that the checks look at, collected in one pass over the items. */
interface Subject extends Parties {
  /** The country where the seller is taxed. */
  sellerCountry: string | undefined;
  isPaid: boolean;
  orderWarnings: Warning[];
  currency: string;
  hasExchangeRate: boolean;
  hasServiceDate: boolean;
  /** The index of the first item of each VAT category. */
  firstItems: ReadonlyMap<VatCategory, number>;
  /** The index of the first exempt item without a reason. */
  unexplainedItem: number | undefined;
}

interface Finding {
  field: string;
  message: string;
}

type Law = Partial<Record<Jurisdiction, string>>;

interface Check {
  code: WarnedCode;
  /** Where the law says it; a check is made only where it does. Undefined: no law, but nobody wants it otherwise. */
  law?: Law;
  /** @returns undefined where such an invoice need not have it */
  find: (subject: Subject) => Finding[] | undefined;
}

/** A detail that the law demands and no invoice can lack: its fields are required, or issuing sets them. */
interface Given {
  code: 'INVOICE_DATE' | 'NUMBER' | 'ITEMS' | 'AMOUNTS';
  law: Law;
}

const partsOfAddress = [
  ['address_line1', 'street'],
  ['postal_code', 'postal code'],
  ['city', 'city'],
  ['country', 'country'],
] as const;

/** @param owner as REST's fields are named */
const findMissingAddress =
  (owner: 'company' | 'customer') =>
  ({ seller, buyer }: Subject): Finding[] => {
    const party = owner === 'company' ? seller : buyer;
    const missing: string[] = [];
    let field: string | undefined;
    for (const [name, part] of partsOfAddress) {
      if (party[name]?.trim()) continue;
      field ??= `${owner}.${name}`;
      missing.push(part);
    }
    if (field === undefined) return [];
    const last = missing.pop();
    const listed = missing.length > 0 ? `${missing.join(', ')} and ${last}` : last;
    return [{ field, message: `The ${owner}'s address has no ${listed}.` }];
  };

function findMissingTaxNumber({ seller: { vat_id, tax_number }, sellerCountry, firstItems }: Subject): Finding[] {
  if (vat_id) return [];
  const field = 'company.vat_id';
  if (firstItems.has('AE') || firstItems.has('K') || firstItems.has('G'))
    return [{ field, message: 'The company has no VAT number, which invoices across borders need.' }];
  const isTaxed = firstItems.has('S') || firstItems.has('Z');
  if (sellerCountry === 'DE' || !isTaxed)
    return tax_number ? [] : [{ field, message: 'The company has neither a VAT number nor a tax number.' }];
  return [{ field, message: 'The company has no VAT number.' }];
}

function findMissingBuyerVatNumber({ buyer: { vat_id }, firstItems }: Subject): Finding[] | undefined {
  if (!firstItems.has('AE') && !firstItems.has('K')) return undefined;
  const field = 'customer.vat_id';
  if (!vat_id)
    return [
      { field, message: 'The customer has no VAT number, which reverse charge and supplies within the EU need.' },
    ];
  return isVatNumber(vat_id)
    ? []
    : [{ field, message: "The customer's VAT number has not the form of its country's numbers." }];
}

function findUnusualCategories({ seller, buyer, firstItems }: Subject): Finding[] | undefined {
  const place = getPlace(seller, buyer);
  if (!place) return undefined;
  const { unusual, reason } = treatments[place];
  const findings: Finding[] = [];
  for (const category of unusual) {
    const at = firstItems.get(category);
    if (at === undefined) continue;
    const what = category === 'S' ? 'VAT is charged (S)' : `The VAT category is ${category}`;
    const message = `${what}, but ${reason(getVatCountry(buyer) ?? '')}.`;
    findings.push({ field: `items.${at}.vat_category`, message });
  }
  return findings;
}

/** Where the currency in which the seller owes its VAT isn't the invoice's. */
function findMissingRate({ seller, currency, firstItems, hasExchangeRate }: Subject): Finding[] | undefined {
  const home = homeCurrencies.get(seller.country ?? '') ?? currency;
  if (!firstItems.has('S') || home === currency) return undefined;
  return hasExchangeRate
    ? []
    : [{ field: 'exchange_rate', message: `No exchange rate is given, so the VAT isn't stated in ${home}.` }];
}

const checks: readonly (Check | Given)[] = [
  {
    code: 'SELLER_ADDRESS',
    law: { DE: '§ 14 (4) No. 1', AT: '§ 11 (1) No. 3 a', EU: 'Art. 226 (5)' },
    find: findMissingAddress('company'),
  },
  {
    code: 'BUYER_ADDRESS',
    law: { DE: '§ 14 (4) No. 1', AT: '§ 11 (1) No. 3 b', EU: 'Art. 226 (5)' },
    find: findMissingAddress('customer'),
  },
  {
    code: 'SELLER_TAX_NUMBER',
    law: { DE: '§ 14 (4) No. 2', AT: '§ 11 (1) No. 3 i', EU: 'Art. 226 (3)' },
    find: findMissingTaxNumber,
  },
  {
    code: 'BUYER_VAT_ID',
    law: { DE: '§ 14a (1), (3)', AT: '§ 11 (1a)', EU: 'Art. 226 (4)' },
    find: findMissingBuyerVatNumber,
  },
  { code: 'INVOICE_DATE', law: { DE: '§ 14 (4) No. 3', AT: '§ 11 (1) No. 3 g', EU: 'Art. 226 (1)' } },
  { code: 'NUMBER', law: { DE: '§ 14 (4) No. 4', AT: '§ 11 (1) No. 3 h', EU: 'Art. 226 (2)' } },
  { code: 'ITEMS', law: { DE: '§ 14 (4) No. 5', AT: '§ 11 (1) No. 3 c', EU: 'Art. 226 (6)' } },
  {
    code: 'SERVICE_DATE',
    // Elsewhere in the EU, the date is needed only where it differs from the invoice's (Art. 226 (7)).
    law: { DE: '§ 14 (4) No. 6', AT: '§ 11 (1) No. 3 d' },
    find: ({ hasServiceDate }) =>
      hasServiceDate
        ? []
        : [
            {
              field: 'delivery_date',
              message: "No date of supply is given, so the document says that it is the invoice's date.",
            },
          ],
  },
  {
    code: 'AMOUNTS',
    law: { DE: '§ 14 (4) No. 7, 8', AT: '§ 11 (1) No. 3 e, f', EU: 'Art. 226 (8), (9), (10)' },
  },
  {
    code: 'EXEMPTION_REASON',
    law: { DE: '§ 14 (4) No. 8', AT: '§ 11 (1) No. 3 e', EU: 'Art. 226 (11)' },
    find: ({ firstItems, unexplainedItem: at }) => {
      if (!firstItems.has('E')) return undefined;
      const field = `items.${at}.exemption_reason`;
      return at === undefined ? [] : [{ field, message: 'An exempt item needs the reason why no VAT is charged.' }];
    },
  },
  {
    code: 'VAT_CATEGORY',
    law: { DE: '§ 14 (4) No. 8', AT: '§ 11 (1) No. 3 e', EU: 'Art. 226 (11), (11a)' },
    find: findUnusualCategories,
  },
  {
    code: 'EXCHANGE_RATE',
    law: { DE: '§ 16 (6)', AT: '§ 11 (1) No. 3 f', EU: 'Art. 230' },
    find: findMissingRate,
  },
  {
    code: 'DATE_ORDER',
    // No demand of the law: it is named only where the order is another one.
    find: ({ orderWarnings }) => (orderWarnings.length > 0 ? orderWarnings : undefined),
  },
  {
    code: 'BANK_ACCOUNT',
    find: ({ isPaid, seller }) => {
      if (isPaid) return undefined;
      const message = "The company has no IBAN, so the document doesn't say where to pay.";
      return seller.iban ? [] : [{ field: 'company.iban', message }];
    },
  },
  {
    code: 'LANGUAGE',
    // A company that says it is asked first: the language of the buyer's country takes long to find.
    find: (subject) =>
      (subject.seller.language ?? findLanguage(subject))
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

function findJurisdiction(country: string | undefined): Jurisdiction | undefined {
  if (country === 'DE' || country === 'AT') return country;
  return country !== undefined && memberStates.has(country) ? 'EU' : undefined;
}

function toSubject(
  { deliveryDate, isPaid, orderWarnings, items, currency, exchangeRate }: CheckedInvoice,
  { seller, buyer }: Parties,
): Subject {
  const firstItems = new Map<VatCategory, number>();
  let hasServiceDate = deliveryDate !== null;
  let unexplainedItem: number | undefined;
  for (const [at, item] of items.entries()) {
    const category = getVatCategory(item);
    if (!firstItems.has(category)) firstItems.set(category, at);
    if (item.servicePeriodStart ?? item.servicePeriodEnd) hasServiceDate = true;
    if (category === 'E' && !item.exemptionReason) unexplainedItem ??= at;
  }
  const hasExchangeRate = exchangeRate != null;
  const found = { hasExchangeRate, hasServiceDate, firstItems, unexplainedItem };
  return { seller, buyer, sellerCountry: getVatCountry(seller), isPaid, orderWarnings, currency, ...found };
}

/** Checks the details that an invoice must have, or should. A detail that is missing or probably wrong has warnings. */
export function checkInvoice(invoice: CheckedInvoice, parties: Parties): InvoiceCheck[] {
  const subject = toSubject(invoice, parties);
  const jurisdiction = findJurisdiction(subject.sellerCountry);
  const made: InvoiceCheck[] = [];
  for (const check of checks) {
    const place = jurisdiction && check.law?.[jurisdiction];
    if (check.law && place === undefined) continue;
    const law = place === undefined ? null : `${place} ${lawNames[jurisdiction as Jurisdiction]}`;
    if (!('find' in check)) {
      made.push({ code: check.code, law, warnings: [] });
      continue;
    }
    const { code, find } = check;
    const found = find(subject);
    if (!found) continue;
    const warnings: Warning[] = [];
    for (const { field, message } of found)
      warnings.push({ code, field, message: law === null ? message : `${message.slice(0, -1)} (${law}).` });
    made.push({ code, law, warnings });
  }
  return made;
}

/** Warnings of missing or probably wrong details in an invoice as issued; in a draft, as it would be issued now. */
export const findInvoiceWarnings = (invoice: CheckedInvoice, parties: Parties): Warning[] =>
  checkInvoice(invoice, parties).flatMap(({ warnings }) => warnings);

const checkedColumns = {
  id: true,
  customerId: true,
  number: true,
  invoiceDate: true,
  deliveryDate: true,
  currency: true,
  exchangeRate: true,
  issuedAt: true,
  paidAt: true,
  items: byPosition,
} as const;

type StoredInvoice = Omit<CheckedInvoice, 'isPaid' | 'orderWarnings'> &
  Parameters<typeof wasPaidWhenIssued>[0] & {
    id: string;
    customerId: string;
    number: string | null;
    invoiceDate: Date;
  };

async function checkStored(invoice: StoredInvoice, context: Context): Promise<InvoiceCheck[]> {
  const { number, invoiceDate: day } = invoice;
  const place = { number, day };
  const isDraft = number === null;
  const known = (invoice as WithKnownTerms<StoredInvoice>)[knownTerms];
  const parties =
    known?.parties ??
    (await (isDraft ? findPartiesOfDraft(context, invoice.customerId) : findParties(context, invoice)));
  const before = known?.before === undefined ? await findBefore(context, 'Invoice', place) : known.before;
  const orderWarnings = getOrderWarnings('Invoice', place, before);
  return checkInvoice({ ...invoice, isPaid: !isDraft && wasPaidWhenIssued(invoice), orderWarnings }, parties);
}

builder.prismaObjectFields(Invoice, (t) => ({
  warnings: t.field({
    type: [WarningType],
    description:
      'What is missing or probably wrong: in a draft as it would be issued now, in an issued invoice as it was issued.',
    select: checkedColumns,
    resolve: async (invoice, _args, context) =>
      (await checkStored(invoice, context)).flatMap(({ warnings }) => warnings),
  }),
  checklist: t.field({
    type: [InvoiceCheckType],
    description:
      'What the law of the seller’s country demands of this invoice, and what else is wanted: each with the `warnings` about it.',
    select: checkedColumns,
    resolve: (invoice, _args, context) => checkStored(invoice, context),
  }),
}));
