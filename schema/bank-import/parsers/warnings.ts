import type { Warn } from './transaction.ts';

/** A person reads no more of them; and a hostile file could have a warning for every few of its bytes. */
export const mostWarnings = 100;

/** Hands on the first warnings of a file. Those after them are counted, and their sentences are not made. */
export class Warnings {
  readonly #tell: (warning: string) => void;
  #count = 0;

  constructor(tell: (warning: string) => void) {
    this.#tell = tell;
  }

  readonly warn: Warn = (sentence) => {
    this.#count += 1;
    if (this.#count <= mostWarnings) this.#tell(sentence());
  };

  /** Must be called at the file's end. */
  close(): void {
    const left = this.#count - mostWarnings;
    if (left === 1) this.#tell('There is 1 more warning like these.');
    if (left > 1) this.#tell(`There are ${left} more warnings like these.`);
  }
}
