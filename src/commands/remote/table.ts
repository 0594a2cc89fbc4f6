import Table from 'cli-table3';
import { JsonNumber } from '../../../rest-shim/exact-json.ts';
import type { FieldType } from './operations.ts';

// Resources as text for people.

type JsonObject = Record<string, unknown>;

export interface TableOptions {
  /** In order of importance: the last ones are left out where the width is too small for all. */
  columns: string[];
  fields: ReadonlyMap<string, FieldType>;
  /** The width of the terminal, in characters. Infinity if the output is no terminal; then nothing is shortened. */
  width: number;
}

/** The longest text that a cell shows on a terminal. */
const longestCell = 40;

/** A table with a heading, aligned, numbers to the right. */
export function formatTable(rows: readonly JsonObject[], { columns, fields, width }: TableOptions): string {
  const isNumber = (column: string): boolean =>
    fields.get(column) === 'number' || rows.some((row) => row[column] instanceof JsonNumber);
  for (let count = columns.length; ; count -= 1) {
    const shown = columns.slice(0, count);
    const table = plainTable(shown.map((column) => (isNumber(column) ? 'right' : 'left')));
    table.push(shown.map(formatHeading));
    for (const row of rows) table.push(shown.map((column) => shorten(formatValue(row[column]), width)));
    if (table.width <= width || count <= 1) return withoutTrailingSpaces(table.toString());
  }
}

/** One resource: a line for each field, and a table for each list of objects. */
export function formatItem(item: unknown, width: number): string {
  if (!isObject(item)) return formatValue(item);
  const lists: [name: string, rows: JsonObject[]][] = [];
  const table = plainTable(['left', 'left']);
  const add = (prefix: string, part: JsonObject): void => {
    for (const [key, value] of Object.entries(part)) {
      const name = `${prefix}${key}`;
      if (isObject(value)) add(`${name}.`, value);
      else if (Array.isArray(value) && value.length > 0 && value.every(isObject)) lists.push([name, value]);
      else table.push([formatHeading(name), formatValue(value)]);
    }
  };
  add('', item);
  const tables = lists.map(([name, rows]) => {
    const columns = Object.keys(rows[0] ?? {});
    return `\n\n${formatHeading(name)}\n${formatTable(rows, { columns, fields: new Map(), width })}`;
  });
  return withoutTrailingSpaces(table.toString()) + tables.join('');
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

/** `total_gross` → `total gross`. */
const formatHeading = (field: string): string => printable(field.replaceAll('_', ' '));

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (value instanceof JsonNumber) return value.source;
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(formatValue).join(', ');
  if (isObject(value)) return Object.values(value).map(formatValue).join(' ');
  return printable(String(value));
}

/** Control characters of stored texts must not reach the terminal, which would obey them. */
const printable = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu, ' ');

const shorten = (text: string, width: number): string =>
  width === Infinity || text.length <= longestCell ? text : `${[...text].slice(0, longestCell - 1).join('')}…`;

const none = { top: '', bottom: '', left: '', right: '', mid: '', middle: '  ' };

const plainTable = (colAligns: ('left' | 'right')[]): Table.Table =>
  new Table({
    chars: {
      ...none,
      'top-mid': '',
      'top-left': '',
      'top-right': '',
      'bottom-mid': '',
      'bottom-left': '',
      'bottom-right': '',
      'left-mid': '',
      'mid-mid': '',
      'right-mid': '',
    },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colAligns,
  });

const withoutTrailingSpaces = (text: string): string => text.replaceAll(/ +$/gm, '');
