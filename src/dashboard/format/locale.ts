/** The browser's locale. Numbers, dates, and money are formatted and parsed in it. */
export const locale: string = supported(globalThis.navigator?.language);

/** The language of the pages. Words inside of an English sentence are English: `3 minutes ago`. */
export const pageLanguage = 'en';

/** Falls back to the pages' language: some systems have a locale that is no BCP 47 tag, such as `C` or `en_US@posix`. */
function supported(name: string | undefined): string {
  try {
    return Intl.NumberFormat.supportedLocalesOf(name ?? pageLanguage)[0] ?? pageLanguage;
  } catch {
    return pageLanguage;
  }
}
