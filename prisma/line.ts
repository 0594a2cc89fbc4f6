import { DatabaseError, type Pool, type QueryArrayConfig, type QueryConfig, type QueryResult } from 'pg';
import { asTenant, type Transaction } from './books.ts';

/** What a tenant says to PostgreSQL: each statement by itself, or all in one transaction. */
export class Line {
  readonly tenantId: string;
  readonly #pool: Pool;
  readonly #signal: AbortSignal | undefined;
  readonly #transaction: Transaction | undefined;

  constructor(pool: Pool, tenantId: string, signal?: AbortSignal, transaction?: Transaction) {
    this.#pool = pool;
    this.tenantId = tenantId;
    this.#signal = signal;
    this.#transaction = transaction;
  }

  /** Whether statements of our own can be sent: not once its transaction has ended. */
  get isOpen(): boolean {
    return !this.#transaction || this.#transaction.connection !== undefined;
  }

  /** Runs what is Prisma's in the tenant's name. */
  async asTenant<Result>(work: () => Promise<Result>): Promise<Result> {
    this.throwIfAborted();
    return asTenant(this.tenantId, work);
  }

  /** Lets Prisma begin a transaction; within one, a part of it. */
  async begin<Result>(work: (line: Line) => Promise<Result>): Promise<Result> {
    if (this.#transaction) return this.asTenant(() => work(this));
    this.throwIfAborted();
    const transaction: Transaction = {};
    const line = new Line(this.#pool, this.tenantId, this.#signal, transaction);
    return asTenant(this.tenantId, () => work(line), transaction);
  }

  /** @throws the signal's reason, once nobody waits any more for what is asked or written here */
  throwIfAborted(): void {
    this.#signal?.throwIfAborted();
  }

  /** Sends a statement past Prisma. */
  async send<Row>(statement: QueryConfig | QueryArrayConfig): Promise<Row[]> {
    this.throwIfAborted();
    if (this.#transaction) return (await inTurn<Row>(this.#transaction, statement)).rows;
    const client = await asTenant(this.tenantId, () => this.#pool.connect());
    let isBroken = true;
    try {
      const { rows } = await (client.query(statement) as Promise<QueryResult<Row & object>>);
      isBroken = false;
      return rows;
    } catch (error) {
      isBroken = !(error instanceof DatabaseError);
      throw error;
    } finally {
      client.release(isBroken);
    }
  }
}

/** One after the other: `pg` takes one statement at a time on a connection. */
function inTurn<Row>(transaction: Transaction, statement: QueryConfig | QueryArrayConfig): Promise<{ rows: Row[] }> {
  const result = (transaction.last ?? Promise.resolve()).then(() => {
    if (!transaction.connection) throw new Error('The transaction has ended');
    return transaction.connection.query(statement) as Promise<QueryResult<Row & object>>;
  });
  transaction.last = result.catch(() => {});
  return result;
}
