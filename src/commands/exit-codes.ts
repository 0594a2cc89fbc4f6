/** Why a command ended, for scripts. OPERATING.md#exit-codes describes each. */
export const exitCodes = {
  done: 0,
  /** The service can't be reached, or has a fault; and every failure of the other commands. */
  failed: 1,
  /** An unknown command or option, or a value that an option doesn't accept. */
  usage: 2,
  /** 401 and 403: no valid token, or one without the ability. */
  denied: 3,
  /** 404. */
  notFound: 4,
  /** 422, and every other answer that says that the request itself is wrong. */
  refused: 5,
} as const;

/** Ends a command with an exit code. Each line is printed to standard error. */
export class CommandFailure extends Error {
  readonly exitCode: number;
  readonly lines: string[];

  constructor(exitCode: number, message: string, more: string[] = []) {
    super(message);
    this.exitCode = exitCode;
    this.lines = [message, ...more];
  }
}
