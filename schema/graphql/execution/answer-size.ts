import { AnswerTooLargeError } from '../../errors.ts';

/** The values that an answer of GraphQL may have in its lists. Without it, a short answer could take seconds to write. */
export const maxValues = 50_000;

/** What is read for an answer may be this many times as long as the answer may be. */
const readFactor = 2;

/** The share of memory that is reserved at a time, in bytes. An answer shorter than that reserves nothing. */
const step = 64 * 1024;

export interface AnswerSizeOptions {
  /** The longest answer, in bytes. Counts only after limit(). */
  maxBytes?: number;
  /**
   * Reserves memory of the process for one answer.
   * @param bytes how much the answer takes in all; less than before gives memory back
   * @throws CodedError where there is none
   */
  reserve?: (bytes: number) => void;
}

/**
 * The size of one answer while it is made: what was read for it, and what of it is written. Beyond its limits the answer is
 * refused, before it takes the memory. The length of a text counts for its bytes until the answer is complete.
 */
export class AnswerSize {
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

  /** Why the answer is refused. Set by the first excess. */
  error: Error | undefined;
  /** Whether resolvers count what they return: graphql-js, unlike the compiled executor, writes the answer all at once. */
  countsResolved = false;

  constructor({ maxBytes = Infinity, reserve }: AnswerSizeOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#reserve = reserve;
    this.#checkAt = reserve ? step : Infinity;
  }

  /** Limits the answer. Without it, an answer only reserves its memory: one that can't be asked for in smaller parts. */
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

  /** Reserves the memory of a longest answer, before a long result is read for it. @throws CodedError */
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

  /** Checks a complete answer. What was read for it is not needed any more. @throws CodedError */
  complete(bytes: number): void {
    this.#read = 0;
    this.#written = bytes;
    this.#check();
    if (this.#reserved > bytes + step) this.#reserve?.((this.#reserved = bytes));
    this.#setCheck();
  }

  /** Checks a complete answer by its text. @throws CodedError */
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
