import { tableOf, type Prisma } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';

// Tables of exports: columns with types, and rows as texts. PostgreSQL makes the texts, because JavaScript would round amounts.

export type CellType = 'text' | 'number' | 'integer' | 'day' | 'time' | 'boolean';

export interface Column {
  /** As REST names it. */
  name: string;
  type: CellType;
  /** The most decimals of a number; 0 for other types. */
  decimals: number;
  /** The expression that gives the cell's text. */
  sql: string;
}

/** A row's cells in the order of the columns; null for a cell that is empty. */
export type Cells = (string | null)[];

/** The days of an export; null where it has rows of all days. */
export interface Period {
  from: string | null;
  to: string | null;
}

/** A column by which rows are read in order. */
interface Key {
  sql: string;
  type: 'date' | 'uuid' | 'int' | 'timestamptz';
}

export interface TableSource {
  columns: readonly Column[];
  /** The tables that are read, each with the condition that it is the tenant's, $1. */
  from: string;
  /** Further conditions. */
  where?: string;
  /** The order of the rows. Together, the keys are unique; an index has the first ones. */
  keys: readonly Key[];
  /** Where the rows have a day: it, or the time at which the row was written, and with it its id. */
  dated?: { sql: string; isTimeOfId?: true };
}

/** The most rows, and characters of them, that are read at a time. */
const pageRows = 500;
const pageLength = 1_000_000;

const lowest: Record<Key['type'], string> = {
  date: '-infinity',
  timestamptz: '-infinity',
  uuid: '00000000-0000-0000-0000-000000000000',
  int: '-2147483648',
};

/**
 * The rows of a table, page by page. Each page begins after the last row of the one before, and has a limited length: so
 * memory is bounded, and no statement takes long.
 */
export async function* readRows({ db }: Context, source: TableSource, period: Period): AsyncGenerator<Cells[]> {
  const { keys } = source;
  const { conditions, values } = conditionsOf(source, period, keys.length + 2);
  const keyList = keys.map(({ sql }) => sql).join(', ');
  const after = keys.map(({ type }, at) => `$${at + 2}::${type}`).join(', ');
  const order = keys.map((_key, at) => `key_${at}`).join(', ');
  const sql = `
    select cells, keys from (
      select cells, json_build_array(${keys.map((_key, at) => `key_${at}::text`).join(', ')}) as keys,
        row_number() over in_order as place, sum(length(cells::text)) over in_order as length_so_far
      from (
        select json_build_array(${source.columns.map((column) => column.sql).join(', ')}) as cells,
          ${keys.map((key, at) => `${key.sql} as key_${at}`).join(', ')}
        from ${source.from}
        where ${[...conditions, `(${keyList}) > (${after})`].join(' and ')}
        order by ${keyList} limit ${pageRows}
      ) as found window in_order as (order by ${order})
    ) as page where place = 1 or length_so_far <= ${pageLength} order by place`;
  for (let last: string[] = keys.map(({ type }) => lowest[type]); ;) {
    const rows = await db.$rows<{ cells: Cells; keys: string[] }>(sql, [...last, ...values]);
    if (rows.length === 0) return;
    yield rows.map(({ cells }) => cells);
    last = rows.at(-1)?.keys ?? last;
  }
}

/** The number of rows. */
export async function countRows({ db }: Context, source: TableSource, period: Period): Promise<number> {
  const { conditions, values } = conditionsOf(source, period, 2);
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
  const sql = `select count(*)::int as count from ${source.from} ${where}`;
  const [row] = await db.$rows<{ count: number }>(sql, values);
  return row?.count ?? 0;
}

/** @param first the number of the first parameter */
function conditionsOf({ dated, where }: TableSource, { from, to }: Period, first: number) {
  const values: string[] = [];
  const conditions = where ? [where] : [];
  const add = (condition: string, value: string): void => {
    conditions.push(condition.replace('?', `$${first + values.length}`));
    values.push(value);
  };
  if (dated?.isTimeOfId) {
    if (from !== null) add(`${dated.sql} >= ?::date`, from);
    if (to !== null) add(`${dated.sql} < ?::date + 1`, to);
    // The primary key finds them: an id begins with its time, rounded down.
    if (from !== null) add('own.id >= ?::uuid', firstId(Date.parse(from) - 1));
    if (to !== null) add('own.id < ?::uuid', firstId(Date.parse(to) + dayMs + 1));
  } else if (dated) {
    if (from !== null) add(`${dated.sql} >= ?::date`, from);
    if (to !== null) add(`${dated.sql} <= ?::date`, to);
  }
  return { conditions, values };
}

const dayMs = 86_400_000;

/** The smallest UUIDv7 of a time. */
const firstId = (milliseconds: number): string => {
  const digits = Math.max(milliseconds, 0).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
};

/** A column that has no field of its own. */
export const computed = (name: string, type: CellType, sql: string, decimals = 0): Column => ({
  name,
  type,
  decimals,
  sql,
});

/**
 * The columns of a model's fields.
 * @param alias that of its table
 */
export function columnsOf(model: Prisma.ModelName, alias: string, names: readonly string[]): Column[] {
  const { fields } = tableOf(model);
  return names.map((name): Column => {
    const field = fields.get(name);
    if (field?.kind !== 'column') throw new Error(`${model}.${name} is no column`);
    const column = `${alias}.${field.column}`;
    const [restName, decimals] = [toSnakeCase(name), field.digits?.decimals ?? 0];
    switch (field.type) {
      case 'Decimal':
        return computed(restName, 'number', `trim_scale(${column})::text`, decimals);
      case 'Int':
        return computed(restName, 'integer', `${column}::text`);
      case 'Boolean':
        return computed(restName, 'boolean', `${column}::text`);
      case 'DateTime':
        return field.native === 'Date'
          ? computed(restName, 'day', `${column}::text`)
          : computed(restName, 'time', timeText(column));
      default:
        return computed(restName, 'text', `${column}::text`);
    }
  });
}

/** `companyName` → `company_name`. */
const toSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A time as REST has it. */
const timeText = (sql: string): string => `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')`;
