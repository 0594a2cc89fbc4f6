/** The member states of the European Union, ISO 3166-1 alpha-2. */
const memberStates: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

/**
 * Prefixes of VAT numbers that differ from the country's code, and countries that count as another one for VAT: Greece,
 * and Monaco (Directive 2006/112/EC, Art. 7 and 215).
 */
const vatCountries: Record<string, string> = { EL: 'GR', MC: 'FR' };

export const isMemberState = (country: string): boolean => memberStates.has(country);

/** The member state whose VAT number this is, by its prefix; undefined for other texts. Not whether it is valid. */
export function memberStateOfVatNumber(vatNumber: string | null | undefined): string | undefined {
  const [, prefix = ''] = /^\s*([A-Z]{2})[\s.-]*[0-9A-Z]/.exec((vatNumber ?? '').toUpperCase()) ?? [];
  const country = vatCountries[prefix] ?? prefix;
  return isMemberState(country) ? country : undefined;
}

/** The country in whose territory a party is for VAT. A VAT number of a member state counts more than the address. */
export const getVatCountry = (party: { country?: string | null; vat_id?: string | null }): string | undefined =>
  memberStateOfVatNumber(party.vat_id) ?? (party.country ? (vatCountries[party.country] ?? party.country) : undefined);
