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

/** Which rows of a table are read. */
export interface Narrowing extends Period {
  /** The ids of the only rows, or of the only documents; none where all are read. */
  ids?: readonly string[];
}

export interface TableSource {
  columns: readonly Column[];
  /** The tables that are read, each with the condition that it is the tenant's, $1. */
  from: string;
  /** Further conditions. */
  where?: string;
  /** The expressions by which rows are in order. */
  order: readonly string[];
  /** Where the rows have a day: it, or the time at which the row was written, and with it its id. */
  dated?: { sql: string; isTimeOfId?: true };
}

/** So many rows are read at a time. A row may be long. */
const pageRows = 100;

/** The rows of a table, some at a time, in the context's transaction. */
export async function* readRows({ db }: Context, source: TableSource, narrowing: Narrowing): AsyncGenerator<Cells[]> {
  const { where, values } = buildConditions(source, narrowing);
  const cells = source.columns.map(({ sql }) => sql).join(', ');
  const sql = `select json_build_array(${cells}) as cells from ${source.from} ${where} order by ${source.order.join(', ')}`;
  for await (const rows of db.$stream<{ cells: Cells }>(sql, values, pageRows)) yield rows.map((row) => row.cells);
}

/** The number of rows. */
export async function countRows({ db }: Context, source: TableSource, narrowing: Narrowing): Promise<number> {
  const { where, values } = buildConditions(source, narrowing);
  const sql = `select count(*)::int as count from ${source.from} ${where}`;
  const [row] = await db.$rows<{ count: number }>(sql, values);
  return row?.count ?? 0;
}

/** The conditions, with the values of their parameters, which begin with $2. */
function buildConditions({ dated, where }: TableSource, { from, to, ids = [] }: Narrowing) {
  const values: (string | readonly string[])[] = [];
  const conditions = where ? [where] : [];
  const add = (condition: string, value: string | readonly string[]): void => {
    values.push(value);
    conditions.push(condition.replace('?', `$${values.length + 1}`));
  };
  if (ids.length > 0) add('own.id = any(?::uuid[])', ids);
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
  return { where: conditions.length > 0 ? `where ${conditions.join(' and ')}` : '', values };
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
export function buildColumns(model: Prisma.ModelName, alias: string, names: readonly string[]): Column[] {
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
