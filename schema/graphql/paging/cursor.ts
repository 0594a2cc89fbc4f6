import type { Column, Columns } from './order.ts';
import { isUuid } from '../scalars/scalars.ts';

export type Direction = 'asc' | 'desc';

/** A list's order: by the column if there is one, then by id. Null counts as larger than every value. */
export interface Order {
  column: Column | undefined;
  direction: Direction;
  /** Part of the order's cursors, so that no other order accepts them. Newest first has none. */
  mark: string;
}

const newestFirst: Order = { column: undefined, direction: 'desc', mark: '' };

/** @param orderBy the argument of that name of a list */
export function orderFrom(
  orderBy: { field: string; direction: 'ASC' | 'DESC' } | null | undefined,
  columns: Columns,
): Order {
  if (!orderBy) return newestFirst;
  const column = columns[orderBy.field];
  const direction = orderBy.direction === 'ASC' ? 'asc' : 'desc';
  return !column && direction === 'desc'
    ? newestFirst
    : { column, direction, mark: `${orderBy.field} ${orderBy.direction}` };
}

export const opposite = (direction: Direction): Direction => (direction === 'asc' ? 'desc' : 'asc');

/** A keyset position: right after or before a row with this value and id. The row may be deleted. */
export interface Position {
  id: string;
  value?: unknown;
}

export const getPosition = ({ column }: Pick<Order, 'column'>, row: { id: string }): Position => ({
  id: row.id,
  ...(column && { value: (row as Record<string, unknown>)[column.name] }),
});

// A cursor encodes the position after or before a row, not the row: it stays valid when the row is deleted, and reveals
// nothing about other tenants' rows.
const encode = (text: string): string => Buffer.from(text).toString('base64url');

export function encodeCursor({ column, mark }: Order, row: { id: string }): string {
  if (!mark) return encode(row.id);
  if (!column) return encode(JSON.stringify([mark, row.id]));
  const { value } = getPosition({ column }, row);
  return encode(JSON.stringify([mark, row.id, value === null ? null : column.codec.encode(value)]));
}

export function decodeCursor(cursor: string, { column, mark }: Order): Position | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!mark) return isUuid(text) ? { id: text } : undefined;
  const [ofOrder, id, written] = readArray(text);
  if (ofOrder !== mark || !isUuid(id)) return undefined;
  if (!column) return { id };
  if (written === null) return column.nullable ? { id, value: null } : undefined;
  const value = typeof written === 'string' ? column.codec.decode(written) : undefined;
  return value === undefined ? undefined : { id, value };
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
 * The rows on one side of a position, as consecutive ranges: rows that share the position's value, then rows beyond it.
 * Each is one range of the order's index; PostgreSQL would not use the index like that for an OR of them.
 */
export function rangesBeyond({ column }: Order, { id, value }: Position, direction: Direction): Range[] {
  const beyond = direction === 'asc' ? 'gt' : 'lt';
  if (!column) return [{ id: { [beyond]: id } }];
  const { name, nullable } = column;
  const ranges: object[] = [{ [name]: value, id: { [beyond]: id } }];
  if (value !== null) ranges.push({ [name]: { [beyond]: value } });
  if (value !== null && nullable && direction === 'asc') ranges.push({ [name]: null });
  if (value === null && direction === 'desc') ranges.push({ [name]: { not: null } });
  return ranges;
}
