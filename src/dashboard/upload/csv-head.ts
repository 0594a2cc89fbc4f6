import { parse } from 'csv-parse/browser/esm/sync';
import { t } from '../i18n/t.ts';

const headBytes = 64 * 1024;

/**
 * The beginning of a file.
 * @throws an error for people if it can't be read: it may have been moved or changed after it was chosen
 */
export async function readHeadBytes(file: File): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.slice(0, headBytes).arrayBuffer());
  } catch (error) {
    throw new Error(t('The file can’t be read.'), { cause: error });
  }
}

/** The encoding of a file's beginning. Like the server, it falls back to Windows-1252 if the file is no UTF-8. */
export function detectEncoding(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // The last character may be cut off, which doesn't mean another encoding.
  return new TextDecoder().decode(bytes).slice(0, -4).includes('\uFFFD') ? 'windows-1252' : 'utf-8';
}

/** The beginning of a file as text. */
export async function readHead(file: File): Promise<string> {
  const bytes = await readHeadBytes(file);
  return new TextDecoder(detectEncoding(bytes)).decode(bytes);
}

const xmlOrMt940 = /^\uFEFF?\s*<|(?:^|[\r\n]|\{4:)\s*:(?:20|25P?|28C?|60[FM]):|^\s*\{1:F/;

/** Whether a file looks like a CSV: not a format that needs no mapping, and not one that the server refuses. */
export const isCsv = (head: string): boolean =>
  head !== '' && !xmlOrMt940.test(head) && !head.startsWith('PK\u0003\u0004') && !head.startsWith('%PDF');

export const delimiters = [';', ',', '\t', '|'] as const;

/** The most frequent delimiter of a CSV's first row, as the server detects it. */
export function detectDelimiter(head: string, skipLines: number): string {
  const lines = head.split('\n').slice(skipLines);
  const first = lines.find((line) => line.trim() !== '')?.replaceAll(/"[^"]*"/g, '') ?? '';
  const [delimiter = ','] = delimiters.toSorted((a, b) => first.split(b).length - first.split(a).length);
  return delimiter;
}

/** The first rows of a CSV, at most 50. An empty list if they can't be parsed. */
export function parseRows(head: string, skipLines: number, delimiter = detectDelimiter(head, skipLines)): string[][] {
  try {
    return parse(head, {
      bom: true,
      delimiter,
      from_line: skipLines + 1,
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      to: 50,
    }) as unknown as string[][];
  } catch {
    return [];
  }
}
