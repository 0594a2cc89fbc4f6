import type { EInvoice, Line, VatCategory } from '../model.ts';
import { escapeText } from '../xml.ts';

/** A rule that an invoice may break, of EN 16931 or of a usage specification of it. */
export interface Rule {
  /** The official id: BR-DE-9. */
  id: string;
  /** The fields that break the rule, by their names in REST: customer.city, items.0.unit_price_net. */
  breachedBy: (invoice: EInvoice) => string[];
  /** The rule's requirement, as a sentence. */
  message: string;
}

/** A rule about one field. */
export const rule = (id: string, field: string, isKept: (invoice: EInvoice) => boolean, message: string): Rule => ({
  id,
  message,
  breachedBy: (invoice) => (isKept(invoice) ? [] : [field]),
});

/** A rule about a field of each line. */
export const lineRule = (
  id: string,
  field: string,
  isKept: (line: Line, invoice: EInvoice) => boolean,
  message: string,
): Rule => ({
  id,
  message,
  breachedBy: (invoice) =>
    invoice.lines.flatMap((line, index) => (isKept(line, invoice) ? [] : [`items.${index}.${field}`])),
});

/** A rule about a category of VAT. The field is that of the first line of the category. */
export const categoryRule = (
  id: string,
  category: VatCategory,
  field: string,
  isKept: (invoice: EInvoice) => boolean,
  message: string,
): Rule => ({
  id,
  message,
  breachedBy: (invoice) => {
    const index = invoice.lines.findIndex(({ vatCategory }) => vatCategory === category);
    return index === -1 || isKept(invoice) ? [] : [`items.${index}.${field}`];
  },
});

/** Whether a text says something, as a document writes it. */
export const isGiven = (text: string | undefined): boolean => escapeText(text) !== '';

export const uses = ({ lines }: EInvoice, category: VatCategory): boolean =>
  lines.some(({ vatCategory }) => vatCategory === category);
