import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decimal } from '../../money/decimal.ts';
import { isAmount, type Detail } from './camt053-details.ts';

/** The sums of details in one currency. */
interface Sum {
  /** The number of details with an amount in this currency. */
  count: number;
  /** The sum of the details with a direction of their own. */
  directed: Decimal;
  /** The sum of the other details, which have the entry's direction. */
  undirected: Decimal;
}

/** The limit of sums that are kept. An entry's details name one or two currencies. */
const maxCurrencies = 300;

/** Characters that are kept in memory. A file of 64 KiB, which is read on the event loop, never has more. */
const most = 1024 * 1024;
const chunkSize = 64 * 1024;

/**
 * The details of one entry, which are needed again when the entry ends. Beyond a million characters they are stored in a
 * file, so that memory doesn't grow with the entry. The file is unlinked as soon as it is open, so that it disappears with
 * the process. Reads and writes are synchronous: large files are parsed in a separate thread.
 */
export class DetailStore implements Iterable<Detail> {
  /** The number of details. */
  length = 0;
  #lines: string[] = [];
  #characters = 0;
  #file: number | undefined;
  readonly #sums = new Map<string, Sum>();

  add(detail: Detail): void {
    this.#sum(detail);
    const line = JSON.stringify(detail);
    this.#lines.push(line);
    this.#characters += line.length;
    this.length += 1;
    if (this.#characters < most) return;
    this.#file ??= openNameless();
    writeSync(this.#file, `${this.#lines.join('\n')}\n`);
    this.#lines = [];
    this.#characters = 0;
  }

  /** The sum of the details for an entry in this currency; undefined if some have no amount in it. */
  total(currency: string, isSent: boolean): Decimal | undefined {
    const sum = this.#sums.get(currency);
    if (sum?.count !== this.length) return undefined;
    return isSent ? sum.directed.minus(sum.undirected) : sum.directed.plus(sum.undirected);
  }

  /** Of a detail's amounts in one currency, only the first counts. */
  #sum({ amounts, direction }: Detail): void {
    for (const [at, [currency, text]] of amounts.entries()) {
      const isFirst = amounts.findIndex(([other]) => other === currency) === at;
      if (!isFirst || !isAmount(text)) continue;
      const sum = this.#sums.get(currency) ?? { count: 0, directed: new Decimal(0), undirected: new Decimal(0) };
      sum.count += 1;
      if (direction === null) sum.undirected = sum.undirected.plus(text);
      else sum.directed = direction === 'DBIT' ? sum.directed.minus(text) : sum.directed.plus(text);
      if (this.#sums.has(currency) || this.#sums.size < maxCurrencies) this.#sums.set(currency, sum);
    }
  }

  *[Symbol.iterator](): Generator<Detail> {
    for (const line of this.#written()) yield JSON.parse(line) as Detail;
    for (const line of this.#lines) yield JSON.parse(line) as Detail;
  }

  /** Must be called when the details are no longer needed. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#lines = [];
  }

  *#written(): Generator<string> {
    if (this.#file === undefined) return;
    const chunk = Buffer.alloc(chunkSize);
    const decoder = new TextDecoder();
    let rest = '';
    for (let at = 0; ;) {
      const length = readSync(this.#file, chunk, 0, chunkSize, at);
      if (length === 0) return;
      at += length;
      const lines = (rest + decoder.decode(chunk.subarray(0, length), { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  }
}

function openNameless(): number {
  const path = join(tmpdir(), `kontor-details-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}
