import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toSnakeCase } from '../../rest-shim/snake-case.ts';
import { formatTime } from '../../schema/graphql/scalars/days.ts';
import { exitCodes } from './exit-codes.ts';

// Output of the command line, for people and scripts. The log is separate.

/** Writes text of the command line. All of it passes here: a test finds what doesn't. */
export const write = (text: string): void => void process.stdout.write(visible(text));

/** Writes a file to standard output, as it is: its user asked for its bytes. @throws what breaks it off */
export const writeFile = (bytes: Readable): Promise<void> => pipeline(bytes, process.stdout, { end: false });

/** For people, on standard output. */
export const print = (line: string): void => write(`${line}\n`);

/** Progress and refusals, on standard error: standard output stays clean for scripts. */
export const printError = (line: string): void => void process.stderr.write(visible(`${line}\n`));

/**
 * Control characters of stored texts and of files must not reach the terminal, which would obey them; nor those that change
 * the direction of text. They are written as JSON writes them, so JSON stays the same value.
 */
export const visible = (text: string): string =>
  text.replaceAll(
    /[^\P{Cc}\t\n]|[\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu,
    (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/**
 * Standard output that is closed, as by `| head`, is no error: a command goes on to its end, so that it leaves everything in
 * order. If it fails otherwise, as on a full disk, the command ends: the rest would be missing. To be called once.
 */
export function allowClosedOutput(): void {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    printError(`kontor: The output can't be written: ${message}`);
    process.exit(exitCodes.failed);
  });
}

/** For a command that would go on for nobody: `end` is called once standard output is closed. */
export const whenOutputCloses = (end: () => void): void =>
  void process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') end();
  });

/** For scripts: one JSON value, in REST's names. */
export const printJson = (value: unknown): void => print(toJson(value));

/** A JSON value in REST's names. */
export const toJson = (value: unknown): string => JSON.stringify(inRestNames(value));

function inRestNames(value: unknown): unknown {
  if (value instanceof Date) return formatTime(value);
  if (Array.isArray(value)) return value.map(inRestNames);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [toSnakeCase(name), inRestNames(part)]));
}

/** One row for people: its cells, separated by tabs. A line break in a name would make a row that isn't there. */
export const printRow = (...cells: (string | null)[]): void =>
  print(cells.map((cell) => (cell ?? '–').replaceAll(/[\t\n]+/g, ' ')).join('\t'));
