import { z } from 'zod';
import { vatCategories, type VatCategory } from '../../money/vat-categories.ts';
import { Decimal, type VatCategoryShare, type VatShare } from '../../money/money.ts';

// The VAT of a credit note is the difference of two roundings (remainder.ts), so it doesn't follow from the lines. The
// breakdown is stored as the document states it.

const decimal = z.string().regex(/^-?\d{1,30}(\.\d{1,30})?$/);

/** A stored breakdown: JSON has no exact decimals, so they are texts. */
export const storedBreakdown = z.array(
  z.strictObject({
    vat_category: z.enum(Object.keys(vatCategories) as [VatCategory, ...VatCategory[]]),
    vat_rate: decimal,
    net: decimal,
    vat: decimal,
    exemption_reason: z.string().nullable(),
  }),
);

export const storeBreakdown = (shares: VatCategoryShare[]): z.infer<typeof storedBreakdown> =>
  shares.map(({ vatCategory, vatRate, net, vat, exemptionReason }) => ({
    vat_category: vatCategory,
    vat_rate: vatRate.toFixed(),
    net: net.toFixed(),
    vat: vat.toFixed(),
    exemption_reason: exemptionReason,
  }));

/** Net and VAT per category and rate. */
export const readBreakdown = (stored: unknown): VatCategoryShare[] =>
  storedBreakdown.parse(stored).map((share) => ({
    vatCategory: share.vat_category,
    vatRate: new Decimal(share.vat_rate),
    net: new Decimal(share.net),
    vat: new Decimal(share.vat),
    exemptionReason: share.exemption_reason,
  }));

/** Net and VAT per rate. */
export function sharesByRate(shares: VatCategoryShare[]): VatShare[] {
  const byRate = new Map<string, VatShare>();
  for (const { vatRate, net, vat } of shares) {
    const before = byRate.get(vatRate.toFixed());
    byRate.set(vatRate.toFixed(), {
      vatRate,
      net: before ? before.net.plus(net) : net,
      vat: before ? before.vat.plus(vat) : vat,
    });
  }
  return [...byRate.values()];
}
