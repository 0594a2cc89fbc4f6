import type { QueryConfig } from 'pg';
import type { ActingStatement } from '../connection/sender.ts';
import type { Books } from '../client.ts';
import type { Group, GroupsQuery } from '../query-compiler/groups.ts';
import { Prisma, type PrismaClient } from '../generated/client/client.ts';
import {
  asPrismaError,
  insertions,
  newRow,
  type Insertion,
  type NewRow,
  type Row,
  type Rows,
  type UniqueColumns,
} from '../insert.ts';
import { TenantConnection } from './connection.ts';
import { getOwnHolder } from './holder.ts';
import type { Requester } from './pool.ts';
import { DeferredInserts } from './deferred-inserts.ts';
import { TenantDelegate, operations } from './delegate.ts';
import type { RowLock } from '../query-compiler/query-compiler.ts';
import { delegateName, tables } from '../tables.ts';
import { retryContended } from '../connection/transaction-retry.ts';

/**
 * The models of the books: their primary key begins with a tenant_id that PostgreSQL fills in from the connection. (A
 * membership has a tenant_id as well, but it belongs to identity.)
 */
export const tenantModels: ReadonlySet<Prisma.ModelName> = new Set(
  [...tables.values()]
    .filter(({ primaryKey: [first] }) => first?.column === 'tenant_id' && first.initial !== null)
    .map(({ model }) => model),
);

/**
 * Tenant isolation: this client is the only access to a tenant's data, and can't read or write rows of other tenants.
 * Every statement names the tenant. Relations stay inside the tenant, because every foreign key contains tenant_id. If
 * both should fail, row-level security still holds. The client refuses the tables of identity, and raw SQL except
 * $rows(), $lookup() and $stream().
 */
export const forTenant = (
  books: Books,
  tenantId: string,
  { holder = getOwnHolder(tenantId), ...requester }: Partial<Omit<Requester, 'refused'>> = {},
): TenantClient =>
  new TenantScopedClient(
    books,
    new TenantConnection(books, tenantId, { ...requester, holder }),
  ) as unknown as TenantClient;

/**
 * The operations on one model's rows, for code that works for several models. A query selects all columns; Prisma checks the
 * rest of it when it runs.
 */
export interface ModelDelegate<Of extends Prisma.ModelName> {
  findMany(query?: object): Promise<Row<Of>[]>;
  /** Runs findMany(), and counts the rows that satisfy `where`: if possible, in one statement. */
  findManyWithTotal(
    query: object,
    where: object,
    isFirstPage?: boolean,
  ): Promise<{ rows: Row<Of>[]; total: Promise<number> }>;
  findUnique(query: object): Promise<Row<Of> | null>;
  count(query?: object): Promise<number>;
  /** How many rows there are for each value of a column. */
  groupBy(query: {
    by: string;
    where: object;
    _count: true;
  }): Promise<({ _count: number } & Record<string, unknown>)[]>;
  findGroups(query: GroupsQuery): Promise<Group[]>;
  update(query: object): Promise<Row<Of>>;
  delete(query: object): Promise<Row<Of>>;
}

/** Of a transaction, in milliseconds. One that only reads, all of it as it was at one time, has an isolation level. */
export interface TransactionLimits {
  maxWait?: number;
  timeout?: number;
  isolationLevel?: 'RepeatableRead';
}

/** The part of Prisma's client that is open to tenant code, and the operations that Prisma lacks. */
export interface TenantClient extends Omit<PrismaClient, OmittedMember> {
  $transaction<Result>(work: (db: TenantClient) => Promise<Result>, limits?: TransactionLimits): Promise<Result>;
  /** The operations on a model's rows, by the model's name. */
  model<Of extends Prisma.ModelName>(name: Of): ModelDelegate<Of>;
  /** A complete row with its defaults, not written yet. */
  row<Of extends Prisma.ModelName>(model: Of, data: NewRow<Of>): Row<Of>;
  /**
   * Locks one of the tenant's rows until the transaction ends, and reads the row under the lock: no other transaction can
   * change it meanwhile. Inside a transaction only.
   * @returns null if the tenant has no such row
   */
  lock<Of extends Prisma.ModelName>(model: Of, id: string, lock: RowLock): Promise<Row<Of> | null>;
  /**
   * Writes rows: all of them or none. Very many take several statements. A model stands before those that refer to it: Citus
   * writes one model after the other.
   */
  insert(rows: Rows): Promise<void>;
  /**
   * Writes rows, except those whose values of unique columns another row has. Waits for concurrent transactions that are
   * writing such a row.
   * @returns the ids of the rows that were written
   */
  insertNew<Of extends Prisma.ModelName>(model: Of, rows: Row<Of>[], unique: UniqueColumns): Promise<Set<string>>;
  /**
   * The rows of a hand-written statement: for queries that Prisma can't express, or not in one statement. The statement
   * names the tenant as `$1`, which this client fills in. PostgreSQL plans it each time, because a cached plan would not
   * suit tables that have grown. Outside a transaction, the statement is a transaction of its own.
   * @param reads the models that it reads, if it writes nothing: rows of others may wait (deferInserts()). Default: it may write
   */
  $rows<Result>(sql: string, values: unknown[], reads?: readonly Prisma.ModelName[]): Promise<Result[]>;
  /**
   * The same for a statement that finds its few rows by a unique index, whatever the values: PostgreSQL may keep its plan.
   */
  $lookup<Result>(sql: string, values: unknown[], reads?: readonly Prisma.ModelName[]): Promise<Result[]>;
  /**
   * The same for a statement with very many rows: some at a time, in one reading of the tables. Inside a transaction only, as it
   * was when the statement began.
   * @param count so many rows at a time, of which the last have fewer
   */
  $stream<Result>(sql: string, values: unknown[], count: number): AsyncGenerator<Result[]>;
  /**
   * Takes an advisory lock of the tenant without waiting, and holds it until the transaction ends. Inside a transaction only.
   * @param name the lock's name within the tenant
   * @returns whether it was free
   */
  tryAdvisoryLock(name: string): Promise<boolean>;
  /** Limits how long a statement waits for a lock, until the transaction ends. See isLockTimeout(). */
  limitLockWaits(ms: number): Promise<void>;
  /** Has the audit log say that an import makes the changes, until the transaction ends. */
  actAsImport(): Promise<void>;
  /** Takes positions of the change feed, ascending, as triggers do: the feed's readers wait for this transaction. */
  nextChangePositions(count: number): Promise<bigint[]>;
  /**
   * Waits until no transaction holds this advisory lock of the tenant, not even shared. Inside a transaction, holds it until
   * the end.
   * @param mode `_shared` to hold it together with other transactions that share it: inside a transaction only
   */
  waitForAdvisoryLock(name: string, mode?: '' | '_shared'): Promise<void>;
  /**
   * Has PostgreSQL plan statements, and its checks of foreign keys, for any tenant instead of this one, until the transaction
   * ends. Without statistics of a tenant whose rows are new it expects one row, and may look each id up in an index that has
   * to be read from end to end.
   */
  planForAnyTenant(): Promise<void>;
  /**
   * Has PostgreSQL join tables by reading each of them once, however few rows it expects of the tenant, until the transaction
   * ends. Inside a transaction only.
   */
  planForManyRows(): Promise<void>;
  /**
   * Prepares a transaction for the first of very many rows of a tenant. Inside a transaction only, until its end:
   * - statements are planned for any tenant: see planForAnyTenant().
   * - deferred triggers run with each statement, because all of them at the commit would take longer than a statement may.
   *   They take the tenant's lock of the change feed, so the feed's readers wait for this transaction.
   * - issued invoices get no seller and buyer from a trigger: these are among the rows.
   */
  beginBulkInsert(): Promise<void>;
  /**
   * Runs the deferred triggers at the end of a transaction that has written very many rows: at the commit, all of them
   * would have to be done in the time of one statement. They take the tenant's lock of the change feed, for which the feed's
   * readers wait, so the commit must follow at once.
   */
  runDeferredTriggers(): Promise<void>;
  /**
   * A client of the same transaction whose insert() only collects rows. They are written together, before any other statement
   * that could see them, and by flush(). Inside a transaction only.
   * @param unordered models whose rows may be written after what happens later
   */
  deferInserts(unordered: readonly Prisma.ModelName[]): { db: Db; inserts: DeferredInserts };
}

type OmittedMember = '$disconnect' | '$extends' | '$on' | '$transaction';

/** A tenant's client, inside a transaction or not. */
export type Db = Omit<TenantClient, '$transaction'>;

const deferredTriggersTimeoutMs = 5 * 60_000;

/** Has a function run on the server of the tenant's tables: Citus runs a statement where the table is that it names. */
const besideTables = `from (select count(*) from changes where tenant_id = $1 and resource = '') as server`;

/** The number of cursors so far, as each needs a name. */
let cursors = 0;

class TenantScopedClient {
  readonly #books: Books;
  readonly #connection: TenantConnection;
  /** Prisma's client of the transaction; undefined outside one. */
  readonly #transactionClient: PrismaClient | undefined;
  readonly #delegates = new Map<Prisma.ModelName, TenantDelegate>();
  readonly #deferred: DeferredInserts | undefined;

  constructor(
    books: Books,
    connection: TenantConnection,
    transactionClient?: PrismaClient,
    deferred?: DeferredInserts,
  ) {
    this.#books = books;
    this.#connection = connection;
    this.#transactionClient = transactionClient;
    this.#deferred = deferred;
  }

  deferInserts(unordered: readonly Prisma.ModelName[]): { db: TenantScopedClient; inserts: DeferredInserts } {
    if (!this.#connection.isTransaction) throw new Error('Inserts are deferred inside a transaction');
    const inserts = new DeferredInserts((rows) => this.insert(rows), unordered);
    return { db: new TenantScopedClient(this.#books, this.#connection, this.#transactionClient, inserts), inserts };
  }

  /** Has nothing to do, because each statement takes a connection from the pool. Pothos expects a client to have it. */
  async $connect(): Promise<void> {}

  model(name: Prisma.ModelName): TenantDelegate {
    let delegate = this.#delegates.get(name);
    if (!delegate) {
      if (!tenantModels.has(name)) refuse(name);
      const { queryCompiler } = this.#books;
      const client = (): PrismaClient => this.#transactionClient ?? this.#books.client;
      delegate = new TenantDelegate(name, this.#connection, queryCompiler, client, this.#deferred);
      this.#delegates.set(name, delegate);
    }
    return delegate;
  }

  /** Within another transaction, a nested one. */
  $transaction<Result>(work: (db: TenantScopedClient) => Promise<Result>, limits?: TransactionLimits): Promise<Result> {
    if (typeof work !== 'function') throw new Error('A transaction of the books is a function');
    if (this.#deferred) throw new Error('A transaction that defers inserts has no savepoints');
    const connection = this.#connection.forTransaction();
    const client = this.#transactionClient ?? this.#books.client;
    return connection.asTenant(() =>
      client.$transaction(async (inner) => {
        try {
          const { isolationLevel, timeout } = limits ?? {};
          if (isolationLevel && timeout !== undefined) await allowIdle(connection, timeout);
          return await work(new TenantScopedClient(this.#books, connection, inner as PrismaClient));
        } finally {
          connection.throwIfAborted(); // also instead of an error that followed from it
        }
      }, limits),
    );
  }

  row<Of extends Prisma.ModelName>(model: Of, data: NewRow<Of>): Row<Of> {
    return newRow(this.#connection.tenantId, model, data);
  }

  async lock(model: Prisma.ModelName, id: string, lock: RowLock): Promise<unknown> {
    return this.model(model).lock(id, lock);
  }

  async insert(rows: Rows): Promise<void> {
    for (const model in rows) if (!tenantModels.has(model as Prisma.ModelName)) refuse(model);
    if (this.#deferred) return this.#deferred.add(rows);
    const { tenantId, isTransaction } = this.#connection;
    const statements = insertions(tenantId, rows);
    if (statements.length > 1 && !isTransaction)
      return retryContended(() => this.$transaction((inside) => inside.insert(rows)));
    try {
      for (const statement of statements) await this.#connection.send(this.#named(statement));
    } catch (error) {
      throw asPrismaError(error);
    }
  }

  #named({ text, values, actingText }: Insertion): ActingStatement {
    const { statementNames } = this.#books;
    const plain = { name: statementNames.of(text), text, values };
    if (actingText === undefined) return plain;
    return {
      ...plain,
      actAs: (actor) => ({ name: statementNames.of(actingText), text: actingText, values: [...values, actor] }),
    };
  }

  async insertNew<Of extends Prisma.ModelName>(model: Of, all: Row<Of>[], unique: UniqueColumns): Promise<Set<string>> {
    if (!tenantModels.has(model)) refuse(model);
    await this.#deferred?.beforeWriting();
    const written = new Set<string>();
    try {
      for (const { text, values } of insertions(this.#connection.tenantId, { [model]: all }, unique)) {
        const name = this.#books.statementNames.of(text);
        for (const { id } of await this.#connection.send<{ id: string }>({ name, text, values })) written.add(id);
      }
    } catch (error) {
      throw asPrismaError(error);
    }
    return written;
  }

  async $rows(text: string, values: unknown[], reads?: readonly Prisma.ModelName[]): Promise<unknown[]> {
    return this.#read({ text, values }, reads);
  }

  async $lookup(text: string, values: unknown[], reads?: readonly Prisma.ModelName[]): Promise<unknown[]> {
    return this.#read({ name: this.#books.statementNames.of(text), text, values }, reads);
  }

  async #read(
    { text, values, name }: { text: string; values: unknown[]; name?: string },
    reads: readonly Prisma.ModelName[] | undefined,
  ): Promise<unknown[]> {
    if (!text.includes('tenant_id = $1')) throw new Error('The statement does not name the tenant');
    for (const model of reads ?? []) await this.#deferred?.beforeReading(model, {});
    if (!reads) {
      await this.#deferred?.beforeWriting();
      await this.#deferred?.flush();
    }
    return this.#connection.send({ name, text, values: [this.#connection.tenantId, ...values] });
  }

  async *$stream(text: string, values: unknown[], count: number): AsyncGenerator<unknown[]> {
    if (!text.includes('tenant_id = $1')) throw new Error('The statement does not name the tenant');
    if (!this.#connection.isTransaction) throw new Error('Rows are streamed inside a transaction');
    await this.#deferred?.beforeWriting();
    await this.#deferred?.flush();
    const cursor = `rows_${(cursors += 1)}`;
    const all = [this.#connection.tenantId, ...values];
    await this.#connection.send({ text: `declare ${cursor} no scroll cursor for ${text}`, values: all });
    for (;;) {
      const rows = await this.#connection.send({ text: `fetch ${Math.trunc(count)} from ${cursor}` });
      if (rows.length === 0) break;
      yield rows;
    }
    await this.#connection.send({ text: `close ${cursor}` }); // else the end of the transaction does
  }

  async tryAdvisoryLock(name: string): Promise<boolean> {
    const text = 'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken';
    const values = [`${this.#connection.tenantId} ${name}`];
    const [row] = (await this.#connection.send({ text, values })) as { taken: boolean }[];
    return row?.taken === true;
  }

  async nextChangePositions(count: number): Promise<bigint[]> {
    const text = `select array(select next_change_position($1)::text from generate_series(1, $2::int)) as positions ${besideTables}`;
    const [row] = (await this.#connection.send({ text, values: [this.#connection.tenantId, count] })) as {
      positions: string[];
    }[];
    return (row?.positions ?? []).map(BigInt).toSorted((a, b) => (a < b ? -1 : 1));
  }

  async waitForAdvisoryLock(name: string, mode: '' | '_shared' = ''): Promise<void> {
    if (mode === '_shared' && !this.#connection.isTransaction)
      throw new Error('An advisory lock is shared inside a transaction');
    // Triggers take such locks.
    const text = `select pg_advisory_xact_lock${mode}(hashtextextended($1::uuid || ' ' || $2, 0)) ${besideTables}`;
    await this.#connection.send({ text, values: [this.#connection.tenantId, name] });
  }

  async actAsImport(): Promise<void> {
    // By SET LOCAL, which Citus passes on to the server of the tenant's tables.
    await this.#connection.send({ text: `set local kontor.actor_kind = 'import'` });
  }

  async limitLockWaits(ms: number): Promise<void> {
    // By SET LOCAL, which Citus passes on to the server of the tenant's tables.
    await this.#connection.send({ text: `set local lock_timeout = ${Math.trunc(ms)}` });
  }

  async planForAnyTenant(): Promise<void> {
    // Citus can't plan all statements so.
    const text = `select set_config('plan_cache_mode', 'force_generic_plan', true) where not is_distributed()`;
    await this.#connection.send({ text });
  }

  async planForManyRows(): Promise<void> {
    // By SET LOCAL, which Citus passes on to the server of the tenant's tables.
    await this.#connection.send({ text: 'set local enable_nestloop = off' });
    // Up to version 17, a nested loop that is needed nevertheless then seems so expensive that PostgreSQL compiles the statement,
    // which takes longer than it may. Behind a pooler, and on Citus' workers, sessions don't have our settings.
    await this.#connection.send({ text: 'set local jit = off' });
  }

  async beginBulkInsert(): Promise<void> {
    await this.#connection.send({
      text: `select run_deferred_triggers() ${besideTables}`,
      values: [this.#connection.tenantId],
    });
    await this.planForAnyTenant();
    // By SET LOCAL, which Citus passes on to the server of the tenant's tables.
    await this.#connection.send({ text: `set local kontor.imports_parties = 'on'` });
  }

  async runDeferredTriggers(): Promise<void> {
    const text = `select set_config('statement_timeout', $1, true)`;
    await this.#connection.send({ text, values: [String(deferredTriggersTimeoutMs)] });
    const statement: QueryConfig & { query_timeout: number } = {
      text: `select run_deferred_triggers() ${besideTables}`,
      values: [this.#connection.tenantId],
      query_timeout: deferredTriggersTimeoutMs,
    };
    await this.#connection.send(statement);
  }

  $queryRaw = refuseRaw;
  $executeRaw = refuseRaw;
  $queryRawUnsafe = refuseRaw;
  $executeRawUnsafe = refuseRaw;
}

/**
 * Lets a transaction that only reads wait between two statements as long as it may take: what it read may be written to a slow
 * storage meanwhile. PostgreSQL ends others after a minute, because of their locks.
 */
async function allowIdle(connection: TenantConnection, ms: number): Promise<void> {
  // By SET LOCAL, which Citus passes on to the server of the tenant's tables.
  await connection.send({ text: `set local idle_in_transaction_session_timeout = ${Math.trunc(ms)}` });
}

function refuse(model: string): never {
  throw new Error(`${model} is not a table of the books`);
}

for (const name of tables.keys()) {
  const refusing = Object.fromEntries(operations.map((operation) => [operation, () => refuse(name)]));
  const get = tenantModels.has(name)
    ? function (this: TenantScopedClient) {
        return this.model(name);
      }
    : () => refusing;
  Object.defineProperty(TenantScopedClient.prototype, delegateName(name), { get });
}

function refuseRaw(): never {
  throw new Error('The tenant client refuses raw SQL');
}
