import type { Prisma } from '../generated/client/client.ts';
import type { Column } from '../tables.ts';
import {
  addSource,
  joinWithAnd,
  compileConditions,
  compileFrom,
  getName,
  ofTenant,
  type Source,
} from './conditions.ts';
import { buildDecoder, type Field, type Raw } from './decode.ts';
import { parametrized } from './shape.ts';
import { isPlannedOnce, newState, type Statement } from './statement.ts';
import { UnsupportedQuery, findType, type Decode } from './values.ts';

/** Rows to group, to count, and to add up. */
export interface GroupsQuery {
  where: object;
  /** The fields whose values make the groups, by the names of the result. `month` of a day is its `YYYY-MM`. */
  by: Record<string, { field: string; month?: boolean }>;
  /** The fields to add up. */
  sums: readonly string[];
  /** `count`, or a field that is added up. Default: by the values that make the groups, ascending. */
  orderBy?: { field: string; direction: 'asc' | 'desc' };
  take: number;
}

/** A group of rows: the values that they share, how many they are, and their sums by the names of the fields. */
export interface Group {
  values: Record<string, unknown>;
  count: number;
  sums: Record<string, unknown>;
}

/** Reads groups of rows. */
export interface GroupsStatement extends Statement {
  decode: (row: Raw) => object;
}

/** Compiles a query for groups. @throws UnsupportedQuery for a condition that isn't supported */
export function compileGroups(model: Prisma.ModelName, query: object): GroupsStatement {
  const { where, by, sums, orderBy, take } = parametrized(query) as GroupsQuery;
  const state = newState();
  const source = addSource(state, model);
  const joins: string[] = [];
  const conditions = [ofTenant(source), ...compileConditions(state, source, where, joins)];
  const values = Object.entries(by).map(([name, { field, month }]) => {
    const column = findColumn(source, field);
    const { read, fromText } = findType(column);
    const own = getName(source, column);
    const sql = month ? `to_char(${own}, 'YYYY-MM')` : own;
    return { name, sql, read: !month && read ? read(sql) : sql, decode: month ? undefined : fromText };
  });
  const totals = sums.map((field) => {
    const column = findColumn(source, field);
    return { name: field, sql: `sum(${getName(source, column)})`, decode: findType(column).fromText };
  });
  const keys = values.map(({ sql }) => sql);
  const ordered = orderBy && (totals.find(({ name }) => name === orderBy.field)?.sql ?? 'count(*)');
  const columns = [...values.map(({ read }) => read), 'count(*)', ...totals.map(({ sql }) => sql)];
  const rows = `from ${[compileFrom(source), ...joins].join(' ')} where ${joinWithAnd(conditions)}`;
  const grouped = keys.length > 0 ? `group by ${keys.join(', ')}` : 'having count(*) > 0';
  const sort = [...(ordered ? [{ sql: ordered, direction: orderBy.direction }] : []), ...keys.map((sql) => ({ sql }))];
  const hasMonths = Object.values(by).some(({ month }) => month);
  const text = (hasMonths ? groupFirst : groupInOrder)({ columns, rows, grouped, sort, take });
  const toField = ({ name, decode }: { name: string; decode: Decode | undefined }, at: number): Field => ({
    is: 'value',
    name,
    at,
    decode,
  });
  const decodeValues = buildDecoder(values.map(toField));
  const decodeSums = buildDecoder(totals.map((total, at) => toField(total, values.length + 1 + at)));
  return {
    text,
    encode: state.encode,
    isPlannedOnce: isPlannedOnce(state),
    decode: (row): Group => ({
      values: decodeValues(row) as Group['values'],
      count: Number(row[values.length]),
      sums: decodeSums(row) as Group['sums'],
    }),
  };
}

/** The parts of a statement that groups rows. */
interface Grouping {
  columns: string[];
  rows: string;
  grouped: string;
  sort: { sql: string; direction?: string }[];
  take: number;
}

/** PostgreSQL may read the rows in the order of the groups, and stop after the last one that is wanted. */
const groupInOrder = ({ columns, rows, grouped, sort, take }: Grouping): string =>
  `select ${columns.join(', ')} ${rows} ${grouped}${buildOrder(sort)} limit ${take}`;

/**
 * All groups are made before the first are taken. PostgreSQL believes that a month has as many values as its days, and would
 * sort all rows to stop early.
 */
function groupFirst({ columns, rows, grouped, sort, take }: Grouping): string {
  const named = columns.map((sql, index) => `${sql} as c${index}`);
  const sorted = sort.map(({ sql }, index) => `${sql} as s${index}`);
  const order = buildOrder(sort.map((each, index) => ({ ...each, sql: `s${index}` })));
  return `with groups as materialized (select ${[...named, ...sorted].join(', ')} ${rows} ${grouped})
    select ${columns.map((_, index) => `c${index}`).join(', ')} from groups${order} limit ${take}`;
}

const buildOrder = (sort: Grouping['sort']): string =>
  sort.length > 0 ? ` order by ${sort.map(({ sql, direction = 'asc' }) => `${sql} ${direction}`).join(', ')}` : '';

function findColumn({ table }: Source, name: string): Column {
  const field = table.fields.get(name);
  if (field?.kind !== 'column') throw new UnsupportedQuery();
  return field;
}
