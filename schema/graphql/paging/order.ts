import { z } from 'zod';
import { builder } from '../builder.ts';
import type { Column } from '../../../prisma/tables.ts';
import { Decimal } from '../../money/money.ts';
import { count } from '../input/validators.ts';
import { formatDay, parseDay } from '../scalars/scalars.ts';

/** Encodes a column's values into cursors and decodes them; undefined for text that is no such value. */
interface CursorCodec<Value = unknown> {
  encode(value: Value): string;
  decode(text: string): Value | undefined;
}

const texts: CursorCodec<string> = {
  encode: (value) => value,
  decode: (text) => (text.isWellFormed() && !text.includes('\0') ? text : undefined),
};
const days: CursorCodec<Date> = { encode: formatDay, decode: parseDay };
const times: CursorCodec<Date> = {
  encode: (value) => value.toISOString(),
  // PostgreSQL has no year 0.
  decode: (text) =>
    z.iso.datetime({ precision: 3 }).safeParse(text).success && !text.startsWith('0000') ? new Date(text) : undefined,
};
const decimals: CursorCodec<Decimal> = {
  encode: (value) => new Decimal(value).toFixed(),
  decode: (text) => (/^-?\d{1,18}(\.\d{1,12})?$/.test(text) ? new Decimal(text) : undefined),
};
export const integers: CursorCodec<number> = {
  encode: String,
  decode: (text) => (/^-?\d{1,10}$/.test(text) && Math.abs(Number(text)) < 2 ** 31 ? Number(text) : undefined),
};
const among = (values: readonly unknown[]): CursorCodec => ({
  encode: String,
  decode: (text) => values.find((value) => String(value) === text),
});

/** A column that a list can be ordered by. */
export interface SortColumn {
  name: string;
  codec: CursorCodec;
  nullable: boolean;
  /** Whether its texts are compared as words, regardless of case and accents. */
  isWords: boolean;
  /** All its values, ascending, where they are few: PostgreSQL compares enums and booleans, but Prisma doesn't. */
  values: readonly unknown[] | undefined;
  /** Whether the database has an index of the tenant's rows that is ordered by it, then by id. */
  isIndexed: boolean;
}

/** Columns by their names in `orderBy`; undefined for the order of creation, which is by id alone. */
export type SortColumns = Record<string, SortColumn | undefined>;

/** The most fields of one order. */
export const maxSortFields = 5;

export const OrderDirection = builder.enumType('OrderDirection', {
  description:
    "The direction of a list's order. Null counts as larger than every value. Words, like names and subjects, are ordered regardless of case and accents. Other texts, like numbers and codes, are compared as the database does: Kontor's own compares code points, so that capital letters come before small ones.",
  values: {
    ASC: { description: 'Ascending: the smallest or earliest row comes first.' },
    DESC: { description: 'Descending: the largest or latest row comes first.' },
  },
});

const codecs: Record<string, CursorCodec> = {
  String: texts,
  Int: integers,
  Decimal: decimals,
  DateTime: times,
  Date: days,
};

function toSortColumn(of: Column, isIndexed: boolean): SortColumn | undefined {
  const { name, type, native, nullable, isWords, enumeration } = of;
  if (native === 'Uuid') return undefined; // ids have no order that means anything
  const values = enumeration ? [...enumeration.values.keys()] : type === 'Boolean' ? [false, true] : undefined;
  const codec = values ? among(values) : (codecs[native ?? ''] ?? codecs[type]);
  return codec && { name, codec, nullable, isWords, values, isIndexed };
}

/** `invoiceDate` → `INVOICE_DATE`. */
export const toOrderField = (name: string): string => name.replace(/[A-Z]/g, '_$&').toUpperCase();

/** How a list can be ordered: the type of `orderBy`, and its columns. */
export interface Order {
  argument: { type: [ReturnType<typeof orderRef>]; description: string; validate: ReturnType<typeof count> };
  columns: SortColumns;
}

interface SortField {
  field: string;
  direction: 'ASC' | 'DESC';
}

const orderRef = (name: string) => builder.inputRef<SortField>(name);

/**
 * Declares by what a list of `typeName` can be ordered: its creation, and each of these columns whose values have an order.
 * @param indexed the names of the columns by which an index has the rows in order
 */
export function orderInput(typeName: string, shown: readonly Column[], indexed: ReadonlySet<string>): Order {
  const columns: SortColumns = {};
  const values: Record<string, { description: string }> = { CREATED_AT: { description: 'When it was made.' } };
  for (const column of shown) {
    const sortColumn = toSortColumn(column, indexed.has(column.name));
    if (!sortColumn || column.name === 'createdAt') continue;
    const name = toOrderField(column.name);
    columns[name] = sortColumn;
    values[name] = {
      description: `By \`${column.name}\`${sortColumn.isWords ? ', regardless of case and accents' : ''}.${sortColumn.isIndexed ? '' : ' No index serves it: it costs a scan.'}`,
    };
  }
  const field = builder.enumType(`${typeName}OrderField`, {
    description: `The fields by which a list of the type ${typeName} can be ordered.`,
    values,
  });
  const input = orderRef(`${typeName}Order`);
  input.implement({
    description: 'The order of a list by one field.',
    fields: (t) => ({
      field: t.field({ type: field, required: true, description: 'The field to order by.' }),
      direction: t.field({ type: OrderDirection, required: true, description: 'Ascending or descending.' }),
    }),
  });
  return {
    columns,
    argument: {
      type: [input],
      description: `By these fields, the first one first; at most ${maxSortFields}. Equal rows are in the order of their creation. Default: newest first.`,
      validate: count(0, maxSortFields, 'fields'),
    },
  };
}
