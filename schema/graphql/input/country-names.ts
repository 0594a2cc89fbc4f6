import { countryCodes } from './validators.ts';

const languages = ['en', 'de', 'fr', 'nl'];

const plain = (name: string): string => name.trim().toLowerCase();

let codes: Map<string, string> | undefined;

function codesByName(): Map<string, string> {
  const found = new Map<string, string>();
  for (const language of languages) {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
    for (const code of countryCodes) found.set(plain(names.of(code) ?? code), code);
  }
  for (const code of countryCodes) found.set(plain(code), code);
  return found;
}

/** The ISO 3166-1 code of a country's code or name, in any case; undefined for any other text. */
export const findCountry = (text: string): string | undefined => (codes ??= codesByName()).get(plain(text));
