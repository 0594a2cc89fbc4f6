import type { Books } from './client.ts';
import { Prisma, type PrismaClient } from './generated/client/client.ts';
import { asPrismaError, insertion, newRow, type NewRow, type Row, type Rows } from './insert.ts';
import { Line } from './line.ts';
import { Model, operations } from './model.ts';
import type { RowLock } from './reads/reader.ts';
import { tables } from './tables.ts';

/** The tables of the books: exactly those whose primary key begins with tenant_id (a test compares). */
export const tenantModels: ReadonlySet<Prisma.ModelName> = new Set([
  'Customer',
  'Invoice',
  'InvoiceItem',
  'InvoiceSequence',
  'Receipt',
  'Project',
  'TimeEntry',
  'BankTransaction',
  'Payment',
  'Event',
  'Webhook',
  'Delivery',
  'DeliveryAttempt',
  'StoredAnswer',
  'Tally',
]);

/**
 * The one door to tenant data: a client that can't see or write another tenant's rows. Every statement names the
 * tenant; relations stay inside it because every foreign key carries tenant_id; and row-level security holds where all
 * of that should fail. Identity's tables are refused, and raw SQL but for queueUp(), takeTurn() and $rows().
 * @param signal once it is aborted, nothing more is asked and nothing committed
 */
export const forTenant = (books: Books, tenantId: string, signal?: AbortSignal): TenantClient =>
  new Door(books, new Line(books.pool, tenantId, { signal }), books.client) as unknown as TenantClient;

/** Prisma's client, as far as it passes the door, and what it has no words for. */
export interface TenantClient extends Omit<PrismaClient, Closed> {
  $transaction<Result>(
    work: (db: TenantClient) => Promise<Result>,
    limits?: { maxWait?: number; timeout?: number },
  ): Promise<Result>;
  /** A row of the tenant's in full, not written yet. */
  row<Of extends Prisma.ModelName>(model: Of, data: NewRow<Of>): Row<Of>;
  /**
   * Takes the lock of one of the tenant's rows until the transaction ends, and reads the row under it: nobody else can
   * change it meanwhile. Inside a transaction only.
   * @returns null if the tenant has no such row
   */
  lock<Of extends Prisma.ModelName>(model: Of, id: string, lock: RowLock): Promise<Row<Of> | null>;
  /** Writes rows by one statement: all of them or none, those that refer to each other too. */
  insert(rows: Rows): Promise<void>;
  /**
   * The rows of a statement of our own: for what Prisma has no words for, or too many. It names the tenant as `$1`, which
   * the door fills in. It is planned anew each time, so that no plan outlives the size of its tables. Inside a
   * transaction it is a part of that, else one by itself.
   */
  $rows<Result>(sql: string, values: unknown[]): Promise<Result[]>;
}

type Closed = '$connect' | '$disconnect' | '$extends' | '$on' | '$transaction';

/** A tenant's client, inside a transaction or not. */
export type Db = Omit<TenantClient, '$transaction'>;

class Door {
  readonly #books: Books;
  readonly #line: Line;
  /** All tenants', or a transaction's. */
  readonly #client: PrismaClient;
  readonly #models = new Map<Prisma.ModelName, Model>();

  constructor(books: Books, line: Line, client: PrismaClient) {
    this.#books = books;
    this.#line = line;
    this.#client = client;
  }

  model(name: Prisma.ModelName): Model {
    let model = this.#models.get(name);
    if (!model) {
      model = new Model(name, this.#line, this.#books.reader, this.#client[propertyOf(name)]);
      this.#models.set(name, model);
    }
    return model;
  }

  /** Within another, it is a part of that. */
  $transaction(work: (db: Door) => Promise<unknown>, limits?: object): Promise<unknown> {
    if (typeof work !== 'function') throw new Error('A transaction of the books is a function');
    return this.#line.begin((line) =>
      this.#client.$transaction(async (inner) => {
        const result = await work(new Door(this.#books, line, inner as PrismaClient));
        line.throwIfAborted();
        return result;
      }, limits),
    );
  }

  row<Of extends Prisma.ModelName>(model: Of, data: NewRow<Of>): Row<Of> {
    return newRow(this.#line.tenantId, model, data);
  }

  async lock(model: Prisma.ModelName, id: string, lock: RowLock): Promise<unknown> {
    if (!isOfBooks(model)) refuse(model);
    return this.model(model).lock(id, lock);
  }

  async insert(rows: Rows): Promise<void> {
    for (const model of Object.keys(rows)) if (!isOfBooks(model)) refuse(model);
    try {
      await this.#line.send(insertion(this.#line.tenantId, rows));
    } catch (error) {
      throw asPrismaError(error);
    }
  }

  async $rows(text: string, values: unknown[]): Promise<unknown[]> {
    if (!text.includes('tenant_id = $1')) throw new Error('The statement does not name the tenant');
    return this.#line.send({ text, values: [this.#line.tenantId, ...values] });
  }

  async $queryRaw(sql: Prisma.Sql): Promise<unknown> {
    if (sql.sql !== turnSql) refuseRaw();
    return this.#line.asTenant(async () => await this.#client.$queryRaw(sql));
  }

  async $executeRaw(sql: Prisma.Sql): Promise<number> {
    if (sql.sql !== queueSql) refuseRaw();
    return this.#line.asTenant(async () => await this.#client.$executeRaw(sql));
  }

  $queryRawUnsafe = refuseRaw;
  $executeRawUnsafe = refuseRaw;
}

const propertyOf = (model: Prisma.ModelName) => (model.charAt(0).toLowerCase() + model.slice(1)) as 'customer';
const isOfBooks = (model: string): boolean => tenantModels.has(model as Prisma.ModelName);

function refuse(model: string): never {
  throw new Error(`${model} is not a table of the books`);
}

for (const name of tables.keys()) {
  const refusing = Object.fromEntries(operations.map((operation) => [operation, () => refuse(name)]));
  Object.defineProperty(Door.prototype, propertyOf(name), {
    get(this: Door) {
      return isOfBooks(name) ? this.model(name) : refusing;
    },
  });
}

function refuseRaw(): never {
  throw new Error('Raw SQL does not pass the tenant door');
}

const queue = (tenantId: string, what: string) =>
  Prisma.sql`select pg_advisory_xact_lock(hashtextextended(${`${tenantId} ${what}`}, 0))`;
const queueSql = queue('', '').sql;

/**
 * Lets one of the tenant's transactions at a time do `what`: waits for those before it to end. With takeTurn(), the
 * only raw SQL that passes the tenant door, as Prisma has no words for a lock.
 */
export async function queueUp(db: Db, tenantId: string, what: string): Promise<void> {
  await db.$executeRaw(queue(tenantId, what));
}

const turn = (tenantId: string, what: string) =>
  Prisma.sql`select pg_try_advisory_xact_lock(hashtextextended(${`${tenantId} ${what}`}, 0)) as taken`;
const turnSql = turn('', '').sql;

/** The same without waiting: whether no other transaction is at `what`, so that this one may be. */
export async function takeTurn(db: Db, tenantId: string, what: string): Promise<boolean> {
  const [row] = await db.$queryRaw<{ taken: boolean }[]>(turn(tenantId, what));
  return row?.taken === true;
}
