import fc, { type Arbitrary } from 'fast-check';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { asTenant } from '../../prisma/tenant/pool.ts';
import { connect, tenantModels, type Prisma, type UnscopedClient } from '../../prisma/client.ts';
import { PreparedStatementNames } from '../../prisma/connection/prepared-statement-names.ts';
import { QueryCompiler } from '../../prisma/query-compiler/query-compiler.ts';
import { scopedArguments } from '../../prisma/tenant/scoped-arguments.ts';
import { getTable, type Column, type Relation, type Table } from '../../prisma/tables.ts';
import { clusterUrl } from '../citus/cluster.ts';
import { createDatabase, type Database } from '../harness.ts';
import { fillAtRandom, takenApart, listValues } from './rows.ts';

// Nothing but the reader's own conditions keeps tenants apart here: the connections are a superuser's.

let database: Database;
let pool: Pool;
let elsewhere: Pool;
let client: UnscopedClient;
let reader: QueryCompiler;
const tenants = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b'];

beforeAll(async () => {
  database = await createDatabase();
  const filling = new Pool({ connectionString: database.url, max: 1 });
  await fillAtRandom(filling, tenants);
  await filling.end();
  pool = new Pool({ connectionString: database.url, max: 2 });
  client = connect(pool);
  // Prisma tells times wrong unless the connection's time zone is UTC.
  elsewhere = new Pool({
    connectionString: database.url,
    max: 2,
    // Citus' workers don't get these settings: Kontor refuses a cluster that has them.
    ...(clusterUrl === undefined && { options: '-c timezone=Asia/Kathmandu -c datestyle=German' }),
  });
  reader = new QueryCompiler(new PreparedStatementNames(100));
});
afterAll(async () => {
  await client.$disconnect();
  await pool.end();
  await elsewhere.end();
  await database.drop();
});

type Query = Record<string, unknown>;
type Delegate = { findMany(query: object): Promise<Query[]>; count(query: object): Promise<number> };

const models = [...tenantModels];
const delegateOf = (model: Prisma.ModelName): Delegate =>
  client[(model.charAt(0).toLowerCase() + model.slice(1)) as 'customer'] as unknown as Delegate;
const prismas = (model: Prisma.ModelName, query: Query, tenantId: string): Promise<Query[]> =>
  asTenant(tenantId, () => delegateOf(model).findMany(scopedArguments('findMany', query, tenantId)));
const prismasCount = (model: Prisma.ModelName, query: Query, tenantId: string): Promise<number> =>
  asTenant(tenantId, () => delegateOf(model).count(scopedArguments('count', query, tenantId)));

/** On a cluster undefined, where Citus can't plan Prisma's statement. Ours it can plan. */
async function ifPlanned<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (clusterUrl !== undefined && String(error).includes('complex joins are only supported')) return undefined;
    throw error;
  }
}

const columnsOf = (table: Table): Column[] => [...table.fields.values()].filter((field) => field.kind === 'column');
const relationsOf = (table: Table): Relation[] =>
  [...table.fields.values()].filter((field) => field.kind === 'relation');

/** A selection of some of these, at least one. */
const some = <T>(from: readonly T[], most = from.length): Arbitrary<T[]> =>
  fc.subarray([...from], { minLength: 1, maxLength: Math.min(most, from.length) });

/** An object with what `of` makes for each name. */
const all = (entries: (readonly [string, Arbitrary<unknown>])[]): Arbitrary<Query> =>
  fc.record(Object.fromEntries(entries));

const ordered = new Set(['String', 'Int', 'BigInt', 'Decimal', 'DateTime']);

function comparison(column: Column): Arbitrary<unknown> {
  const value = fc.constantFrom(...listValues(column));
  const nothing = column.nullable ? [fc.constant(null)] : [];
  const operations: Record<string, Arbitrary<unknown>> = {
    equals: fc.oneof(value, ...nothing),
    not: fc.oneof(value, ...nothing),
  };
  if (column.type !== 'Boolean')
    for (const name of ['in', 'notIn']) operations[name] = fc.array(value, { maxLength: 3 });
  if (ordered.has(column.type)) for (const name of ['lt', 'lte', 'gt', 'gte']) operations[name] = value;
  if (column.type === 'String' && !column.native)
    for (const name of ['contains', 'startsWith', 'endsWith'])
      operations[name] = fc.constantFrom('a', 'C', 'ä', '_', '%', '\\\\', '2026');
  const filter = some(Object.keys(operations), 2).chain((names) =>
    all([
      ...names.map((name) => [name, operations[name]!] as const),
      ...(names.every((name) => ['contains', 'startsWith', 'endsWith'].includes(name))
        ? [['mode', fc.constantFrom('insensitive', 'default', undefined)] as const]
        : []),
    ]),
  );
  return fc.oneof(value, filter, ...nothing, fc.constant(undefined));
}

function condition(table: Table, depth: number): Arbitrary<Query> {
  const comparable = columnsOf(table).filter(
    ({ type, isList, name }) => !isList && type !== 'Json' && name !== 'tenantId',
  );
  const columns = some(comparable, 2).chain((chosen) =>
    all(chosen.map((column) => [column.name, comparison(column)] as const)),
  );
  if (depth === 0) return columns;
  const inner = condition(table, depth - 1);
  const related = relationsOf(table).map((relation) => {
    const there = condition(getTable(relation.model), depth - 1);
    const quantified = some(['some', 'none']).chain((chosen) => all(chosen.map((each) => [each, there] as const)));
    return all([[relation.name, relation.isList ? quantified : there]]);
  });
  return fc.oneof(
    { weight: 3, arbitrary: columns },
    { weight: 1, arbitrary: fc.record({ AND: fc.oneof(inner, fc.array(inner, { maxLength: 2 })) }) },
    { weight: 1, arbitrary: fc.record({ OR: fc.array(inner, { minLength: 1, maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ NOT: fc.oneof(inner, fc.array(inner, { maxLength: 2 })) }) },
    ...(related.length > 0 ? [{ weight: 2, arbitrary: fc.oneof(...related) }] : []),
  );
}

/** To the last column of the key, so that there is but one answer. */
function order(table: Table): Arbitrary<Query[]> {
  const direction = fc.constantFrom('asc', 'desc');
  const last = table.primaryKey.filter(({ name }) => name !== 'tenantId').map(({ name }) => name);
  const first = columnsOf(table).filter(({ isList, type, name }) => !isList && type !== 'Json' && !last.includes(name));
  return fc
    .tuple(
      fc.subarray(
        first.map(({ name }) => name),
        { maxLength: Math.min(2, first.length) },
      ),
      direction,
      direction,
    )
    .map(([names, one, other]) => [
      ...names.map((name) => ({ [name]: one })),
      ...last.map((name) => ({ [name]: other })),
    ]);
}

/** A query of rows. @param isList whether there may be several */
function asked(table: Table, depth: number, isList: boolean): Arbitrary<Query> {
  const columns = columnsOf(table).map(({ name }) => name);
  const related = depth === 0 ? [] : relationsOf(table);
  const relations = fc
    .subarray(related, { minLength: Math.min(1, related.length), maxLength: Math.min(2, related.length) })
    .chain((chosen) =>
      all(
        chosen.map((relation) => {
          const inner = asked(getTable(relation.model), depth - 1, relation.isList);
          return [
            relation.name,
            fc.oneof({ weight: 1, arbitrary: fc.constant(true) }, { weight: 4, arbitrary: inner }),
          ] as const;
        }),
      ),
    );
  const none = fc.constant({});
  const select = fc
    .tuple(
      some(columns),
      related.length > 0 ? relations : none,
      fc.option(fc.constantFrom(...columns), { nil: undefined }),
    )
    .map(([names, more, not]) => ({
      select: { ...(not && { [not]: false }), ...Object.fromEntries(names.map((name) => [name, true])), ...more },
    }));
  const include = relations.map((more) => ({ include: more }));
  const omit = some(columns, columns.length - 1).map((names) => ({
    omit: Object.fromEntries(names.map((name) => [name, true])),
  }));
  const fields = fc.oneof(none, select, omit, ...(related.length > 0 ? [include, select] : []));
  if (!isList) return fields;
  const rest = fc.oneof(
    none,
    fc.record({ orderBy: order(table) }),
    fc.record({ orderBy: order(table), take: fc.integer({ min: 0, max: 5 }), skip: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ take: fc.integer({ min: 0, max: 5 }) }),
  );
  const where = fc.oneof(none, fc.record({ where: condition(table, 2) }));
  return fc.tuple(fields, rest, where).map((parts) => Object.assign({}, ...parts) as Query);
}

/** Rows that weren't asked for in an order, in one; and so within them. */
function settled(rows: unknown, query: Query): unknown {
  if (Array.isArray(rows)) {
    const each = rows.map((row) => settled(row, query));
    return query['orderBy'] || query['take'] !== undefined
      ? each
      : each.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  }
  if (typeof rows !== 'object' || rows === null) return rows;
  const inner = { ...(query['select'] as Query), ...(query['include'] as Query) };
  const entries = Object.entries(rows).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof inner[name] === 'object'
        ? settled(value, inner[name] as Query)
        : inner[name] === true && Array.isArray(value)
          ? settled(value, {})
          : value,
    ]),
  );
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return String(part);
    return part instanceof Uint8Array ? part.toHex() : part;
  });

/** So many that chance alone does not bring the share of compiled queries near a half. */
const sampleSize = 500;

it.each(models)('reads %s as Prisma does, for any query', async (model) => {
  const queries = asked(getTable(model), 2, true);
  const compiled = fc.sample(queries, sampleSize).filter((query) => reader.compile(model, query, tenants[0]!));
  expect(compiled.length).toBeGreaterThan(sampleSize / 2); // the rest are conditions that say nothing, say
  await fc.assert(
    fc.asyncProperty(queries, async (query) => {
      for (const tenantId of tenants) {
        const read = reader.compile(model, query, tenantId);
        if (!read) continue;
        const { rows } = await elsewhere.query<unknown[]>(read.statement);
        const ours = takenApart(rows.map(read.decode));
        const theirs = await ifPlanned(prismas(model, query, tenantId));
        if (theirs) expect(settled(ours, query)).toStrictEqual(settled(theirs, query));
      }
    }),
    { numRuns: 40 },
  );
});

it.each(models)('counts %s as Prisma does, for any condition: alone, and with rows of another', async (model) => {
  const conditions = condition(getTable(model), 2);
  const compiled = fc
    .sample(conditions, sampleSize)
    .filter((where) => reader.compileCount(model, { where }, tenants[0]!));
  expect(compiled.length).toBeGreaterThan(sampleSize / 2);
  await fc.assert(
    fc.asyncProperty(conditions, conditions, async (where, ofRows) => {
      for (const tenantId of tenants) {
        const counting = reader.compileCount(model, { where }, tenantId);
        if (!counting) continue;
        const { rows } = await elsewhere.query<{ total: number }>(counting);
        const total = await ifPlanned(prismasCount(model, { where }, tenantId));
        if (total === undefined) continue;
        expect(rows).toEqual([{ total }]);
        const both = reader.compile(model, { where: ofRows, total: { where } }, tenantId);
        if (!both) continue;
        const found = await elsewhere.query<unknown[]>(both.statement);
        expect(new Set(found.rows.map((row) => Number(row.at(-1))))).toEqual(new Set(found.rows.map(() => total)));
      }
    }),
    { numRuns: 20 },
  );
});

it('counts rows by each comparison of the column that maintained counts know', async () => {
  const states = [
    { equals: 'UNMATCHED', not: 'UNMATCHED' },
    { equals: 'MATCHED', not: 'UNMATCHED' },
    { equals: 'MATCHED' },
  ];
  for (const tenantId of tenants)
    for (const matchStatus of [...states, { not: 'MATCHED' }, 'MATCHED']) {
      const query = { where: { matchStatus } };
      const { rows } = await elsewhere.query<{ total: number }>(
        reader.compileCount('BankTransaction', query, tenantId)!,
      );
      expect(rows).toEqual([{ total: await prismasCount('BankTransaction', query, tenantId) }]);
    }
});

it('joins a relation within each quantifier of a list', async () => {
  const there = { customer: { type: 'SUPPLIER' } };
  for (const tenantId of tenants) {
    const query = { where: { invoices: { some: { customer: { type: 'CUSTOMER' } }, none: there } } };
    const counting = reader.compileCount('Customer', query, tenantId)!;
    const { rows } = await elsewhere.query<{ total: number }>(counting);
    expect(rows).toEqual([{ total: await prismasCount('Customer', query, tenantId) }]);
  }
});
