import type { Logger } from 'pino';

/** Token bucket: lines in a burst, and lines per second in the long run. */
const burst = 100;
const perSecond = 10;
/** The longest part of a client's text that is logged, in characters. */
export const longestText = 200;

/**
 * Limits the log lines that clients without a valid token can cause, so that they can't fill the disk. Further lines are left
 * out; one line a second has their number.
 */
export class BoundedLog {
  readonly #log: Logger;
  readonly #now: () => number;
  #lines = burst;
  #refilledAt: number;
  #leftOut = 0;

  /** @param now milliseconds, of a clock that only goes forward */
  constructor(log: Logger, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#now = now;
    this.#refilledAt = now();
  }

  info(fields: object, message: string): void {
    this.#write('info', fields, message);
  }

  warn(fields: object, message: string): void {
    this.#write('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.#write('error', fields, message);
  }

  #write(level: 'info' | 'warn' | 'error', fields: object, message: string): void {
    const now = this.#now();
    this.#lines = Math.min(burst, this.#lines + ((now - this.#refilledAt) / 1000) * perSecond);
    this.#refilledAt = now;
    if (this.#lines >= 1) {
      this.#lines -= 1;
      this.#log[level](fields, message);
      return;
    }
    if (this.#leftOut === 0) setTimeout(() => this.#writeLeftOut(level), 1000).unref();
    this.#leftOut += 1;
  }

  #writeLeftOut(level: 'info' | 'warn' | 'error'): void {
    this.#log[level]({ leftOut: this.#leftOut }, 'lines left out');
    this.#leftOut = 0;
  }
}

/** Truncates a client's text for the log. */
export const truncated = (text: string): string =>
  text.length > longestText ? `${text.slice(0, longestText)}…` : text;
