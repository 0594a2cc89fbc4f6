import { z } from 'zod';

/** What an administrator asked for can't be done. The message is one line that says why. */
export class RefusedError extends Error {
  override name = 'RefusedError';
}

/** The value as the schema has it (trimmed, say), or a RefusedError that names `what` it was to be. */
export function checked<T>(what: string, schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new RefusedError(`${what} ${quoted(value)}: ${result.error.issues[0]?.message ?? 'is not valid'}`);
}

const uuid = z.guid();

/** An id that can be asked for; one that isn't even a UUID is as unknown as any other. */
export function checkedId(what: string, id: string): string {
  if (!uuid.safeParse(id).success) throw new RefusedError(`Unknown ${what} ${quoted(id)}`);
  return id;
}

/** In quotation marks, on one line, not too long. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 59)}…"` : text;
}
