import type { CsvValues } from './csv-values.ts';

/** By the names of the columns: each bank's files have their own. */
const keyOf = ([header = []]: string[][]): string => `kontor-csv-mapping:${header.join('|')}`;

/** The mapping that the last file with these columns was read by. */
export function recall(rows: string[][]): CsvValues | undefined {
  const kept = localStorage.getItem(keyOf(rows));
  return kept ? (JSON.parse(kept) as CsvValues) : undefined;
}

export const remember = (rows: string[][], values: CsvValues): void =>
  localStorage.setItem(keyOf(rows), JSON.stringify(values));
