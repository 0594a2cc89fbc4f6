import type { TimeEntry } from '../../../prisma/client.ts';
import { builder } from '../../graphql/builder.ts';
import type { Language } from '../../codes/languages.ts';
import { Decimal } from '../../money/money.ts';
import { formatDay } from '../../graphql/scalars/scalars.ts';

const minutesPerHour = 60;
/** Hours are counted to four decimals, as any quantity is. */
const hourDecimals = 4;

/** The longest title of a line (DECISIONS.md#d10-bounds). */
const titleLength = 255;

/** How time entries are grouped into lines. */
export type Grouping = 'ENTRY' | 'DAY' | 'DESCRIPTION' | 'PERSON' | 'PROJECT';

export const BilledTimeGrouping = builder.enumType('BilledTimeGrouping', {
  description: 'Which time entries share an invoice line. Entries with different hourly rates never share one.',
  values: {
    ENTRY: { description: 'One line per entry, with its day and description.' },
    DAY: { description: 'One line per day, with the day and the descriptions.' },
    DESCRIPTION: { description: 'One line per description, for entries of all days.' },
    PERSON: { description: "One line per person, with the person's name and the period." },
    PROJECT: { description: "One line for all entries, with the project's name and the period." },
  } satisfies Record<Grouping, object>,
});

/** The words of titles in each language of documents (DECISIONS.md#d122-language-of-documents). Days are as in ISO 8601. */
const words: Record<Language, { to: string; formerMember: string }> = {
  de: { to: 'bis', formerMember: 'Ehemaliges Mitglied' },
  en: { to: 'to', formerMember: 'Former member' },
};

/** The data for lines' titles, beside the entries. */
export interface Titles {
  language: Language;
  project: string;
  /** The name of a member; undefined for users who have left the tenant. */
  nameOf: (userId: string) => string | undefined;
}

/** For each grouping: the key that the entries of one line share, and the line's title. Entries come oldest first. */
const groupings: Record<
  Grouping,
  { key: (entry: TimeEntry) => string; title: (entries: [TimeEntry, ...TimeEntry[]], titles: Titles) => string }
> = {
  ENTRY: {
    key: ({ id }) => id,
    title: ([{ date, description }]) => `${formatDay(date)} ${description ?? ''}`.trim(),
  },
  DAY: {
    key: ({ date }) => formatDay(date),
    title: (entries) => [formatDay(entries[0].date), descriptions(entries)].filter(Boolean).join(': '),
  },
  DESCRIPTION: {
    key: ({ description }) => description ?? '',
    title: ([{ description }], { project }) => description || project,
  },
  PERSON: {
    key: ({ userId }) => userId,
    title: (entries, { nameOf, language }) =>
      withPeriod(nameOf(entries[0].userId) ?? words[language].formerMember, entries, language),
  },
  PROJECT: {
    key: () => '',
    title: (entries, { project, language }) => withPeriod(project, entries, language),
  },
};

/** Each description once: `Design, Call`. */
const descriptions = (entries: TimeEntry[]): string =>
  [...new Set(entries.map(({ description }) => description).filter(Boolean))].join(', ');

/** A name, and the days from the first to the last: `Website, 2026-03-01 to 2026-03-31`. A long name is cut, not the days. */
function withPeriod(name: string, entries: TimeEntry[], language: Language): string {
  const days = [entries[0], entries.at(-1)].flatMap((entry) => (entry ? [formatDay(entry.date)] : []));
  const period = `, ${[...new Set(days)].join(` ${words[language].to} `)}`;
  return `${cut(name, titleLength - period.length)}${period}`;
}

/** The first characters of a text, as code points. A title has no space at its end, and the cut may be behind one. */
const cut = (text: string, length: number): string => [...text].slice(0, length).join('').trimEnd();

/**
 * The lines of an invoice that bills these entries: one for each group and hourly rate, in the order of their first
 * entries. Hours are the group's minutes, rounded once.
 * @param entries oldest first
 */
export function buildLines(
  entries: TimeEntry[],
  {
    groupBy,
    titles,
    rateOf,
  }: { groupBy: Grouping; titles: Titles; rateOf: (entry: TimeEntry) => TimeEntry['hourlyRateNet'] },
): { title: string; quantity: Decimal; unit: string; unitPriceNet: Decimal }[] {
  const { key, title } = groupings[groupBy];
  const groups = Map.groupBy(entries, (entry) => JSON.stringify([key(entry), rateOf(entry)]));
  return [...groups.values()].flatMap(([first, ...rest]) => {
    if (!first) return [];
    const minutes = [first, ...rest].reduce((sum, { durationMinutes }) => sum + durationMinutes, 0);
    return {
      title: cut(title([first, ...rest], titles), titleLength),
      quantity: new Decimal(minutes).dividedBy(minutesPerHour).toDecimalPlaces(hourDecimals),
      unit: 'h',
      unitPriceNet: new Decimal(rateOf(first) ?? 0),
    };
  });
}
