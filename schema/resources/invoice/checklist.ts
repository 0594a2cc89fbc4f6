import { builder } from '../../graphql/builder.ts';
import { describedEnum } from '../../graphql/described-enum.ts';
import { WarningType, type Warning } from '../warning.ts';

/** The checks before an invoice is issued. All but the first four may have warnings. */
const codes = {
  INVOICE_DATE: 'The date of the invoice, which is always there.',
  NUMBER: 'The consecutive number, which it gets when it is issued.',
  ITEMS: 'Quantity and kind of what is supplied, which are always there.',
  AMOUNTS: 'Net amounts and discounts, VAT rates, and VAT, which are always there.',
  SELLER_ADDRESS: "The company's name and address.",
  BUYER_ADDRESS: "The customer's name and address.",
  SELLER_TAX_NUMBER: "The company's VAT number or tax number, as this invoice needs it.",
  BUYER_VAT_ID: "The customer's VAT number, if an item's VAT category needs it.",
  SERVICE_DATE: 'The date of supply.',
  EXEMPTION_REASON: 'The reason why no VAT is charged, if an item is exempt.',
  VAT_CATEGORY: 'VAT categories that go with the countries and the VAT numbers of company and customer.',
  EXCHANGE_RATE: "The rate into the currency of the company's country, in which its VAT is stated, too.",
  DATE_ORDER: 'A date that is not before that of the last issued invoice of its year.',
  BANK_ACCOUNT: "The company's IBAN, unless it is paid already.",
  LANGUAGE: 'A language of the document that somebody chose.',
};
type InvoiceCheckCode = keyof typeof codes;

/** The codes that warnings of invoices have, too. */
export type WarnedCode = Exclude<InvoiceCheckCode, 'INVOICE_DATE' | 'NUMBER' | 'ITEMS' | 'AMOUNTS'>;

/** Something that an invoice must have, or should. */
export interface InvoiceCheck {
  code: InvoiceCheckCode;
  /** Where the law demands it; null where none does. */
  law: string | null;
  warnings: Warning[];
}

const InvoiceCheckCodeType = describedEnum('InvoiceCheckCode', 'What is checked before an invoice is issued.', codes);

export const InvoiceCheckType = builder.objectRef<InvoiceCheck>('InvoiceCheck').implement({
  description: 'Something that an invoice must have, or should.',
  fields: (t) => ({
    code: t.expose('code', { type: InvoiceCheckCodeType, description: 'What it is.' }),
    law: t.exposeString('law', {
      nullable: true,
      description: 'The paragraph that demands it, such as `§ 14 (4) No. 1 UStG`; null where no law does.',
    }),
    warnings: t.expose('warnings', {
      type: [WarningType],
      description: 'What is missing or probably wrong; empty if nothing is.',
    }),
  }),
});
