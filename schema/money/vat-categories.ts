/** A VAT category of EN 16931 (BT-118, BT-151), and what it says of a line. */
export const vatCategories = {
  S: 'taxed at a rate above 0',
  Z: 'taxed at 0%',
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

export const vatCategoriesByCode: ReadonlyMap<string, VatCategory> = new Map(codes.map((code) => [code, code]));

export const isVatCategory = (code: string): code is VatCategory => vatCategoriesByCode.has(code);

/** The categories whose lines say why they aren't taxed (EN 16931, BR-E-10 and kin). */
export const exemptCategories: ReadonlySet<VatCategory> = new Set(['E', 'AE', 'K', 'G', 'O']);

/** The VAT categories of what is bought. Import VAT is paid to the customs: EN 16931 has no category for it. */
export const receiptVatCategories = [...codes, 'IMPORT'] as const;

export type ReceiptVatCategory = (typeof receiptVatCategories)[number];
