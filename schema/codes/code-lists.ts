import ciiCountries from './lists/cii-countries.json' with { type: 'json' };
import ciiSchemaCurrencies from './lists/cii-schema-currencies.json' with { type: 'json' };
import enAddressSchemes from './lists/en-address-schemes.json' with { type: 'json' };
import enCurrencies from './lists/en-currencies.json' with { type: 'json' };
import enRegistrationSchemes from './lists/en-registration-schemes.json' with { type: 'json' };
import enUnits from './lists/en-units.json' with { type: 'json' };
import facturXAddressSchemes from './lists/factur-x-address-schemes.json' with { type: 'json' };
import peppolAddressSchemes from './lists/peppol-address-schemes.json' with { type: 'json' };
import peppolCurrencies from './lists/peppol-currencies.json' with { type: 'json' };
import ublCountries from './lists/ubl-countries.json' with { type: 'json' };

// The code lists of e-invoices. Their editions are generated: `npm run codes`. An invoice keeps to the edition of its date
// of issue, so that what was valid stays so.

/** A code list, with its editions from the oldest on. */
export interface CodeList {
  title: string;
  editions: Edition[];
}

interface Edition {
  version: string;
  /** The day of its publication. */
  published: string;
  /** The first date of issue for which it is mandatory; null for the first edition. */
  from: string | null;
  /** The file that it was read from. */
  source: string;
  /** Codes, with spaces between. */
  codes: string[];
}

export const codeLists = {
  'cii-countries': ciiCountries,
  'cii-schema-currencies': ciiSchemaCurrencies,
  'en-address-schemes': enAddressSchemes,
  'en-currencies': enCurrencies,
  'en-registration-schemes': enRegistrationSchemes,
  'en-units': enUnits,
  'factur-x-address-schemes': facturXAddressSchemes,
  'peppol-address-schemes': peppolAddressSchemes,
  'peppol-currencies': peppolCurrencies,
  'ubl-countries': ublCountries,
} satisfies Record<string, CodeList>;

export type CodeListName = keyof typeof codeLists;

const listCodes = ({ codes }: Edition): ReadonlySet<string> => new Set(codes.flatMap((line) => line.split(' ')));

const editions = new Map(
  Object.entries(codeLists as Record<string, CodeList>).map(([name, list]) => [
    name,
    list.editions.map((edition) => ({ from: edition.from, codes: listCodes(edition) })).toReversed(),
  ]),
);

/** Whether the edition of a code list that holds on a day, YYYY-MM-DD, has a code. */
export const hasCode = (list: CodeListName, code: string, day: string): boolean =>
  editions
    .get(list)
    ?.find(({ from }) => from === null || from <= day)
    ?.codes.has(code) ?? false;

/** Whether any edition of a code list has a code: what was stored once stays valid input. */
export const hadCode = (list: CodeListName, code: string): boolean =>
  editions.get(list)?.some(({ codes }) => codes.has(code)) ?? false;
