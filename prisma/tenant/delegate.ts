import type DataLoader from 'dataloader';
import type { Raw } from '../query-compiler/decode.ts';
import type { Prisma } from '../generated/client/client.ts';
import type { TenantConnection } from './connection.ts';
import type { DeferredInserts } from './deferred-inserts.ts';
import { currentTime } from '../clock.ts';
import { batchById } from '../batching.ts';
import { newId } from '../insert.ts';
import type { Group, GroupsQuery } from '../query-compiler/groups.ts';
import type { QueryCompiler, RowLock } from '../query-compiler/query-compiler.ts';
import { scopedArguments } from './scoped-arguments.ts';
import { buildShape } from '../query-compiler/shape.ts';
import { delegateName, getTable, type Column, type Relation } from '../tables.ts';

export type Row = Record<string, unknown>;
type Query = Record<string, unknown>;
type Operation = (query: object) => Promise<unknown>;

/** A Prisma delegate for one tenant's rows of a model. Reads that the query compiler supports bypass Prisma. */
export class TenantDelegate {
  readonly #name: Prisma.ModelName;
  readonly #connection: TenantConnection;
  readonly #compiler: QueryCompiler;
  readonly #client: () => object;
  readonly #deferred: DeferredInserts | undefined;
  readonly #batches = new Map<string, DataLoader<string, Row | null>>();

  /** @param client returns Prisma's own client, in the same transaction */
  constructor(
    name: Prisma.ModelName,
    connection: TenantConnection,
    compiler: QueryCompiler,
    client: () => object,
    deferred?: DeferredInserts,
  ) {
    this.#name = name;
    this.#connection = connection;
    this.#compiler = compiler;
    this.#client = client;
    this.#deferred = deferred;
  }

  async findMany(query: Query = {}): Promise<Row[]> {
    return (await this.#readCompiled(query)) ?? ((await this.callPrisma('findMany', query)) as Row[]);
  }

  async findFirst(query: Query = {}): Promise<Row | null> {
    const first =
      query['take'] === undefined ? await this.#readCompiled({ orderBy: [], ...query, take: 1 }) : undefined;
    return first ? (first[0] ?? null) : ((await this.callPrisma('findFirst', query)) as Row | null);
  }

  async findFirstOrThrow(query: Query = {}): Promise<Row> {
    return (await this.findFirst(query)) ?? ((await this.callPrisma('findFirstOrThrow', query)) as Row);
  }

  /**
   * Prisma batches all findUnique() calls of a tick into one statement, whichever tenant they belong to, and runs it in
   * the async context of the first: row-level security would hide the other tenants' rows. So these calls bypass Prisma;
   * calls for the same table and fields in the same tick are batched by id here.
   */
  findUnique({ where, ...fields }: { where: Query } & Query): Promise<Row | null> {
    const { tenantId_id: key, ...others } = where as { tenantId_id?: { id?: string } };
    const id = key?.id;
    const { select, omit } = fields as { select?: Query; omit?: Query };
    if (id === undefined || Object.keys(others).length > 0 || omit || (select && !select['id'])) {
      return this.findFirst({ ...fields, where: flat(where) });
    }
    const values: unknown[] = [];
    const shape = buildShape(fields, values) + (values.length > 0 ? JSON.stringify(values) : '');
    let lookup = this.#batches.get(shape);
    if (!lookup) this.#batches.set(shape, (lookup = batchById(this, fields)));
    return lookup.load(id);
  }

  async findUniqueOrThrow(query: { where: Query } & Query): Promise<Row> {
    return (await this.findUnique(query)) ?? this.findFirstOrThrow({ ...query, where: flat(query.where) });
  }

  /**
   * Locks and reads a row, in one statement. Waits for other transactions that hold a conflicting lock, and then reads
   * what they wrote. Reads no related tables: their rows would be as they were before the wait.
   * @returns null if there is no such row
   */
  async lock(id: string, lock: RowLock): Promise<Row | null> {
    if (!this.#connection.isTransaction)
      throw new Error('A row is locked inside a transaction: outside, the lock ends at once');
    const reading = this.#compiler.compile(this.#name, { where: { id } }, this.#connection.tenantId, lock);
    if (!reading) throw new Error(`${this.#name} can not be locked by its id`);
    await this.#deferred?.beforeReading(this.#name, {});
    const [row] = await this.#connection.send<Raw>(reading.statement);
    return row ? (reading.decode(row) as Row) : null;
  }

  /** An exact count, as Prisma's, but taken from maintained counts where they exist: see row-counts.ts. */
  async count(query: Query = {}): Promise<number> {
    const counting = this.#compiler.compileCount(this.#name, query, this.#connection.tenantId);
    if (!counting) return (await this.callPrisma('count', query)) as number;
    await this.#deferred?.beforeReading(this.#name, query);
    const [row] = await this.#connection.send<{ total: number }>(counting);
    return row?.total ?? 0;
  }

  /**
   * Rows as findMany() reads them, and how many rows satisfy `where`: in one statement, if there are rows and the query
   * compiler supports the query.
   * @param isFirstPage whether the query reads from the first of these rows on: where it finds none, their number is 0
   * @returns the total as a promise of its own: where it takes its own statement, the rows are there even if that fails
   */
  async findManyWithTotal(
    query: Query,
    where: object,
    isFirstPage = false,
  ): Promise<{ rows: Row[]; total: Promise<number> }> {
    const { tenantId } = this.#connection;
    const reading = this.#compiler.compile(this.#name, { ...query, total: { where } }, tenantId);
    if (reading) {
      await this.#deferred?.beforeReading(this.#name, { query, where });
      const rows = await this.#connection.send<Raw>(reading.statement);
      const last = rows[0]?.at(-1);
      if (last !== undefined) return { rows: rows.map(reading.decode) as Row[], total: Promise.resolve(Number(last)) };
      if (isFirstPage) return { rows: [], total: Promise.resolve(0) };
    }
    const counted = this.count({ where });
    counted.catch(() => {}); // the caller gets the error when it awaits the total
    return { rows: reading ? [] : await this.findMany(query), total: counted };
  }

  /** Groups of rows, with their counts and sums. Prisma can't group by a month, or order groups by a sum of a generated column. */
  async findGroups(query: GroupsQuery): Promise<Group[]> {
    const reading = this.#compiler.compileGroups(this.#name, query, this.#connection.tenantId);
    if (!reading) throw new Error(`${this.#name} can not be grouped like this`);
    await this.#deferred?.beforeReading(this.#name, query);
    return (await this.#connection.send<Raw>(reading.statement)).map(reading.decode) as Group[];
  }

  /** Runs one of Prisma's operations on this tenant's rows. */
  async callPrisma(operation: string, query: object = {}): Promise<unknown> {
    await this.#deferred?.beforeReading(this.#name, query);
    if (!readingOperations.has(operation)) await this.#deferred?.beforeWriting();
    const delegates = this.#client() as Record<string, Record<string, Operation>>;
    const run = delegates[delegateName(this.#name)]?.[operation] as Operation;
    const scoped = scopedArguments(
      operation,
      withOpaqueJson(this.#name, withTimesAndIds(this.#name, operation, query)),
      this.#connection.tenantId,
    );
    return this.#connection.asTenant(async () => await run(scoped));
  }

  /** @returns undefined where the query isn't supported: Prisma has to run it */
  async #readCompiled(query: Query): Promise<Row[] | undefined> {
    const reading = this.#compiler.compile(this.#name, query, this.#connection.tenantId);
    if (!reading) return undefined;
    await this.#deferred?.beforeReading(this.#name, query);
    return (await this.#connection.send<Raw>(reading.statement)).map(reading.decode) as Row[];
  }
}

const prismaOperations = [
  'create',
  'createMany',
  'createManyAndReturn',
  'update',
  'updateMany',
  'updateManyAndReturn',
  'upsert',
  'delete',
  'deleteMany',
  'aggregate',
  'groupBy',
];
const compiledOperations = ['findMany', 'findFirst', 'findFirstOrThrow', 'findUnique', 'findUniqueOrThrow', 'count'];
const readingOperations = new Set([...compiledOperations, 'aggregate', 'groupBy']);

/** All operations that Prisma has for a model. */
export const operations: readonly string[] = [...compiledOperations, ...prismaOperations];

for (const operation of prismaOperations) {
  Object.defineProperty(TenantDelegate.prototype, operation, {
    value(this: TenantDelegate, query?: object) {
      return this.callPrisma(operation, query);
    },
  });
}

/**
 * A value of a JSON column as data that is not looked into: its keys may be a client's. Prisma would lose the key __proto__, and
 * scopedArguments() would take `tenantId_id` for a unique key.
 */
class OpaqueJson {
  // Of its own: Prisma copies arguments, and looks for it there.
  readonly toJSON: () => unknown;

  constructor(value: unknown) {
    const text = JSON.stringify(value);
    this.toJSON = () => ({ $type: 'Json', value: text });
  }
}

function withOpaqueJson(model: Prisma.ModelName, query: object): object {
  const { data } = query as { data?: Row | Row[] };
  if (!data) return query;
  const { fields } = getTable(model);
  const isJson = (name: string): boolean => {
    const field = fields.get(name);
    return field?.kind === 'column' && field.type === 'Json';
  };
  const wrap = (row: Row): Row =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        isJson(name) && typeof value === 'object' && value !== null ? new OpaqueJson(value) : value,
      ]),
    );
  return { ...query, data: Array.isArray(data) ? data.map(wrap) : wrap(data) };
}

/**
 * With the times and ids of the written rows. Prisma takes them from this machine's clock, which may be wrong: who asks what was
 * updated would miss rows, and a webhook's id would say that it is younger than the events after it.
 */
function withTimesAndIds(model: Prisma.ModelName, operation: string, query: object): object {
  const { fields } = getTable(model);
  const now = currentTime();
  const times = (names: string[]): Row =>
    Object.fromEntries(names.filter((name) => fields.has(name)).map((name) => [name, now]));
  const [timesOfNew, forOld] = [times(['createdAt', 'updatedAt']), times(['updatedAt'])];
  const hasId = isUuidByDefault(fields.get('id'));
  const forNew = (): Row => ({ ...timesOfNew, ...(hasId && { id: newId() }) });
  const { data, create, update } = query as { data?: Row | Row[]; create?: Row; update?: Row };
  const added = operation.startsWith('create') ? forNew : () => forOld;
  return {
    ...query,
    ...(data && { data: Array.isArray(data) ? data.map((row) => ({ ...added(), ...row })) : { ...added(), ...data } }),
    ...(create && { create: { ...forNew(), ...create } }),
    ...(update && { update: { ...forOld, ...update } }),
  };
}

const isUuidByDefault = (field: Column | Relation | undefined): boolean =>
  field?.kind === 'column' && (field.initial as { name?: string } | null)?.name === 'uuid';

/** `{ tenantId_number: { tenantId, number } }` as `{ tenantId, number }`. */
const flat = (where: object): object =>
  Object.assign({}, ...Object.entries(where).map(([name, value]) => (name.includes('_') ? value : { [name]: value })));
