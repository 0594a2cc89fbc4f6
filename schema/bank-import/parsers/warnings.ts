import type { Warn } from './transaction.ts';

/** The limit of warnings: a person reads no more, and a hostile file could cause one for every few bytes. */
export const mostWarnings = 100;

/** Passes on the first warnings of a file. Further ones are only counted, and their sentences are not built. */
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
