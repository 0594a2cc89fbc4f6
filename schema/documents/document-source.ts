import { z } from 'zod';
import type { VatCategory } from '../money/vat-categories.ts';
import type { Period } from './e-invoice/model.ts';

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

/** The source of an invoice's or credit note's files. It has plain values only, because another thread gets it. */
export interface DocumentSource {
  /** Whether it is a document of a test tenant. */
  test: boolean;
  /** Null for a draft. */
  number: string | null;
  /** Days are YYYY-MM-DD. */
  date: string;
  /** Null for a credit note. */
  dueDate: string | null;
  /** The day of the supply, where it was given; a credit note's is its invoice's. */
  deliveryDate: string | null;
  /** The subject of an invoice; a credit note's reason. */
  subject: string | null;
  currency: string;
  /** The exchange rate into the currency of the company's country; null where nobody gave one. Decimals are texts. */
  exchange: { rate: string; day: string; source: string | null; currency: string } | null;
  /** Whether it was paid in full when it was issued. */
  isPaid: boolean;
  /** The invoice that a credit note takes back, with the service period of all its lines; null for an invoice. */
  credited: { number: string; date: string; period: Period | null; isCancelled: boolean } | null;
  seller: FrozenSeller;
  buyer: FrozenBuyer;
  lines: SourceLine[];
  /** VAT per category and rate, as it was issued. */
  vatBreakdown: SourceShare[];
}

/** Decimals are texts. */
export interface SourceShare {
  vatCategory: VatCategory;
  vatRate: string;
  net: string;
  vat: string;
  exemptionReason: string | null;
}

/** Decimals are texts. */
export interface SourceLine {
  title: string;
  description: string | null;
  quantity: string;
  unit: string | null;
  unitCode: string;
  unitPriceNet: string;
  discountPercent: string;
  lineTotalNet: string;
  vatCategory: VatCategory;
  vatRate: string;
  exemptionReason: string | null;
  servicePeriodStart: string | null;
  servicePeriodEnd: string | null;
}
