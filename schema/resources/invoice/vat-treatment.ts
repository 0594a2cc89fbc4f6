import { isMemberState, memberStateOfVatNumber, getVatCountry } from '../../codes/eu-countries.ts';
import type { VatCategory } from '../../money/vat-categories.ts';

// Which VAT categories go with the countries and VAT numbers of seller and buyer: Directive 2006/112/EC, Art. 44 and 196
// (services to businesses), 138 (goods to other member states), 146 (exports). Only sellers in the EU are covered.

/** A party as frozen with an invoice. */
export interface VatParty {
  country?: string | null | undefined;
  vat_id?: string | null | undefined;
}

/**
 * Where the buyer is, seen from the seller: in the same country; in another member state, with a VAT number of a member
 * state or without one; outside the EU.
 */
export type Place = 'domestic' | 'member state, business' | 'member state, other' | 'third country';

/** A VAT number of Northern Ireland, which is in the EU for goods, and outside of it for services. */
const isNorthernIrish = ({ vat_id }: VatParty): boolean => /^\s*XI/i.test(vat_id ?? '');

/** @returns undefined where nothing can be said: the seller isn't in the EU, or nothing says where the buyer is */
export function getPlace(seller: VatParty, buyer: VatParty): Place | undefined {
  if (isNorthernIrish(seller) || isNorthernIrish(buyer)) return undefined;
  const [from, to] = [getVatCountry(seller), getVatCountry(buyer)];
  if (from === undefined || to === undefined || !isMemberState(from)) return undefined;
  if (from === to) return 'domestic';
  if (!isMemberState(to)) return 'third country';
  return memberStateOfVatNumber(buyer.vat_id) === undefined ? 'member state, other' : 'member state, business';
}

export type Supply = 'SERVICES' | 'GOODS';

interface Treatment {
  /** What services and goods are usually invoiced with. */
  usual: Record<Supply, VatCategory>;
  /** The categories that don't go with it. The others may: there are exceptions, such as work on buildings abroad. */
  unusual: readonly VatCategory[];
  /** Why, as the second half of a sentence that begins with a line's category. */
  reason: (country: string) => string;
}

const both = (category: VatCategory): Record<Supply, VatCategory> => ({ SERVICES: category, GOODS: category });

export const treatments: Record<Place, Treatment> = {
  domestic: {
    usual: both('S'),
    unusual: ['K', 'G'],
    reason: () => 'company and customer are in the same country',
  },
  'member state, business': {
    usual: { SERVICES: 'AE', GOODS: 'K' },
    unusual: ['S', 'Z', 'G'],
    reason: (country) =>
      `the customer has a VAT number of another member state (${country}): services are usually reverse charge (AE), and goods a supply within the EU (K)`,
  },
  'member state, other': {
    usual: both('S'),
    unusual: ['AE', 'K', 'G'],
    reason: (country) => `the customer is in another member state (${country}) and has no VAT number`,
  },
  'third country': {
    usual: { SERVICES: 'O', GOODS: 'G' },
    unusual: ['Z', 'K'],
    reason: (country) =>
      `the customer is outside the EU (${country}): services are usually not subject to VAT (O), and goods an export (G)`,
  },
};
