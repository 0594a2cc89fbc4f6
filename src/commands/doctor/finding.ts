/** A result of a check of `kontor doctor`. */
export interface Finding {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  /** One line. */
  message: string;
  /** The remedy, in one line. */
  action?: string;
}

/** Looks at one thing. @returns what it has found; nothing where there is nothing to look at */
export type Check = () => Finding[] | Promise<Finding[]>;

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message });
export const warn = (check: string, message: string, action: string): Finding => ({
  check,
  status: 'warn',
  message,
  action,
});
export const fail = (check: string, message: string, action: string): Finding => ({
  check,
  status: 'fail',
  message,
  action,
});
