import type { CsvValues } from './csv-values.ts';

/**
 * Mappings are stored by the names of the columns, which differ between banks; and by the tenant, as they have the number of its
 * account.
 */
const buildKey = (tenantId: string, [header = []]: string[][]): string =>
  `kontor-csv-mapping:${tenantId}:${header.join('|')}`;

/** Loads the mapping of the last file with the same columns. */
export function loadMapping(tenantId: string, rows: string[][]): CsvValues | undefined {
  const stored = localStorage.getItem(buildKey(tenantId, rows));
  return stored ? (JSON.parse(stored) as CsvValues) : undefined;
}

export const saveMapping = (tenantId: string, rows: string[][], values: CsvValues): void =>
  localStorage.setItem(buildKey(tenantId, rows), JSON.stringify(values));
