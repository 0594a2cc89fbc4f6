import type { EInvoice, VatBreakdown, VatCategory } from '../e-invoice/model.ts';
import type { Language } from '../../codes/languages.ts';
import { texts } from './texts.ts';

/** The note that has to be on an invoice about a category of its VAT. */
export interface VatNote {
  breakdown: VatBreakdown;
  text: string;
}

/** The notes on VAT, in the order of the breakdown. */
export function vatNotes(invoice: EInvoice, language: Language): VatNote[] {
  return invoice.vatBreakdown.flatMap((breakdown) => {
    const text = noteText(breakdown, invoice, language);
    return text === undefined ? [] : [{ breakdown, text }];
  });
}

/** The reason as it was given; without one, what is usually written, with the article of law. */
function noteText({ category, exemptionReason }: VatBreakdown, { seller, buyer }: EInvoice, language: Language) {
  const reason = exemptionReason?.trim() || undefined;
  return reason === undefined
    ? usualReason(category, { from: seller.address.country, to: buyer.address.country }, language)
    : wholeReason(category, reason, language);
}

/**
 * A reason as every document has to say it. The law demands certain words for a reverse charge, whatever the reason is
 * (directive 2006/112/EC, Art. 226 No. 11a).
 */
export const wholeReason = (category: VatCategory, reason: string, language: Language): string =>
  category === 'AE' && !namesReverseCharge(reason) ? `${texts[language].vatNote.AE}. ${reason}` : reason;

const namesReverseCharge = (reason: string): boolean =>
  Object.values(texts).some(({ vatNote }) => reason.toLowerCase().includes(vatNote.AE?.toLowerCase() ?? ''));

/** The seller's and the buyer's country. */
interface Countries {
  from: string | undefined;
  to: string | undefined;
}

/** The usual reason why no VAT is charged, with the article of law; undefined for a category without a usual reason. */
export function usualReason(category: VatCategory, countries: Countries, language: Language): string | undefined {
  const usual = texts[language].vatNote[category];
  if (usual === undefined) return undefined;
  const law = legalBasis(category, countries, language);
  return law === undefined ? `${usual}.` : `${usual} (${law}).`;
}

/** The article of the EU's VAT directive, or of the German VAT act for a reverse charge between Germans. */
function legalBasis(category: VatCategory, { from, to }: Countries, language: Language): string | undefined {
  if (category === 'AE' && from === 'DE' && to === 'DE') return '§ 13b UStG';
  // Within another country, its own law holds.
  const isAbroad = from !== undefined && to !== undefined && from !== to;
  const article = category === 'AE' && !isAbroad ? undefined : articles[category];
  if (article === undefined) return undefined;
  return language === 'de' ? `Art. ${article} Richtlinie 2006/112/EG` : `Article ${article}, Directive 2006/112/EC`;
}

const articles: Partial<Record<VatCategory, number>> = { AE: 196, K: 138, G: 146 };
