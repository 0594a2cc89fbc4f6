import { t } from '../../i18n/t.ts';

/** The formats of e-invoices, in the order of the choice. */
export const eInvoiceFormats = [
  { value: 'XRECHNUNG_CII', label: 'XRechnung (CII)' },
  { value: 'XRECHNUNG_UBL', label: 'XRechnung (UBL)' },
  { value: 'PEPPOL', label: 'Peppol BIS Billing' },
  { value: 'FACTUR_X', label: 'Factur-X, ZUGFeRD' },
] as const;

export type EInvoiceFormat = (typeof eInvoiceFormats)[number]['value'];

/** Formats that a company profile or a customer can require. */
export const requiredEInvoices = [{ value: 'NONE', label: t('None') }, ...eInvoiceFormats] as const;
