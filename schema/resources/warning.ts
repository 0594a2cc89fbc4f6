import { builder } from '../graphql/builder.ts';
import { describedEnum } from '../graphql/described-enum.ts';

/** The codes of warnings, each with an explanation. REST has the codes in lower case. */
const codes = {
  SELLER_ADDRESS: "The company's address is missing or incomplete.",
  BUYER_ADDRESS: "The customer's address is missing or incomplete.",
  SELLER_TAX_NUMBER: 'The company has no VAT number and no tax number, or not the one that this invoice needs.',
  BANK_ACCOUNT: "The company has no IBAN, so the document doesn't say where to pay.",
  SERVICE_DATE: 'No date of supply is given, so the document says that it is the date of the invoice.',
  EXCHANGE_RATE: 'The document has VAT in a foreign currency, and no exchange rate.',
  LANGUAGE: 'Nothing says in which language the document should be, so it is English.',
  BUYER_VAT_ID:
    "The customer's VAT number is missing or has not the form of its country, and an item's VAT category needs it.",
  EXEMPTION_REASON: 'An item is exempt from VAT without a reason.',
  VAT_CATEGORY: "An item's VAT category doesn't go with the countries and the VAT numbers of company and customer.",
  E_INVOICE: 'The document breaks a rule of the e-invoices that the customer requires, as its invoice already did.',
  DATE_ORDER: 'The document is dated before the one that has the number before it.',
  RECEIPT_NUMBER: 'Another receipt of this supplier has the same number.',
  RECEIPT_DUPLICATE: 'Another receipt of this supplier has the same number, currency, and gross amount.',
  VAT_AMOUNT:
    "The VAT that a receipt states is not that of its amounts and rates, by more than the currency's smallest unit.",
};
export type WarningCode = keyof typeof codes;

/** Something missing or probably wrong that doesn't keep a document from being issued, or a receipt from being booked. */
export interface Warning {
  code: WarningCode;
  /** The field to change, by its name in REST: company.vat_id, customer.address_line1, items.0.vat_category. */
  field: string;
  /** A sentence for people. */
  message: string;
}

const WarningCodeType = describedEnum('WarningCode', 'What a warning is about.', codes);

export const WarningType = builder.objectRef<Warning>('Warning').implement({
  description:
    "Something missing or probably wrong. It doesn't keep a document from being issued, which then can't be changed any more.",
  example: {
    code: 'BUYER_ADDRESS',
    field: 'customer.address_line1',
    message: "The customer's address has no street.",
  },
  fields: (t) => ({
    code: t.expose('code', { type: WarningCodeType, description: 'What it is about.' }),
    field: t.exposeString('field', {
      description:
        'The field to change, by its name in REST: of the company profile (`company.vat_id`), of the customer (`customer.city`), or of the resource itself (`items.0.vat_category`).',
    }),
    message: t.exposeString('message', { description: 'What is missing or wrong, as a sentence.' }),
  }),
});
