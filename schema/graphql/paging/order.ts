import { builder } from '../builder.ts';
import { Decimal } from '../../money/money.ts';
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
const decimals: CursorCodec<Decimal> = {
  encode: (value) => new Decimal(value).toFixed(),
  decode: (text) => (/^-?\d{1,18}(\.\d{1,5})?$/.test(text) ? new Decimal(text) : undefined),
};

/** A column that a list can be ordered by. */
export interface Column {
  name: string;
  codec: CursorCodec;
  nullable: boolean;
}

/** Columns by their names in `orderBy`; undefined for the order of creation, which is by id alone. */
export type Columns = Record<string, Column | undefined>;

const OrderDirection = builder.enumType('OrderDirection', {
  description: "The direction of a list's order. Null counts as larger than every value.",
  values: {
    ASC: { description: 'Ascending: the smallest, earliest or alphabetically first row comes first.' },
    DESC: { description: 'Descending: the largest, latest or alphabetically last row comes first.' },
  },
});

/** A column to order by, with its description in the schema. */
interface Sortable extends Column {
  description: string;
}

const sortable =
  (values: Column['codec']) =>
  (name: string, description: string, { nullable = false } = {}): Sortable => ({
    name,
    description,
    codec: values,
    nullable,
  });

// Named for the type of the column's values.
export const byText = sortable(texts);
export const byDay = sortable(days);
export const byDecimal = sortable(decimals);

/**
 * Declares what a list of `typeName` can be ordered by, beside its creation.
 * @param columns each needs an index on (tenant_id, column, id)
 * @returns the input type of `orderBy`, and the columns for `readPage`
 */
export function orderType<Name extends string>(typeName: string, columns: Record<Name, Sortable>) {
  const described = Object.entries<Sortable>(columns).map(([name, { description }]) => [name, { description }]);
  const field = builder.enumType(`${typeName}OrderField`, {
    description: `The fields by which a list of the type ${typeName} can be ordered.`,
    values: {
      CREATED_AT: { description: 'When it was made.' },
      ...(Object.fromEntries(described) as Record<Name, { description: string }>),
    },
  });
  const input = builder.inputType(`${typeName}Order`, {
    description: 'The order of a list: by a field, then by creation.',
    fields: (t) => ({
      field: t.field({ type: field, required: true, description: 'The field to order by.' }),
      direction: t.field({ type: OrderDirection, required: true, description: 'Ascending or descending.' }),
    }),
  });
  return { input, columns: columns as Record<string, Column> };
}
