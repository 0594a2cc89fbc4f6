import type { SortColumn, SortColumns } from './order.ts';
import { isUuid } from '../scalars/scalars.ts';

export type Direction = 'asc' | 'desc';

/** A list's order: by its columns, then by id. Null counts as larger than every value. */
export interface Order {
  columns: readonly { column: SortColumn; direction: Direction }[];
  /** The direction of ids. */
  direction: Direction;
  /** Part of the order's cursors, so that no other order accepts them. Newest first has none. */
  mark: string;
}

const newestFirst: Order = { columns: [], direction: 'desc', mark: '' };

export type OrderBy = readonly { field: string; direction: 'ASC' | 'DESC' }[];

/**
 * @param orderBy the argument of that name of a list. No field counts after CREATED_AT, as no two rows are equal by it, and none
 *   a second time.
 */
export function orderFrom(orderBy: OrderBy | null | undefined, known: SortColumns): Order {
  if (!orderBy || orderBy.length === 0) return newestFirst;
  const columns: { column: SortColumn; direction: Direction }[] = [];
  const marks: string[] = [];
  let idDirection: Direction = 'desc';
  for (const { field, direction } of orderBy) {
    const column = known[field];
    idDirection = direction === 'ASC' ? 'asc' : 'desc';
    marks.push(`${field} ${direction}${column?.isWords ? ' by words' : ''}`);
    if (!column) break;
    if (!columns.some((before) => before.column === column)) columns.push({ column, direction: idDirection });
  }
  return columns.length === 0 && idDirection === 'desc'
    ? newestFirst
    : { columns, direction: idDirection, mark: marks.join(', ') };
}

export const opposite = (direction: Direction): Direction => (direction === 'asc' ? 'desc' : 'asc');

/** The same rows from the last to the first. */
export const reversed = (order: Order): Order => ({
  ...order,
  columns: order.columns.map(({ column, direction }) => ({ column, direction: opposite(direction) })),
  direction: opposite(order.direction),
});

/** Whether an index has the rows in this order. */
export const isIndexed = ({ columns: [first, ...others] }: Order): boolean =>
  first === undefined || (others.length === 0 && first.column.isIndexed);

/** A keyset position: right after or before a row with these values and id. The row may be deleted. */
export interface Position {
  id: string;
  values: readonly unknown[];
}

export const getPosition = ({ columns }: Pick<Order, 'columns'>, row: { id: string }): Position => ({
  id: row.id,
  values: columns.map(({ column }) => (row as Record<string, unknown>)[column.name]),
});

/**
 * A cursor encodes the position after or before a row, not the row: it stays valid when the row is deleted, and reveals nothing
 * about other tenants' rows.
 */
export function encodeCursor(order: Order, row: { id: string }): string {
  return Buffer.from(order.mark ? writePosition(order, row) : row.id).toString('base64url');
}

function writePosition({ columns, mark }: Order, row: { id: string }): string {
  const { values } = getPosition({ columns }, row);
  const written = values.map((value, at) => (value === null ? null : columns[at]?.column.codec.encode(value)));
  return JSON.stringify([mark, row.id, ...written]);
}

export function decodeCursor(cursor: string, { columns, mark }: Order): Position | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!mark) return isUuid(text) ? { id: text, values: [] } : undefined;
  const [ofOrder, id, ...written] = readArray(text);
  if (ofOrder !== mark || !isUuid(id) || written.length !== columns.length) return undefined;
  const values = columns.map(({ column }, at) => decodeValue(column, written[at]));
  return values.includes(undefined) ? undefined : { id, values };
}

function decodeValue({ nullable, codec }: SortColumn, written: unknown): unknown {
  if (written === null) return nullable ? null : undefined;
  return typeof written === 'string' ? codec.decode(written) : undefined;
}

function readArray(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** A condition on the rows of a page. Its type has only ids, as Prisma's types know each column by name. */
export interface Range {
  id?: { lt?: string; gt?: string };
}

export const joinRanges = (ranges: Range[]): Range =>
  ranges.length === 1 ? (ranges[0] ?? {}) : ({ OR: ranges } as Range);
export const intersectRanges = (...ranges: Range[]): Range => ({ AND: ranges }) as Range;

/**
 * The rows after a position, as consecutive ranges: rows that share all its values, then rows beyond the last of them, and so on.
 * Each is one range of the order's index, where there is one; PostgreSQL would not use it like that for an OR of them.
 */
export function rangesAfter({ columns, direction }: Order, { id, values }: Position): Range[] {
  const equal = columns.map(({ column }, at) => ({ [column.name]: equalTo(column, values[at]) }));
  const ranges: object[] = [Object.assign({}, ...equal, { id: { [beyond(direction)]: id } })];
  for (let at = columns.length - 1; at >= 0; at -= 1) {
    const { column, direction: sorted } = columns[at] as Order['columns'][number];
    for (const following of valuesAfter(column, values[at], sorted))
      ranges.push(Object.assign({}, ...equal.slice(0, at), { [column.name]: following }));
  }
  return ranges;
}

const beyond = (direction: Direction): 'gt' | 'lt' => (direction === 'asc' ? 'gt' : 'lt');

/** Texts that are compared as words may be equal without being the same. */
const equalTo = ({ isWords }: SortColumn, value: unknown): unknown =>
  isWords && value !== null ? { mode: 'folded', equals: value } : value;

/** The conditions on a column for the values after this one, in their order. */
function valuesAfter({ nullable, isWords, values }: SortColumn, value: unknown, direction: Direction): unknown[] {
  if (value === null) return direction === 'desc' ? [{ not: null }] : [];
  const nulls = nullable && direction === 'asc' ? [null] : [];
  if (!values) return [{ [beyond(direction)]: value, ...(isWords && { mode: 'folded' }) }, ...nulls];
  const at = values.indexOf(value);
  const following = direction === 'asc' ? values.slice(at + 1) : values.slice(0, at).toReversed();
  return [...following, ...nulls];
}
