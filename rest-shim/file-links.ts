import type { FileLinks } from '../schema/graphql/context.ts';
import { base } from './base.ts';

/** The addresses of the endpoints that answer files. @param publicUrl where the service is reached */
export const createFileLinks = (publicUrl: () => string): FileLinks => ({
  invoicePdf: (id) => `${publicUrl()}${base}/invoices/${id}/pdf`,
  invoiceXml: (id, format) => `${publicUrl()}${base}/invoices/${id}/xml?format=${format}`,
});
