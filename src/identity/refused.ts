import { z } from 'zod';
import type { Problem } from '../../schema/errors/problem-codes.ts';

/** An administrator's operation was refused. The message is one line with the reason. */
export class RefusedError extends Error {
  override name = 'RefusedError';
  readonly #toProblem: (sentence: string) => Problem;

  /** @param toProblem what an API says of it, where one has the operation */
  constructor(message: string, toProblem: (sentence: string) => Problem = (sentence) => ['wrong_state', sentence]) {
    super(message);
    this.#toProblem = toProblem;
  }

  get problem(): Problem {
    return this.#toProblem(`${this.message}.`);
  }
}

/** The value as the schema parses it. @throws RefusedError with the name `what` */
export function checked<T>(what: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new RefusedError(`${what} ${quoted(value)}: ${result.error.issues[0]?.message ?? 'is not valid'}`);
}

const uuid = z.guid();

/** The id, if it is a UUID. @throws RefusedError for other text, as for an unknown id */
export function checkedId(what: string, id: string): string {
  if (!uuid.safeParse(id).success) throw new RefusedError(`Unknown ${what} ${quoted(id)}`);
  return id;
}

/** In quotation marks, on one line, not too long. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 59)}…"` : text;
}
