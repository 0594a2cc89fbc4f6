import { Prisma } from '../generated/client/client.ts';

const [zero, point] = ['0', '.'].map((character) => character.charCodeAt(0));

/** A decimal's parts, as decimal.js has them. */
type Parts = Pick<Prisma.Decimal, 's' | 'e' | 'd'>;

const toFixed = Prisma.Decimal.prototype.toFixed as (...rounding: never[]) => string;

/**
 * A decimal as PostgreSQL wrote it. It is parsed when it is first used in a calculation: most are only passed on. It behaves
 * like Prisma's decimals. A page of invoices has hundreds of them, so parsing all of them would cost CPU time.
 */
class WrittenDecimal {
  readonly #text: string;
  #parts: Parts | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get #parsed(): Parts {
    return (this.#parts ??= new Prisma.Decimal(this.#text));
  }

  get s(): number {
    return this.#parsed.s;
  }

  get e(): number {
    return this.#parsed.e;
  }

  get d(): number[] {
    return this.#parsed.d;
  }

  /** Without arguments: in full, without an exponent, without trailing zeros. */
  toFixed(...rounding: never[]): string {
    if (rounding.length > 0) return toFixed.apply(this, rounding);
    const text = this.#text;
    if (!text.includes('.')) return text;
    let end = text.length;
    while (text.charCodeAt(end - 1) === zero) end -= 1;
    if (text.charCodeAt(end - 1) === point) end -= 1;
    return text.slice(0, end);
  }
}

Object.setPrototypeOf(WrittenDecimal.prototype, Prisma.Decimal.prototype);
Object.defineProperty(WrittenDecimal.prototype, 'constructor', { value: Prisma.Decimal });

/** `text` as PostgreSQL writes a numeric. */
export const toDecimal = (text: string): Prisma.Decimal => new WrittenDecimal(text) as unknown as Prisma.Decimal;
