import { readCamt053 } from './camt053.ts';
import { readCsv, type CsvMapping } from './csv.ts';
import { decode, markedEncoding, xmlEncoding } from './encoding.ts';
import { readMt940 } from './mt940.ts';
import { limited, type OnBalances } from './stated-balances.ts';
import { StatementError, type StatementTransaction } from './transaction.ts';
import { Warnings } from './warnings.ts';

export type { CsvMapping } from './csv.ts';
export { StatementError, type StatementTransaction } from './transaction.ts';

export type StatementFormat = 'camt053' | 'mt940' | 'csv';

export interface StatementOptions {
  /** By default detected from the content. CSV always needs a mapping. */
  format?: StatementFormat;
  csv?: CsvMapping;
  /** Called with the number of bytes read so far, every 64 KiB at most. */
  report?: (bytesRead: number) => void;
  /**
   * Receives each warning as a sentence, for example about balances that don't add up. Beyond 100 warnings are only counted,
   * and the last sentence has their number.
   */
  warn?: (warning: string) => void;
  /** Receives the balances of each statement of the file, if it has them. CSV has none. */
  onBalances?: OnBalances;
}

/** The limit of transactions in a file. A larger import would delay the tenant's other imports for minutes. */
export const maxTransactions = 250_000;

/**
 * The booked transactions of a bank statement, in the file's order. Reads lazily and keeps at most one entry, so that
 * memory doesn't grow with the file. Throws StatementError for any invalid part, also for a truncated end. Only at the end
 * is it known that the file is complete, so a caller that stores transactions earlier must be able to undo this. A CSV
 * without its last rows, and an MT940 without its last messages, can't be detected.
 */
export async function* readStatement(
  source: AsyncIterable<Uint8Array>,
  options: StatementOptions = {},
): AsyncGenerator<StatementTransaction> {
  const bytes = inSteps(source, options.report);
  try {
    const head = await readHead(bytes);
    if (head.length === 0) throw new StatementError(null, 'is empty');
    const marked = markedEncoding(head);
    const format = options.format ?? detectFormat(new TextDecoder(marked ?? 'latin1').decode(head), options.csv);
    const warnings = new Warnings(options.warn ?? (() => {}));
    const onBalances = limited(options.onBalances ?? (() => {}));
    const text = (encoding?: string): AsyncIterable<string> => decode(joined(head, bytes), encoding);
    if (format === 'camt053')
      yield* atMost(readCamt053(text(marked ?? xmlEncoding(head)), warnings.warn, maxTransactions, onBalances));
    else if (format === 'mt940') yield* atMost(readMt940(text(marked), warnings.warn, onBalances));
    else if (options.csv) yield* atMost(readCsv(text(marked ?? options.csv.encoding), options.csv));
    else throw new StatementError(null, 'is CSV and needs a mapping that says what its columns are');
    warnings.close();
  } finally {
    await bytes.return(undefined);
  }
}

async function* atMost(transactions: AsyncIterable<StatementTransaction>): AsyncGenerator<StatementTransaction> {
  let count = 0;
  for await (const transaction of transactions) {
    count += 1;
    if (count > maxTransactions) {
      const advice = 'ask the bank for files of shorter periods';
      throw new StatementError(null, `has more than ${maxTransactions} transactions; ${advice}`);
    }
    yield transaction;
  }
}

const step = 64 * 1024;

async function* inSteps(source: AsyncIterable<Uint8Array>, report?: (bytesRead: number) => void) {
  let read = 0;
  for await (const chunk of source)
    for (let start = 0; start < chunk.length; start += step) {
      const bytes = chunk.subarray(start, start + step);
      read += bytes.length;
      report?.(read);
      yield bytes;
    }
}

/** Enough bytes to recognize the file's format. */
async function readHead(bytes: AsyncGenerator<Uint8Array>): Promise<Uint8Array> {
  let head = new Uint8Array(0);
  while (head.length < 4096) {
    const next = await bytes.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  return head;
}

async function* joined(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}

/**
 * MT940's fields, at the beginning of a line or of SWIFT's text block. The pattern has no line break in its middle, because
 * many line breaks would then take quadratic time.
 */
const mt940 = /(?:^|[\r\n]|\{4:)[^\S\r\n]*:(?:20|25P?|28C?|60[FM]):|^\s*\{1:F/;

function detectFormat(head: string, csv: CsvMapping | undefined): StatementFormat {
  if (/^\uFEFF?\s*</.test(head)) return 'camt053';
  if (mt940.test(head)) return 'mt940';
  if (head.startsWith('PK\x03\x04')) throw new StatementError(null, 'is a ZIP archive; import the files in it');
  if (head.startsWith('%PDF')) throw new StatementError(null, 'is a PDF; ask the bank for CAMT.053, MT940 or CSV');
  if (csv) return 'csv';
  throw new StatementError(
    null,
    'is neither CAMT.053 nor MT940, and CSV needs a mapping that says what its columns are',
  );
}
