import { Client, type QueryResult } from 'pg';

/** A statement as a version asked it, and what came of it. */
export interface Asked {
  /** Which of its connections it went through. */
  on: number;
  sql: string;
  values: unknown[];
  /** How many rows it answered or touched. */
  rows: number | null;
  /** What the rows are made of. */
  columns: string[];
}

type Args = [statement: string | { text: string; values?: unknown[] }, ...rest: unknown[]];

/** Keeps every statement of this process, until it is ended. */
export function startRecording(): { asked: Asked[]; end: () => void } {
  const asked: Asked[] = [];
  const connections: Client[] = [];
  const { query } = Client.prototype;
  Client.prototype.query = function (this: Client, ...args: Args) {
    const [first] = args;
    const { text, values } = typeof first === 'string' ? { text: first, values: undefined } : first;
    if (!connections.includes(this)) connections.push(this);
    const { processID } = this as Client & { processID: number };
    const one: Asked = {
      on: connections.indexOf(this),
      sql: text.replaceAll(/\s+/g, ' ').trim(),
      values: (values ?? args.find(Array.isArray) ?? []).map((value) => (value === processID ? ownPid : encode(value))),
      rows: null,
      columns: [],
    };
    asked.push(one);
    const note = (result?: Partial<QueryResult>): void => {
      one.rows = result?.rowCount ?? null;
      one.columns = (result?.fields ?? []).map(({ name }) => name);
    };
    const at = args.findIndex((each) => typeof each === 'function');
    if (at > 0) {
      const callback = args[at] as (error: unknown, result: QueryResult) => void;
      args[at] = (error: unknown, result: QueryResult) => {
        note(result);
        callback(error, result);
      };
    }
    const result = (query as (...rest: unknown[]) => unknown).apply(this, args);
    if (result instanceof Promise) result.then(note, () => {});
    return result;
  } as typeof query;
  return { asked, end: () => void (Client.prototype.query = query) };
}

const ownPid = { $: 'pid' };

/** A value as JSON has it. */
function encode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(encode);
  if (value instanceof Uint8Array) return { $: 'bytes', hex: Buffer.from(value).toString('hex') };
  if (value instanceof Date) return { $: 'time', at: value.toISOString() };
  return value;
}

/** @param processID of the connection it goes through */
export function decode(value: unknown, processID: number): unknown {
  if (Array.isArray(value)) return value.map((each) => decode(each, processID));
  const { $: kind, hex, at } = Object(value) as { $?: string; hex?: string; at?: string };
  if (kind === 'pid') return processID;
  if (kind === 'bytes') return Buffer.from(hex ?? '', 'hex');
  if (kind === 'time') return new Date(at ?? '');
  return value;
}

/** One line each; of a statement that was asked before, the number of that line stands for its text and columns. */
export function write(asked: Asked[]): string {
  const first = new Map<string, number>();
  const lines = asked.map(({ on, sql, values, rows, columns }, index) => {
    const what = JSON.stringify({ sql, columns });
    const like = first.get(what);
    if (like === undefined) first.set(what, index + 1);
    return JSON.stringify(like === undefined ? { on, sql, columns, values, rows } : { on, like, values, rows });
  });
  return `${lines.join('\n')}\n`;
}

export function read(text: string): Asked[] {
  const lines = text.trim().split('\n');
  const asked = lines.map((line) => JSON.parse(line) as Asked & { like?: number });
  return asked.map((each) => {
    const { sql, columns } = each.like === undefined ? each : asked[each.like - 1]!;
    return { ...each, sql, columns };
  });
}
