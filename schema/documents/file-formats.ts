import { eInvoiceFormats, type EInvoiceFormat } from './e-invoice/formats.ts';

/** The formats of an invoice's files. */
export type FileFormat = 'pdf' | EInvoiceFormat;

export const fileFormats = ['pdf', ...(Object.keys(eInvoiceFormats) as EInvoiceFormat[])] as const;
