import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decimal } from '../../money/decimal.ts';
import { isAmount, type Detail } from './camt053-details.ts';

/** What details come to in one currency. */
interface Sum {
  /** How many of them have an amount in it. */
  count: number;
  /** Of those that say which way the money went. */
  directed: Decimal;
  /** Of the others, which went the entry's way. */
  undirected: Decimal;
}

/** Of sums that are kept. An entry's details name one or two currencies. */
const mostCurrencies = 300;

/** Characters that are kept in memory. A file of 64 KiB, which is read on the event loop, never has more. */
const most = 1024 * 1024;
const pieceSize = 64 * 1024;

/**
 * The details of one entry, which are needed again when the entry ends. Beyond a million characters they are kept in a
 * file, so that memory does not grow with the entry. The file has no name any more once it is open: it is gone when the
 * process ends, however that ends. Reads and writes block, as this runs in a thread of its own then.
 */
export class DetailStore implements Iterable<Detail> {
  /** How many there are. */
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

  /** What they come to for an entry in this currency; undefined if some have no amount in it. */
  total(currency: string, isSent: boolean): Decimal | undefined {
    const sum = this.#sums.get(currency);
    if (sum?.count !== this.length) return undefined;
    return isSent ? sum.directed.minus(sum.undirected) : sum.directed.plus(sum.undirected);
  }

  /** Of a detail's amounts in one currency the first counts. */
  #sum({ amounts, direction }: Detail): void {
    for (const [at, [currency, text]] of amounts.entries()) {
      const isFirst = amounts.findIndex(([other]) => other === currency) === at;
      if (!isFirst || !isAmount(text)) continue;
      const sum = this.#sums.get(currency) ?? { count: 0, directed: new Decimal(0), undirected: new Decimal(0) };
      sum.count += 1;
      if (direction === null) sum.undirected = sum.undirected.plus(text);
      else sum.directed = direction === 'DBIT' ? sum.directed.minus(text) : sum.directed.plus(text);
      if (this.#sums.has(currency) || this.#sums.size < mostCurrencies) this.#sums.set(currency, sum);
    }
  }

  *[Symbol.iterator](): Generator<Detail> {
    for (const line of this.#written()) yield JSON.parse(line) as Detail;
    for (const line of this.#lines) yield JSON.parse(line) as Detail;
  }

  /** Must be called when the details are not needed any more. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#lines = [];
  }

  *#written(): Generator<string> {
    if (this.#file === undefined) return;
    const piece = Buffer.alloc(pieceSize);
    const decoder = new TextDecoder();
    let rest = '';
    for (let at = 0; ;) {
      const length = readSync(this.#file, piece, 0, pieceSize, at);
      if (length === 0) return;
      at += length;
      const lines = (rest + decoder.decode(piece.subarray(0, length), { stream: true })).split('\n');
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
