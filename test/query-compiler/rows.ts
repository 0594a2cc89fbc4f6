import type { Pool } from 'pg';
import { Prisma } from '../../prisma/client.ts';
import { isPlain } from '../../prisma/query-compiler/shape.ts';
import { tables, type Column, type Table } from '../../prisma/tables.ts';
import { countAnew, countedTables } from '../counted-rows.ts';

/** Values of a column's type, few, so that conditions meet them; null is not among them. */
export function listValues(column: Column): unknown[] {
  if (column.enumeration) return [...column.enumeration.values.keys()];
  if (column.native === 'Uuid') return ids;
  if (column.native === 'Date') return days;
  if (column.digits?.all === 5) return ['0', '7', '19.5', '-999.99']; // rates and discounts
  return of[column.type] ?? [];
}

const tableRows = 10;
const ids = Array.from({ length: tableRows + 2 }, (_, at) => `01900000-0000-7000-8000-0000000000${at + 10}`);
const days = [new Date('1999-12-31'), new Date('2024-02-29'), new Date('2026-11-21')];
const large = 9_007_199_254_740_993n; // beyond what a number holds
const of: Record<string, unknown[]> = {
  String: ['', 'Acme', 'acme', 'a_c%e', 'Ä\\\'"\u{1F600}\u{2028}', '2026-0001', 'null', '[1]'],
  Int: [-2147483648, -1, 0, 1, 7, 2147483647],
  BigInt: [0n, -1n, large, large + 3n],
  Decimal: ['0', '-0.01', '0.1', '19', '123456789012.34', '999999999.9999'],
  Boolean: [true, false],
  DateTime: [
    new Date(0),
    new Date('1969-07-20T20:17:40.123Z'),
    new Date('2026-11-21T09:00:00.001Z'),
    new Date('9999-12-31T23:59:59.999Z'),
  ],
  Bytes: [new Uint8Array(), new Uint8Array([0, 255, 92, 39]), new TextEncoder().encode('text')],
  Json: [{}, { a: [1, 'Ä', null, { b: 0.1 }] }, [], 'text', 12.5, true],
};

const lists = [[], ['*'], ['invoice.paid', 'a,"b"\\', '', '{}']];

/** As jsonb_populate_recordset() takes it. */
function written(column: Column, value: unknown): unknown {
  if (value instanceof Uint8Array) return `\\x${value.toHex()}`;
  return column.enumeration ? column.enumeration.values.get(value as string) : value;
}

const listWritten = ({ fields }: Table): Column[] =>
  [...fields.values()].filter((field) => field.kind === 'column').filter(({ isGenerated }) => !isGenerated);

/**
 * Rows in every table of the books, for each tenant. Those of different tenants have the same ids, so that whatever
 * forgets the tenant finds too many. Checks are dropped and triggers disabled: any row will do. Row counts are right.
 */
export async function fillAtRandom(pool: Pool, tenantIds: string[]): Promise<void> {
  const { rows: checks } = await pool.query(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as sql from pg_constraint
     where contype in ('c', 'f') and connamespace = 'public'::regnamespace`,
  );
  for (const { sql } of checks) await pool.query(sql);
  let state = 1;
  const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  const pick = <T>(from: readonly T[]): T | undefined => from[random(from.length)];

  const buildRow = (table: Table, at: number, tenantId: string): object => {
    const columns = listWritten(table);
    const unique = (column: Column): unknown => {
      if (column.type === 'BigInt') return String(large + BigInt(at));
      if (column.name === 'id') return ids[at];
      if (column.type === 'Int') return at; // a position, a slot, a year
      if (column.name === 'request') return `\\x0${at}`;
      return undefined;
    };
    return Object.fromEntries(
      columns.map((column) => {
        if (column.name === 'tenantId') return [column.column, tenantId];
        const distinct = unique(column);
        if (distinct !== undefined) return [column.column, distinct];
        const values = column.native === 'Uuid' ? ids.slice(0, tableRows) : listValues(column);
        if (column.isList)
          return [
            column.column,
            column.type === 'String' && column.native !== 'Uuid' ? pick(lists) : values.slice(0, random(3)),
          ];
        const isNull = column.nullable && random(3) === 0;
        return [column.column, isNull ? null : written(column, pick(values))];
      }),
    );
  };

  for (const table of tables.values()) {
    if (table.primaryKey[0]?.name !== 'tenantId' || table.model === 'Membership') continue;
    await pool.query(`alter table ${table.table} disable trigger user`);
    for (const tenantId of tenantIds) {
      const rows = ids.slice(0, tableRows).map((_, at) => buildRow(table, at, tenantId));
      const names = listWritten(table).map(({ column }) => column);
      await pool.query(
        `insert into ${table.table} (${names.join(', ')}) select ${names.join(', ')}
         from jsonb_populate_recordset(null::${table.table}, $1) on conflict do nothing`,
        [JSON.stringify(rows)],
      );
    }
  }
  for (const counted of countedTables) await pool.query(countAnew(counted));
}

/** With Prisma's own decimals in place of those that are taken apart when they are calculated with. */
export function takenApart(part: unknown): unknown {
  if (Prisma.Decimal.isDecimal(part)) return new Prisma.Decimal(part);
  if (Array.isArray(part)) return part.map(takenApart);
  return isPlain(part)
    ? Object.fromEntries(Object.entries(part).map(([name, value]) => [name, takenApart(value)]))
    : part;
}
