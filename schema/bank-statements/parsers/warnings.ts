import type { Warn } from './transaction.ts';

/** The limit of warnings: a person reads no more, and a hostile file could cause one for every few bytes. */
export const maxWarnings = 100;

/** Passes on the first warnings of a file. Further ones are only counted, and their sentences are not built. */
export class Warnings {
  readonly #report: (warning: string) => void;
  #count = 0;

  constructor(report: (warning: string) => void) {
    this.#report = report;
  }

  readonly warn: Warn = (sentence) => {
    this.#count += 1;
    if (this.#count <= maxWarnings) this.#report(sentence());
  };

  /** Must be called at the file's end. */
  close(): void {
    const left = this.#count - maxWarnings;
    if (left === 1) this.#report('There is 1 more warning like these.');
    if (left > 1) this.#report(`There are ${left} more warnings like these.`);
  }
}
