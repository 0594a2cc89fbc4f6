import { sentence } from '../format/format.ts';
import { language } from '../i18n/language.ts';
import { t, translate } from '../i18n/t.ts';

/** A sentence of the server that has names or numbers in it, and how pages say it with these. */
type Said = readonly [english: RegExp, say: (parts: readonly string[]) => string];

const places: Readonly<Record<string, (number: string) => string>> = {
  line: (number) => t('Line {number} of the file', { number }),
  statement: (number) => t('Statement {number}', { number }),
  entry: (number) => t('Entry {number}', { number }),
  balance: (number) => t('Balance {number}', { number }),
};

/** Says where in a file something is: `Line 3, statement 1, entry 2`. */
const sayPlace = (place: string): string =>
  place
    .split(', ')
    .map((step) => {
      const [name = '', number = ''] = step.split(' ', 2);
      return places[name.toLowerCase()]?.(number).trimEnd() ?? step;
    })
    .join(', ');

/** Why a job could not do its work, and what is odd in a statement of a bank. They have no codes. */
const sentences: readonly Said[] = [
  [
    /^Its token lacks the ability (\S+)\.$/,
    ([ability = '']) => t('Its token lacks the ability {ability}.', { ability }),
  ],
  [
    /^There are more than (\d+) customers: DATEV /,
    ([most = '']) => t('There are more than {most} customers: DATEV has no more numbers for them.', { most }),
  ],
  [
    /^There are more than (\d+) suppliers: DATEV /,
    ([most = '']) => t('There are more than {most} suppliers: DATEV has no more numbers for them.', { most }),
  ],
  [
    /^DATEV has amounts of two decimals, and (.+) is in a currency of more\.$/,
    ([document = '']) => t('DATEV has amounts of two decimals, and {document} is in a currency of more.', { document }),
  ],
  [
    /^The amount of (.+) is too large for DATEV\.$/,
    ([document = '']) => t('The amount of {document} is too large for DATEV.', { document }),
  ],
  [
    /^(.+) has a status of the bank's own, (".*"), and was left out\.$/,
    ([place = '', status = '']) =>
      t("{place} has a status of the bank's own, {status}, and was left out.", { place: sayPlace(place), status }),
  ],
  [
    /^(.+) has (\d+) details that don't make its (.+): it was kept as one transaction\.$/,
    ([place = '', details = '', amount = '']) =>
      t("{place} has {details} details that don't make its {amount}: it was kept as one transaction.", {
        place: sayPlace(place),
        details,
        amount: sentence(amount),
      }),
  ],
  [
    /^(.+) opens in (\S+) and closes in (\S+)\.$/,
    ([place = '', opening = '', closing = '']) =>
      t('{place} opens in {opening} and closes in {closing}.', { place: sayPlace(place), opening, closing }),
  ],
  [
    /^(.+) doesn't add up: (\S+) and entries of (\S+) don't make (\S+) (\S+)\.$/,
    ([place = '', opening = '', entries = '', closing = '', currency = '']) =>
      t("{place} doesn't add up: {opening} and entries of {entries} don't make {closing}.", {
        place: sayPlace(place),
        opening: sentence(`${opening} ${currency}`),
        entries: sentence(`${entries} ${currency}`),
        closing: sentence(`${closing} ${currency}`),
      }),
  ],
  [
    /^(.+): this has no amount \(Amt\)\.$/,
    ([place = '']) => t('{place}: this has no amount.', { place: sayPlace(place) }),
  ],
  [
    /^(.+): this (?:has no CdtDbtInd|amount is no number|row has (?:both|neither) a debit)/,
    ([place = '']) => t('{place}: the amount can not be read.', { place: sayPlace(place) }),
  ],
  [
    /^(.+): this date isn't (\S+): (".*")\.$/,
    ([place = '', format = '', value = '']) =>
      t('{place}: the date {value} does not have the form {format}.', { place: sayPlace(place), value, format }),
  ],
  [
    /^(.+): this date is no calendar day: (".*")\.$/,
    ([place = '', value = '']) => t('{place}: {value} is no day.', { place: sayPlace(place), value }),
  ],
  [/^This file is XML, but no CAMT\.053 /, () => t('This XML file is no bank statement in CAMT.053.')],
  [/^(Line \d[^:]*): this /, ([place = '']) => t('{place}: this can not be read.', { place: sayPlace(place) })],
  [/^There is 1 more warning like these\.$/, () => t('{count} more warnings like these', { count: 1 })],
  [
    /^There are (\d+) more warnings like these\.$/,
    ([more]) => t('{count} more warnings like these', { count: Number(more) }),
  ],
];

/** A sentence of the server in the language of the pages, if they know it. */
export function findSentence(english: string): string | undefined {
  for (const [pattern, say] of sentences) {
    const [, ...parts] = pattern.exec(english) ?? [];
    if (pattern.test(english)) return say(parts);
  }
  return undefined;
}

/** Says a sentence of the server in the language of the pages. One that they don't know stays English. */
export const saySentence = (english: string): string =>
  language === 'en' ? sentence(english) : (findSentence(english) ?? sentence(translate(english)));
