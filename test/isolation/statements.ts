import { Client } from 'pg';

/** A statement as it went to PostgreSQL. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** Hears of every statement of this process, whichever connection it goes to. @returns what ends that */
export function listen(hear: (statement: Statement) => void): () => void {
  const { query } = Client.prototype;
  // All of pg's forms begin with the text or an object that has it.
  Client.prototype.query = function (this: Client, ...args: [string | { text: string; values?: unknown[] }, unknown]) {
    const [first, second] = args;
    if (typeof first === 'string') hear({ text: first, values: Array.isArray(second) ? second : [] });
    else hear({ text: first.text, values: first.values ?? [] });
    return (query as (...rest: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  return () => void (Client.prototype.query = query);
}

/** What every-statement.ts has heard, and will complain of. */
export const nameless = new Set<string>();
