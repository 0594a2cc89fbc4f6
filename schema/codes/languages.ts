/** The languages of documents, ISO 639-1. */
export const languages = ['de', 'en'] as const;
export type Language = (typeof languages)[number];

const languagesByCode: ReadonlyMap<string, Language> = new Map(languages.map((each) => [each, each]));

/** By country: looking one up takes as long as all other checks of an invoice. */
const languagesByCountry = new Map<string, Language | undefined>();

/** The language that documents to a country have; undefined where most people there speak another one. */
function languageOfCountry(country: string | null | undefined): Language | undefined {
  if (!country) return undefined;
  if (!languagesByCountry.has(country)) {
    const { language } = new Intl.Locale('und', { region: country }).maximize();
    languagesByCountry.set(country, languagesByCode.get(language ?? ''));
  }
  return languagesByCountry.get(country);
}

interface Spoken {
  language?: Language | null | undefined;
  country?: string | null | undefined;
}

/** The language of documents of these parties; undefined where nothing says it. The buyer's counts more than the seller's. */
export const findLanguage = ({ seller, buyer }: { seller: Spoken; buyer: Spoken }): Language | undefined =>
  buyer.language ?? languageOfCountry(buyer.country) ?? seller.language ?? languageOfCountry(seller.country);

/** The same, and English where nothing says it (DECISIONS.md#d122-language-of-documents). */
export const chooseLanguage = (parties: { seller: Spoken; buyer: Spoken }): Language => findLanguage(parties) ?? 'en';
