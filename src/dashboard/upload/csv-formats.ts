const dateFormats: [pattern: RegExp, format: string][] = [
  [/^\d{4}-\d\d-\d\d/, 'YYYY-MM-DD'],
  [/^\d{1,2}\.\d{1,2}\.\d{4}/, 'DD.MM.YYYY'],
  [/^\d{1,2}\.\d{1,2}\.\d\d$/, 'DD.MM.YY'],
  [/^\d{1,2}\/\d{1,2}\/\d{4}/, 'DD/MM/YYYY'],
  [/^\d{1,2}-\d{1,2}-\d{4}/, 'DD-MM-YYYY'],
  [/^\d{8}$/, 'YYYYMMDD'],
];

export const knownDateFormats = [...dateFormats.map(([, format]) => format), 'MM/DD/YYYY', 'YYYY/MM/DD'];

/**
 * The date format of cells; undefined if none is recognized. Whether the day or the month is first follows from days after the
 * 12th.
 * @param ambiguous the format where no day is after the 12th
 */
export function detectDateFormat(cells: string[], ambiguous = 'DD/MM/YYYY'): string | undefined {
  const known = cells.map((cell) => cell.trim()).filter(Boolean);
  const format = dateFormats.find(([pattern]) => known.length > 0 && known.every((cell) => pattern.test(cell)))?.[1];
  if (format !== 'DD/MM/YYYY') return format;
  const parts = known.map((cell) => cell.split('/').map(Number));
  if (parts.some(([first = 0]) => first > 12)) return format;
  return parts.some(([, second = 0]) => second > 12) ? 'MM/DD/YYYY' : ambiguous;
}

/** The decimal separator of cells; undefined if none has a fraction. */
export function detectDecimalSeparator(cells: string[]): string | undefined {
  const fractions = cells.flatMap((cell) => /([.,])(?:\d{1,2}|\d{4})\D*$/.exec(cell.trim())?.[1] ?? []);
  return fractions[0];
}
