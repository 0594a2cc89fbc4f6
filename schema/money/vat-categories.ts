/** A VAT category of EN 16931 (BT-118, BT-151), and what it says of a line. */
export const vatCategories = {
  S: 'taxed at a rate above 0',
  Z: 'taxed at 0 %',
  E: 'exempt',
  AE: 'reverse charge: the buyer owes the VAT',
  K: 'supply within the EU',
  G: 'export',
  O: 'not subject to VAT',
} as const;

export type VatCategory = keyof typeof vatCategories;

const codes = Object.keys(vatCategories) as VatCategory[];

/** All codes, as a text for people. */
export const vatCategoryCodes: string = codes.join(', ');

export const isVatCategory = (code: string): code is VatCategory => Object.hasOwn(vatCategories, code);

/** The categories whose lines say why they aren't taxed (EN 16931, BR-E-10 and kin). */
const exempting: ReadonlySet<VatCategory> = new Set(['E', 'AE', 'K', 'G', 'O']);

/** Whether lines of this category have a reason for that they aren't taxed. */
export const takesExemptionReason = (category: VatCategory): boolean => exempting.has(category);

/** The category of a line that says none: by its rate. */
export const usualVatCategory = (vatRate: { toFixed: () => string }): VatCategory =>
  vatRate.toFixed() === '0' ? 'Z' : 'S';

/** The category of a stored line. Lines from before there were categories have none of their own. */
export function getVatCategory(line: { vatCategory: string | null; vatRate: { toFixed: () => string } }): VatCategory {
  const { vatCategory, vatRate } = line;
  return vatCategory !== null && isVatCategory(vatCategory) ? vatCategory : usualVatCategory(vatRate);
}
