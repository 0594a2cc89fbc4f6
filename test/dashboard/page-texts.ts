import german from '../../src/dashboard/i18n/de.json' with { type: 'json' };

type Key = keyof typeof german;

/** A text of the pages, by its English one. */
export type Say = (text: Key, values?: Record<string, string>) => string;

/** Says texts as the pages do in a browser of this locale. */
export const textsIn =
  (locale: string): Say =>
  (text, values = {}) =>
    (locale.startsWith('de') ? german[text] : text).replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');

/** A name that starts with a text: a field's has marks behind it. Names have plain spaces where texts have others. */
export const startingWith = (text: string): RegExp => new RegExp(`^${text.split(/\s/).map(RegExp.escape).join('\\s')}`);
