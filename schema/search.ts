import { text } from './input.ts';

/** What a list's `q` may be. */
export const searchText = text(255);

/**
 * The conditions, any of which will do, under which one of these columns holds `q`, in any case. Served by a trigram
 * index over them.
 */
export function containing<Column extends string>(q: string, columns: readonly Column[]) {
  return spellings(q).flatMap((spelling) => {
    const contains = spelling.replace(/[\\%_]/g, '\\$&'); // Prisma leaves LIKE's wildcards as they are
    const condition = { contains, mode: 'insensitive' } as const;
    return columns.map((column) => ({ [column]: condition }) as Partial<Record<Column, typeof condition>>);
  });
}

/** PostgreSQL folds letter by letter: Σ becomes σ, and not the ς that small letters have at the end of a word. */
const spellings = (q: string): string[] => [
  ...new Set([q, q.replaceAll('ς', 'σ'), q.replace(/(?<=\p{L})[Σσ](?!\p{L})/gu, 'ς')]),
];
