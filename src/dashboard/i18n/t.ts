import i18next from 'i18next';
import { language, locale } from './language.ts';
import type german from './de.json';
import english from './en.json' with { type: 'json' };

// Texts stand in the code, in English. `de.json` has the German one for each; a text that it lacks is an error of types.
// `npm run texts` adds what the code has. `en.json` has only the texts that differ from their keys: those with forms for one and
// for many, and words with several meanings (`Open_verb`).

type WithoutForm<Key> = Key extends `${infer Base}_one` ? Base : Key extends `${string}_other` ? never : Key;

/** A text of the pages. */
export type Text = WithoutForm<keyof typeof german>;

type Placeholder<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

/** The values that are put into a text, by the names in its braces. `count` chooses the form for one or for many. */
export type Values<T extends string> = { [Name in Placeholder<T>]: Name extends 'count' ? number : string };

type MayHaveValues<T extends string> = [Placeholder<T>] extends [never] ? [] : [values: Values<T>];

void i18next.init({
  initAsync: false,
  lng: language,
  resources: { en: { translation: english } },
  // A text is its own key, and has dots and colons.
  keySeparator: false,
  nsSeparator: false,
  returnEmptyString: false,
  interpolation: { prefix: '{', suffix: '}', escapeValue: false }, // React escapes
});

const loaders = { de: () => import('./de.json', { with: { type: 'json' } }) };

/** Loads the texts of the pages' language. To be called before the modules of pages are loaded, which make texts at once. */
export async function loadTexts(): Promise<void> {
  if (language === 'en') return;
  const texts = await loaders[language]();
  i18next.addResourceBundle(language, 'translation', texts.default);
}

const numbers = new Intl.NumberFormat(locale);

/** A text in the language of the pages. */
export const t = <T extends Text>(text: T, ...[values]: MayHaveValues<T>): string => fill(text, values);

const apiPrefix = 'api: ';

/**
 * A text that the API has: a name in words, such as `Partially matched`, or one of its fixed sentences. Languages have such
 * texts behind `api: `, because no code shows which there are. One that a language lacks stays English.
 */
export const translate = (text: string): string =>
  i18next.exists(apiPrefix + text) ? i18next.t(apiPrefix + text) : text;

/** Letters that are written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Keeps the order of a text that a name is put into: digits behind a Hebrew or Arabic name would be shown before it. */
export const isolateName = (name: string): string => (rightToLeft.test(name) ? `\u2068${name}\u2069` : name);

export const isolate = (values: Record<string, string | number>): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? isolateName(value) : value]),
  );

function fill(text: string, given: Record<string, string | number> = {}): string {
  const values = isolate(given);
  const { count } = values;
  if (typeof count !== 'number') return i18next.t(text, { replace: values });
  return i18next.t(text, { count, replace: { ...values, count: numbers.format(count) } });
}
