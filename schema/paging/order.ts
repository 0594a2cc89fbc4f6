import { builder } from '../builder.ts';
import { Decimal } from '../money/money.ts';
import { formatDay, parseDay } from '../scalars/scalars.ts';

/** What values a column has, as they are written into a cursor and read back from it; undefined for what is none. */
interface Values<Value = unknown> {
  write(value: Value): string;
  read(text: string): Value | undefined;
}

const texts: Values<string> = {
  write: (value) => value,
  read: (text) => (text.isWellFormed() && !text.includes('\0') ? text : undefined),
};
const days: Values<Date> = { write: formatDay, read: parseDay };
const decimals: Values<Decimal> = {
  write: (value) => new Decimal(value).toFixed(),
  read: (text) => (/^-?\d{1,18}(\.\d{1,5})?$/.test(text) ? new Decimal(text) : undefined),
};

/** A column that a list can be ordered by. */
export interface Column {
  name: string;
  values: Values;
  nullable: boolean;
}

/** By the name that `orderBy` has for it; undefined for the order of creation, which is by id alone. */
export type Columns = Record<string, Column | undefined>;

const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Which way a list goes. What is null counts as larger than every value.',
  values: {
    ASC: { description: 'The smallest, earliest or alphabetically first to begin with.' },
    DESC: { description: 'The largest, latest or alphabetically last to begin with.' },
  },
});

/** A column to order by, and what is said of it. */
interface Sortable extends Column {
  description: string;
}

const sortable =
  (values: Column['values']) =>
  (name: string, description: string, { nullable = false } = {}): Sortable => ({ name, description, values, nullable });

// By what values their column has.
export const byText = sortable(texts);
export const byDay = sortable(days);
export const byDecimal = sortable(decimals);

/**
 * What a list of `typeName` can be ordered by, beside its creation: the type of its `orderBy`, and the columns for
 * `readPage`. Each column needs an index on (tenant_id, column, id).
 */
export function orderType<Name extends string>(typeName: string, columns: Record<Name, Sortable>) {
  const described = Object.entries<Sortable>(columns).map(([name, { description }]) => [name, { description }]);
  const field = builder.enumType(`${typeName}OrderField`, {
    description: `What a list of the type ${typeName} can be ordered by.`,
    values: {
      CREATED_AT: { description: 'When it was made.' },
      ...(Object.fromEntries(described) as Record<Name, { description: string }>),
    },
  });
  const input = builder.inputType(`${typeName}Order`, {
    description: 'By a field, and where that is equal by creation.',
    fields: (t) => ({
      field: t.field({ type: field, required: true, description: 'What to order by.' }),
      direction: t.field({ type: OrderDirection, required: true, description: 'Which way.' }),
    }),
  });
  return { input, columns: columns as Record<string, Column> };
}
