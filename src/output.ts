import { toSnakeCase } from '../rest-shim/naming.ts';
import { formatTime } from '../schema/scalars/scalars.ts';

// Output of the command line, for people and scripts. The log is separate.

/** For people, on standard output. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Progress and refusals, on standard error: standard output stays clean for scripts. */
export const printError = (line: string): void => void process.stderr.write(`${line}\n`);

/** For scripts: one JSON value, in REST's names. */
export const printJson = (value: unknown): void => print(JSON.stringify(inRestNames(value)));

function inRestNames(value: unknown): unknown {
  if (value instanceof Date) return formatTime(value);
  if (Array.isArray(value)) return value.map(inRestNames);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [toSnakeCase(name), inRestNames(part)]));
}

/** One row for people: its cells, separated by tabs. */
export const printRow = (...cells: (string | null)[]): void => print(cells.map((cell) => cell ?? '–').join('\t'));
