import type { Client } from 'pg';
import { observeStatements } from '../../prisma/connection/connection.ts';

/** A statement as a version asked it, and what came of it. */
export interface Asked {
  /** Which of its connections it went through. */
  on: number;
  sql: string;
  values: unknown[];
  /** How many rows it answered or touched. */
  rows: number | null;
  /** The values of the rows. */
  columns: string[];
}

/** Keeps every statement of this process, until it is ended. */
export function startRecording(): { asked: Asked[]; end: () => void } {
  const asked: Asked[] = [];
  const connections: Client[] = [];
  const end = observeStatements(({ text, values = [] }, connection) => {
    if (!connections.includes(connection)) connections.push(connection);
    const { processID } = connection as Client & { processID: number };
    const one: Asked = {
      on: connections.indexOf(connection),
      sql: text.replaceAll(/\s+/g, ' ').trim(),
      values: values.map((value) => (value === processID ? ownPid : encode(value))),
      rows: null,
      columns: [],
    };
    asked.push(one);
    return (_error, result) => {
      one.rows = result?.rowCount ?? null;
      one.columns = (result?.fields ?? []).map(({ name }) => name);
    };
  });
  return { asked, end };
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
