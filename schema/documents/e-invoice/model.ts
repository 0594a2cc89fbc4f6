import type { VatCategory } from '../../money/vat-categories.ts';
import type { Decimal } from '../../money/decimal.ts';

export type { VatCategory };

// The semantic model of EN 16931-1:2017: what an invoice says, without a syntax. The names are the standard's business
// terms (BT) and groups of them (BG), in the standard's order. Every document is made from it: CII, UBL, and PDF.
//
// Dates are days, YYYY-MM-DD. Amounts are in the document's currency and have at most its minor digits. Values that
// an invoice doesn't have are undefined.

/** UNTDID 1001: 380 commercial invoice, 381 credit note. A cancellation is a credit note over the whole invoice. */
export type TypeCode = '380' | '381';

/** An electronic invoice or credit note. */
export interface EInvoice {
  /** BT-1. Undefined for a draft, of which only a PDF with a watermark is made; see `isNumbered()`. */
  number: string | undefined;
  /** BT-2. */
  issueDate: string;
  /** BT-3. */
  typeCode: TypeCode;
  /** BT-5, ISO 4217. */
  currency: string;
  /** The VAT in the currency of the seller's country, where that is another one, and there is VAT. */
  accounting: AccountingVat | undefined;
  /** BT-9. */
  dueDate: string | undefined;
  /** BT-10: for German authorities the Leitweg-ID. */
  buyerReference: string | undefined;
  /** BT-20, in the document's language. */
  paymentTerms: string | undefined;
  /** BG-1, BT-22: free texts, such as the subject and the seller's footer. */
  notes: string[];
  /** BG-3: the invoice that a credit note refers to. */
  precedingInvoice: PrecedingInvoice | undefined;
  /** BG-4. */
  seller: Seller;
  /** BG-7. */
  buyer: Buyer;
  /** BG-13. */
  delivery: Delivery;
  /** BG-16. Undefined if the seller has no account. */
  payment: CreditTransfer | undefined;
  /** BG-22. */
  totals: Totals;
  /** BG-23, one for each category and rate, ordered by rate, then category. */
  vatBreakdown: VatBreakdown[];
  /** BG-25, by position. */
  lines: Line[];
}

/** An invoice that has its number: an e-invoice can be made of it. */
export type NumberedEInvoice = EInvoice & { number: string };

export const isNumbered = (invoice: EInvoice): invoice is NumberedEInvoice => invoice.number !== undefined;

export interface AccountingVat {
  /** BT-6, ISO 4217. */
  currency: string;
  /** BT-111. */
  vat: Decimal;
  /** The worth of one unit of BT-5 in BT-6: for the PDF. */
  rate: Decimal;
  /** The day of the rate. */
  day: string;
  /** Who publishes the rate. */
  source: string | undefined;
}

export interface PrecedingInvoice {
  /** BT-25. */
  number: string;
  /** BT-26. */
  issueDate: string;
}

export interface Party {
  /** BT-27 and BT-44: the legal name. */
  name: string;
  /** BT-31 and BT-48: with the country's prefix. */
  vatId: string | undefined;
  /** BT-34 and BT-49, with the scheme's code of the EAS list. */
  electronicAddress: { value: string; scheme: string } | undefined;
  /** BG-5 and BG-8. */
  address: Address;
  /** BG-6 and BG-9. */
  contact: Contact;
}

export interface Seller extends Party {
  /** BT-30: the number under which the seller is registered, with the scheme's code of the ICD list. */
  registrationNumber: { value: string; scheme: string } | undefined;
  /** BT-33, or BT-30 without a number: the entry in the commercial register, as written: HRB 12345, Amtsgericht Berlin. */
  registerEntry: string | undefined;
  /** BT-32: the tax number of the local tax office. */
  taxNumber: string | undefined;
}

export type Buyer = Party;

export interface Address {
  /** BT-35 and BT-50: street and number. */
  line1: string | undefined;
  /** BT-36 and BT-51. */
  line2: string | undefined;
  /** BT-37 and BT-52. */
  city: string | undefined;
  /** BT-38 and BT-53. */
  postalCode: string | undefined;
  /** BT-40 and BT-55, ISO 3166-1 alpha-2. The standard demands it (BR-9, BR-11); a customer may lack it. */
  country: string | undefined;
}

export interface Contact {
  /** BT-41 and BT-56. */
  name: string | undefined;
  /** BT-42 and BT-57. */
  phone: string | undefined;
  /** BT-43 and BT-58. */
  email: string | undefined;
}

export interface Delivery {
  /** BT-72: when the goods or services were delivered, if it was one day. */
  date: string | undefined;
  /** BG-14: from the first to the last day of the lines' service periods. */
  period: Period | undefined;
  /** BT-77. XRechnung demands it together with the country (BR-DE-10). */
  city: string | undefined;
  /** BT-78. XRechnung demands it together with the country (BR-DE-11). */
  postalCode: string | undefined;
  /** BT-80. An intra-community supply demands it (BR-IC-12): the buyer's country. */
  country: string | undefined;
}

export interface Period {
  /** BT-73 and BT-134. */
  start: string;
  /** BT-74 and BT-135. */
  end: string;
}

/** BG-17. The means of payment (BT-81) follow from the currency: see `paymentMeansCode()`. */
export interface CreditTransfer {
  /** BT-83: what the payer is to write: the invoice's number. */
  reference: string | undefined;
  /** BT-84. */
  iban: string;
  /** BT-85. */
  accountName: string;
  /** BT-86. */
  bic: string | undefined;
}

export interface Totals {
  /** BT-106, and BT-109, since there are no allowances or charges of the whole document: the sum of the lines. */
  net: Decimal;
  /** BT-110. */
  vat: Decimal;
  /** BT-112. */
  gross: Decimal;
  /** BT-113. */
  paid: Decimal;
  /** BT-115: gross minus paid. */
  due: Decimal;
}

export interface VatBreakdown {
  /** BT-116. */
  net: Decimal;
  /** BT-117. */
  vat: Decimal;
  /** BT-118. */
  category: VatCategory;
  /** BT-119, per cent. 0 for all categories but S. */
  rate: Decimal;
  /** BT-120: why there is no VAT, for E, AE, K, G, and O. */
  exemptionReason: string | undefined;
}

export interface Line {
  /** BT-126: its position, from 1. */
  id: string;
  /** BT-129. Negative for a deduction. */
  quantity: Decimal;
  /** BT-130: UN/ECE Recommendation 20. */
  unitCode: string;
  /** The unit as people read it, for the PDF. */
  unit: string | undefined;
  /** BT-131: quantity times price, minus the discount. */
  net: Decimal;
  /** BG-26. */
  period: Period | undefined;
  /** BG-27: a discount in per cent. */
  discount: Discount | undefined;
  /** BT-146: the price of one unit. */
  unitPrice: Decimal;
  /** BT-151. */
  vatCategory: VatCategory;
  /** BT-152, per cent. */
  vatRate: Decimal;
  /** BT-153. */
  name: string;
  /** BT-154. */
  description: string | undefined;
}

export interface Discount {
  /** BT-136: base minus the line's net amount. */
  amount: Decimal;
  /** BT-137: quantity times price, rounded. */
  base: Decimal;
  /** BT-138. */
  percent: Decimal;
}
