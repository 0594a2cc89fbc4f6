import type { FileLinks } from '../schema/graphql/context.ts';
import { base } from './base.ts';
import type { PublicAddress } from './rest-request.ts';

/** The addresses of the endpoints that answer files. */
export const createFileLinks = (publicAddress: PublicAddress): FileLinks => ({
  invoicePdf: (id) => `${publicAddress.url}${base}/invoices/${id}/pdf`,
  invoiceXml: (id, format) => `${publicAddress.url}${base}/invoices/${id}/xml?format=${format}`,
  attachment: (receiptId, id) => `${publicAddress.url}${base}/receipts/${receiptId}/attachments/${id}/file`,
});
