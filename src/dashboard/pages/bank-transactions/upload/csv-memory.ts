import type { CsvValues } from './csv-values.ts';

/** Mappings are stored by the names of the columns, which differ between banks. */
const buildKey = ([header = []]: string[][]): string => `kontor-csv-mapping:${header.join('|')}`;

/** Loads the mapping of the last file with the same columns. */
export function loadMapping(rows: string[][]): CsvValues | undefined {
  const stored = localStorage.getItem(buildKey(rows));
  return stored ? (JSON.parse(stored) as CsvValues) : undefined;
}

export const saveMapping = (rows: string[][], values: CsvValues): void =>
  localStorage.setItem(buildKey(rows), JSON.stringify(values));
