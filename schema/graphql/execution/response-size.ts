import { AnswerTooLargeError } from '../../errors/errors.ts';

/** The values that a response of GraphQL may have in its lists. Without it, a short response could take seconds to write. */
export const maxValues = 50_000;

/** The data that is read for a response may be this many times as long as the response may be. */
const readFactor = 2;

/** The share of memory that is reserved at a time, in bytes. A response shorter than that reserves nothing. */
const step = 64 * 1024;

export interface ResponseSizeOptions {
  /** The longest response, in bytes. Counts only after limit(). */
  maxBytes?: number;
  /**
   * Reserves memory of the process for one response.
   * @param bytes how much the response takes in all; less than before gives memory back
   * @throws CodedError where there is none
   */
  reserve?: (bytes: number) => void;
}

/**
 * The size of one response while it is made: what was read for it, and what of it is written. Beyond its limits the response is
 * refused, before it takes the memory. The length of a text counts for its bytes until the response is complete.
 */
export class ResponseSize {
  readonly #maxBytes: number;
  readonly #reserve: ((bytes: number) => void) | undefined;
  #written = 0;
  #read = 0;
  #values = 0;
  #reserved = 0;
  #isLimited = false;
  #maxRead = Infinity;
  #maxValues = Infinity;
  /** Up to this length, nothing has to be checked. */
  #checkAt: number;

  /** Why the response is refused. Set by the first excess. */
  error: Error | undefined;
  /** Whether resolvers count what they return: graphql-js, unlike the compiled executor, writes the response all at once. */
  countsResolved = false;

  constructor({ maxBytes = Infinity, reserve }: ResponseSizeOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#reserve = reserve;
    this.#checkAt = reserve ? step : Infinity;
  }

  /** Limits the response. Without it, a response only reserves its memory: one that can't be asked for in smaller parts. */
  limit({ reads = true, values = false }: { reads?: boolean; values?: boolean } = {}): void {
    this.#isLimited = true;
    if (reads) this.#maxRead = readFactor * this.#maxBytes;
    if (values) this.#maxValues = maxValues;
    this.#setCheck();
  }

  /** Begins anew: for another part of a stream, or another try. */
  restart(): void {
    this.#written = this.#read = this.#values = 0;
    this.error = undefined;
    if (this.#reserved > 0) {
      this.#reserved = 0;
      this.#reserve?.(0);
    }
    this.#setCheck();
  }

  /** Lifts the limits, and begins anew. */
  unlimit(): void {
    this.#isLimited = false;
    this.#maxRead = this.#maxValues = Infinity;
    this.restart();
  }

  /** Counts text that was written. @throws CodedError */
  write(length: number): void {
    this.#written += length;
    if (this.#written > this.#checkAt) this.#check();
  }

  /** Counts what was read from the database. @throws CodedError */
  read(length: number): void {
    this.#read += length;
    this.#checkAt -= length;
    if (this.#read > this.#maxRead) this.#refuse();
    if (this.#written + this.#read > this.#reserved + step) this.#check();
  }

  /** Reserves the memory of a longest response, before a long result is read for it. @throws CodedError */
  expectLong(): void {
    if (this.error) throw this.error;
    if (!Number.isFinite(this.#maxBytes) || this.#reserved >= this.#maxBytes) return;
    this.#reserveUpTo(this.#maxBytes);
    this.#setCheck();
  }

  /** Counts the values in the rows of a list. @throws CodedError */
  addValues(count: number): void {
    this.#values += count;
    if (this.#values > this.#maxValues)
      throw (this.error ??= new AnswerTooLargeError(
        `The answer would have more than ${maxValues} values in its lists`,
      ));
  }

  /** Checks a complete response. The rows read for it are not needed any more. @throws CodedError */
  complete(bytes: number): void {
    this.#read = 0;
    this.#written = bytes;
    this.#check();
    this.forgetRead();
  }

  /** For a resolver that reads very many rows, a part at a time, and keeps none of them: gives their memory back. */
  forgetRead(): void {
    this.#read = 0;
    if (this.#reserved > this.#written + step) this.#reserve?.((this.#reserved = this.#written));
    this.#setCheck();
  }

  /** Checks a complete response by its text. @throws CodedError */
  completeText(text: string): void {
    if (text.length > step) this.complete(Buffer.byteLength(text));
  }

  #check(): void {
    if (this.error) throw this.error;
    if (this.#isLimited && this.#written > this.#maxBytes) this.#refuse();
    const needed = this.#written + this.#read;
    if (needed > this.#reserved + step) this.#reserveUpTo(Math.ceil(needed / step) * step);
    this.#setCheck();
  }

  #reserveUpTo(bytes: number): void {
    if (!this.#reserve) return;
    try {
      this.#reserve(bytes);
    } catch (error) {
      throw (this.error = error as Error);
    }
    this.#reserved = bytes;
  }

  #setCheck(): void {
    const reservedUpTo = this.#reserve ? this.#reserved + step - this.#read : Infinity;
    this.#checkAt = Math.min(reservedUpTo, this.#isLimited ? this.#maxBytes : Infinity);
  }

  #refuse(): never {
    throw (this.error ??= new AnswerTooLargeError(`The answer would be longer than ${this.#maxBytes} bytes`));
  }
}
