import {
  DatabaseError,
  types as defaultTypes,
  type CustomTypesConfig,
  type QueryArrayConfig,
  type QueryConfig,
  type QueryResult,
} from 'pg';
import { Connection } from '../connection.ts';
import type { Books } from '../client.ts';
import { asTenant, type Requester, type Transaction } from './pool.ts';
import { isContention, retryContended } from '../transaction-retry.ts';

/** Runs SQL for one tenant: each statement in a transaction of its own, or all of them in one transaction. */
export class TenantConnection {
  readonly tenantId: string;
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
  }

  get isTransaction(): boolean {
    return this.#transaction !== undefined;
  }

  /** Whether statements can be sent past Prisma: false once the transaction has ended. */
  get isUsable(): boolean {
    return !this.#transaction || this.#transaction.connection !== undefined;
  }

  /** Runs an operation of Prisma's as the tenant. */
  async asTenant<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#run(() => asTenant(this.tenantId, work, undefined, this.#requester));
  }

  /**
   * Outside a transaction, a statement that fails by contention is retried. Inside one the failure is recorded: savepoints
   * and error handlers would hide it, but the whole transaction has to be retried.
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

  /** Lets Prisma begin a transaction; within a transaction, a nested one (a savepoint). */
  async begin<Result>(work: (connection: TenantConnection) => Promise<Result>): Promise<Result> {
    if (this.#transaction) return this.asTenant(() => work(this));
    this.throwIfAborted();
    const transaction: Transaction = {};
    const connection = new TenantConnection(this.#books, this.tenantId, this.#requester, transaction);
    return asTenant(this.tenantId, () => work(connection), transaction, this.#requester);
  }

  /**
   * @throws the signal's reason once it is aborted; the transaction's contention error once it has failed by contention
   */
  throwIfAborted(): void {
    this.#requester.signal?.throwIfAborted();
    if (this.#transaction?.contention !== undefined) throw this.#transaction.contention;
  }

  /** Sends a statement past Prisma. */
  async send<Row>(statement: QueryConfig | QueryArrayConfig): Promise<Row[]> {
    const transaction = this.#transaction;
    return this.#run(async () =>
      transaction
        ? (await sendWithin<Row>(transaction, countRead(statement, this.#requester.onRead))).rows
        : this.#sendAlone<Row>(statement),
    );
  }

  async #sendAlone<Row>(statement: QueryConfig | QueryArrayConfig): Promise<Row[]> {
    const client = await asTenant(this.tenantId, () => this.#books.pool.connect(), undefined, this.#requester);
    let isBroken = true;
    if (!(client instanceof Connection)) throw new Error('A connection of another pool');
    const { onRead, onLongResult } = this.#requester;
    const reading = this.#books.longReads.begin(this.tenantId, client, onLongResult);
    // The server stops as well: the rest may be long.
    const counted = countRead(statement, onRead, () => client.abandon());
    try {
      const { rows } = await (client.query(counted) as Promise<QueryResult<Row & object>>);
      isBroken = false;
      return rows;
    } catch (error) {
      // An error of class 57P ends the connection, which may not know it yet.
      isBroken = !(error instanceof DatabaseError) || error.code?.startsWith('57P') === true;
      throw reading.refusal ?? error;
    } finally {
      reading.end();
      client.release(isBroken);
    }
  }
}

async function sendWithin<Row>(
  { connection }: Transaction,
  statement: QueryConfig | QueryArrayConfig,
): Promise<QueryResult<Row & object>> {
  if (!connection) throw new Error('The transaction has ended');
  return connection.query(statement) as Promise<QueryResult<Row & object>>;
}

/**
 * A statement whose values are counted as they arrive.
 * @param onExcess called when `onRead` throws
 */
function countRead<Statement extends QueryConfig | QueryArrayConfig>(
  statement: Statement,
  onRead: Requester['onRead'],
  onExcess: () => unknown = () => {},
): Statement {
  if (!onRead) return statement;
  const count = (value: string): void => {
    try {
      onRead(value.length);
    } catch (error) {
      onExcess();
      throw error;
    }
  };
  return { ...statement, types: countingTypes(statement.types, count) };
}

function countingTypes(types: CustomTypesConfig | undefined, count: (value: string) => void): CustomTypesConfig {
  if (types) {
    // Those of the query compiler, which leave each value as it is.
    const parse = (value: string): string => {
      count(value);
      return value;
    };
    return { getTypeParser: () => parse };
  }
  const getTypeParser = (oid: number, format?: 'text' | 'binary') => {
    const parse = defaultTypes.getTypeParser(oid, format as 'text');
    return (value: string): unknown => {
      count(value);
      return parse(value);
    };
  };
  return { getTypeParser: getTypeParser as CustomTypesConfig['getTypeParser'] };
}
