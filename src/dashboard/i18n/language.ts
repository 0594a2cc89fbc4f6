/** The languages of the pages, by their own names. Each but English has a file of its texts beside this one. */
export const languages = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof languages;

const storageKey = 'kontor-language';

/** The languages that the browser's user can read, the preferred one first. */
const preferred = (globalThis.navigator?.languages ?? []).flatMap(canonical);

/** The language of the pages: that which was chosen, or else the first that the browser's user can read. */
export const language: Language = choose([globalThis.localStorage?.getItem(storageKey) ?? '', ...preferred]);

/** Numbers, dates, and money are formatted and parsed in it: the pages' language, as it is written where the user lives. */
export const locale: string = preferred.find((name) => parseLanguage(name) === language) ?? language;

/** Remembers a language for this browser. Texts are made once, so the page has to be loaded again. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(storageKey, chosen);
  window.location.reload();
}

function choose(names: string[]): Language {
  return names.map(parseLanguage).find(isLanguage) ?? 'en';
}

function parseLanguage(name: string): string {
  return name.split('-', 1)[0] ?? '';
}

function isLanguage(name: string): name is Language {
  return Object.hasOwn(languages, name);
}

/** Some systems have a locale that is no BCP 47 tag, such as `C` or `en_US@posix`. */
function canonical(name: string): string[] {
  try {
    return Intl.NumberFormat.supportedLocalesOf(name);
  } catch {
    return [];
  }
}
