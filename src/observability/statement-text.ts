/** Removes values from a statement. Nearly all values are parameters; this is for the others. */
export const withoutValues = (sql: string): string =>
  sql.replaceAll(/'(?:[^']|'')*'/g, "'…'").replaceAll(/(?<![\w$."])\d[\d.]*/g, '…');
