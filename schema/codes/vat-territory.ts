/** The member states of the European Union, ISO 3166-1 alpha-2. */
export const memberStates: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

/**
 * Prefixes of VAT numbers that differ from the country's code, and countries that count as another one for VAT: Greece,
 * and Monaco (Directive 2006/112/EC, Art. 7 and 215).
 */
const vatCountries: Record<string, string> = { EL: 'GR', MC: 'FR' };

/** The member state whose VAT number this is, by its prefix; undefined for other texts. Not whether it is valid. */
function memberStateOfVatNumber(vatNumber: string | null | undefined): string | undefined {
  const [, prefix = ''] = /^\s*([A-Z]{2})[\s.-]*[0-9A-Z]/.exec((vatNumber ?? '').toUpperCase()) ?? [];
  const country = vatCountries[prefix] ?? prefix;
  return memberStates.has(country) ? country : undefined;
}

const inSql = (texts: Iterable<string>): string => [...texts].map((text) => `'${text}'`).join(', ');

/** Whether a country is a member state, as an expression of SQL. */
export const isMemberStateSql = (country: string): string => `${country} in (${inSql(memberStates)})`;

const vatCountrySql = (code: string): string =>
  `case ${code} ${Object.entries(vatCountries)
    .map(([from, to]) => `when '${from}' then '${to}'`)
    .join(' ')} else ${code} end`;

/** The same as an expression of SQL, of an expression. */
export const memberStateOfVatNumberSql = (vatNumber: string): string => {
  const prefix = String.raw`substring(upper(${vatNumber}) from '^\s*([A-Z]{2})[\s.-]*[0-9A-Z]')`;
  const country = vatCountrySql(prefix);
  return `case when ${isMemberStateSql(country)} then ${country} end`;
};

/** A party as frozen with an invoice. */
export interface VatParty {
  country?: string | null | undefined;
  vat_id?: string | null | undefined;
}

/** The country in whose territory a party is for VAT. A VAT number of a member state counts more than the address. */
export const getVatCountry = (party: VatParty): string | undefined =>
  memberStateOfVatNumber(party.vat_id) ?? (party.country ? (vatCountries[party.country] ?? party.country) : undefined);

/** The same as an expression of SQL, of a party as JSON. */
export const getVatCountrySql = (party: string): string =>
  `coalesce(${memberStateOfVatNumberSql(`${party} ->> 'vat_id'`)}, ${vatCountrySql(`(${party} ->> 'country')`)})`;

/**
 * Where the buyer is, seen from the seller: in the same country; in another member state, with a VAT number of a member
 * state or without one; outside the EU.
 */
export type Place = 'domestic' | 'member state, business' | 'member state, other' | 'third country';

/** A VAT number of Northern Ireland, which is in the EU for goods, and outside of it for services. */
const northernIrish = /^\s*XI/i;

/** The prefix of a country's VAT numbers. */
export const vatPrefix = (country: string): string => (country === 'GR' ? 'EL' : country);

/**
 * A VAT number as reports of sales within the EU have it: of another member state, or of Northern Ireland for goods; undefined for
 * other texts.
 */
export function getVatNumberAbroad(home: string, vatNumber: string | null, isOfGoods: boolean): string | undefined {
  const state = memberStateOfVatNumber(vatNumber);
  const number = (vatNumber ?? '').toUpperCase().replaceAll(/[\s.-]/g, '');
  if (isOfGoods && northernIrish.test(number)) return number;
  return state === undefined || state === home ? undefined : number.replace(/^GR/, 'EL');
}

/** @returns undefined where nothing can be said: the seller isn't in the EU, or nothing says where the buyer is */
export function getPlace(seller: VatParty, buyer: VatParty): Place | undefined {
  if (northernIrish.test(seller.vat_id ?? '') || northernIrish.test(buyer.vat_id ?? '')) return undefined;
  const [from, to] = [getVatCountry(seller), getVatCountry(buyer)];
  if (from === undefined || to === undefined || !memberStates.has(from)) return undefined;
  if (from === to) return 'domestic';
  if (!memberStates.has(to)) return 'third country';
  return memberStateOfVatNumber(buyer.vat_id) === undefined ? 'member state, other' : 'member state, business';
}
