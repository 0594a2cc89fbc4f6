import type { Place } from '../../codes/vat-territory.ts';
import type { VatCategory } from '../../money/vat-categories.ts';

// Which VAT categories go with the countries and VAT numbers of seller and buyer: Directive 2006/112/EC, Art. 44 and 196
// (services to businesses), 138 (goods to other member states), 146 (exports). Only sellers in the EU are covered.

export type Supply = 'SERVICES' | 'GOODS';

interface Treatment {
  /** The usual VAT categories of services and of goods. */
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
