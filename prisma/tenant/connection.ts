import { DatabaseError, type QueryArrayConfig, type QueryConfig } from 'pg';
import type { Books } from '../client.ts';
import type { LongRead } from './long-reads.ts';
import { asTenant, type Requester, type Transaction } from './pool.ts';
import { isContention, retryFailed } from '../connection/transaction-retry.ts';

/** Runs SQL for one tenant: each statement in a transaction of its own, or all of them in one transaction. */
export class TenantConnection {
  readonly tenantId: string;
  readonly isTransaction: boolean;
  readonly #books: Pick<Books, 'pool' | 'longReads'>;
  readonly #requester: Requester;
  readonly #transaction: Transaction | undefined;

  constructor(
    books: Pick<Books, 'pool' | 'longReads'>,
    tenantId: string,
    requester: Requester,
    transaction?: Transaction,
  ) {
    this.#books = books;
    this.tenantId = tenantId;
    this.#requester = requester;
    this.#transaction = transaction;
    this.isTransaction = transaction !== undefined;
  }

  /**
   * For a transaction that Prisma begins in asTenant() of the result. Within a transaction it is a nested one, a savepoint on
   * the same connection.
   */
  forTransaction(): TenantConnection {
    return this.isTransaction ? this : new TenantConnection(this.#books, this.tenantId, this.#requester, {});
  }

  /**
   * @throws the signal's reason once it is aborted; the transaction's contention error once it has failed by contention
   */
  throwIfAborted(): void {
    this.#requester.signal?.throwIfAborted();
    if (this.#transaction?.contention !== undefined) throw this.#transaction.contention;
  }

  /** Runs an operation of Prisma's as the tenant. Contention is handled as in send(). */
  async asTenant<Result>(work: () => Promise<Result>): Promise<Result> {
    this.throwIfAborted();
    const transaction = this.#transaction;
    try {
      return await asTenant(this.tenantId, work, transaction, this.#requester);
    } catch (error) {
      if (!isContention(error)) throw error;
      if (!transaction) return retryFailed(error, () => asTenant(this.tenantId, work, undefined, this.#requester));
      transaction.contention ??= error;
      throw error;
    }
  }

  /**
   * Sends a statement past Prisma. Outside a transaction, one that fails by contention is retried. Inside one the failure is
   * recorded: savepoints and error handlers would hide it, but the whole transaction has to be retried.
   */
  async send<Row>(statement: QueryConfig | QueryArrayConfig): Promise<Row[]> {
    this.throwIfAborted();
    const transaction = this.#transaction;
    try {
      if (!transaction) return await this.#sendAlone(statement);
      if (!transaction.connection) throw new Error('The transaction has ended');
      return await transaction.connection.read<Row>(statement, this.#requester.readLimit);
    } catch (error) {
      if (!isContention(error)) throw error;
      if (!transaction) return retryFailed(error, () => this.#sendAlone(statement));
      transaction.contention ??= error;
      throw error;
    }
  }

  async #sendAlone<Row>(statement: QueryConfig | QueryArrayConfig): Promise<Row[]> {
    const { holder, readLimit } = this.#requester;
    const connection = await this.#books.pool.acquire(this.tenantId, this.#requester);
    let isBroken = true;
    let reading: LongRead | undefined;
    connection.received = 0;
    connection.onLongAnswer = () => (reading ??= this.#books.longReads.begin(holder, connection, readLimit));
    try {
      const rows = await connection.read<Row>(statement, readLimit);
      isBroken = false;
      return rows;
    } catch (error) {
      // An error of class 57P ends the connection, which may not know it yet.
      isBroken = !(error instanceof DatabaseError) || error.code?.startsWith('57P') === true;
      throw reading?.refusal ?? error;
    } finally {
      connection.onLongAnswer = undefined;
      reading?.end();
      connection.release(isBroken);
    }
  }
}
