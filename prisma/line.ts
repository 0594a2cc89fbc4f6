import { DatabaseError, type Pool, type QueryArrayConfig, type QueryConfig, type QueryResult } from 'pg';
import { asTenant, type Asker, type Transaction } from './books.ts';
import { isContention, retryContended } from './contention.ts';

/** What a tenant says to PostgreSQL: each statement by itself, or all in one transaction. */
export class Line {
  readonly tenantId: string;
  readonly #pool: Pool;
  readonly #asker: Asker;
  readonly #transaction: Transaction | undefined;

  constructor(pool: Pool, tenantId: string, asker: Asker, transaction?: Transaction) {
    this.#pool = pool;
    this.tenantId = tenantId;
    this.#asker = asker;
    this.#transaction = transaction;
  }

  get isTransaction(): boolean {
    return this.#transaction !== undefined;
  }

  /** Whether statements of our own can be sent: not once its transaction has ended. */
  get isOpen(): boolean {
    return !this.#transaction || this.#transaction.connection !== undefined;
  }

  /** Runs what is Prisma's in the tenant's name. */
  async asTenant<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#run(() => asTenant(this.tenantId, work, undefined, this.#asker));
  }

  /**
   * Outside a transaction, a statement that fails by contention is tried again. In a transaction the failure is noted:
   * savepoints and whoever handles errors would hide it, but all of the transaction has to be tried again.
   */
  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.throwIfAborted();
    const transaction = this.#transaction;
    if (!transaction) return retryContended(work);
    try {
      return await work();
    } catch (error) {
      if (isContention(error)) transaction.contention ??= error;
      throw error;
    }
  }

  /** Lets Prisma begin a transaction; within one, a part of it. */
  async begin<Result>(work: (line: Line) => Promise<Result>): Promise<Result> {
    if (this.#transaction) return this.asTenant(() => work(this));
    this.throwIfAborted();
    const transaction: Transaction = {};
    const line = new Line(this.#pool, this.tenantId, this.#asker, transaction);
    return asTenant(this.tenantId, () => work(line), transaction, this.#asker);
  }

  /**
   * @throws the signal's reason, once nobody waits any more for what is asked or written here; the transaction's error
   *   of contention, once it has failed by that
   */
  throwIfAborted(): void {
    this.#asker.signal?.throwIfAborted();
    if (this.#transaction?.contention !== undefined) throw this.#transaction.contention;
  }

  /** Sends a statement past Prisma. */
  async send<Row>(statement: QueryConfig | QueryArrayConfig): Promise<Row[]> {
    const transaction = this.#transaction;
    return this.#run(async () =>
      transaction ? (await inTurn<Row>(transaction, statement)).rows : this.#sendAlone<Row>(statement),
    );
  }

  async #sendAlone<Row>(statement: QueryConfig | QueryArrayConfig): Promise<Row[]> {
    const client = await asTenant(this.tenantId, () => this.#pool.connect(), undefined, this.#asker);
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
