/** The one place that decides how numbers, dates and money are written and read: as the reader's browser asks for. */
export const locale: string = supported(globalThis.navigator?.language);

/** The language of the pages themselves. Words inside of an English sentence stay English: `3 minutes ago`. */
export const pageLanguage = 'en';

/** Some systems name a locale that is no BCP 47 tag, such as `C` or `en_US@posix`. */
function supported(name: string | undefined): string {
  try {
    return Intl.NumberFormat.supportedLocalesOf(name ?? pageLanguage)[0] ?? pageLanguage;
  } catch {
    return pageLanguage;
  }
}
