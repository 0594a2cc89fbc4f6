import { Client } from 'pg';

/** A statement as it went to PostgreSQL. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** Notes every statement of this process, whichever connection it goes to, until told to stop. */
export function listen(): { statements: Statement[]; stop: () => void } {
  const statements: Statement[] = [];
  const { query } = Client.prototype;
  // All of pg's forms begin with the text or an object that has it.
  Client.prototype.query = function (this: Client, ...args: [string | { text: string; values?: unknown[] }, unknown]) {
    const [first, second] = args;
    if (typeof first === 'string') statements.push({ text: first, values: Array.isArray(second) ? second : [] });
    else statements.push({ text: first.text, values: first.values ?? [] });
    return (query as (...rest: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  return { statements, stop: () => void (Client.prototype.query = query) };
}
