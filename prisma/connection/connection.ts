import { callbackify } from 'node:util';
// eslint-disable-next-line no-restricted-imports -- all other modules import this one instead of pg
import { Client, Pool, type ClientConfig, type PoolConfig, type QueryConfig, type QueryResult } from 'pg';

// The only module that changes what pg's connections do. Every connection and pool of the service is made here, or is of
// a subclass of these two classes: nothing replaces a method of pg's own objects.

/** A statement, as it is sent to PostgreSQL. */
export interface Statement {
  text: string;
  values?: unknown[] | undefined;
}

/**
 * Called with each statement when it is sent, in the async context of its sender.
 * @returns a function to call once the statement is answered, if the observer needs to know. `error` is undefined where
 *   the statement succeeded. A stream (COPY) counts as answered once it is begun, without a result.
 */
export type StatementObserver = (statement: Statement, connection: Client) => StatementEnd | void;
export type StatementEnd = (error: unknown, result?: QueryResult) => void;

const statementObservers = new Set<StatementObserver>();

/**
 * Observes the statements of all the process's connections: for traces, logs, and tests.
 * @returns a function that ends the observation
 */
export function observeStatements(observer: StatementObserver): () => void {
  statementObservers.add(observer);
  return () => void statementObservers.delete(observer);
}

/** Called with a statement that took long, once it is answered, in the async context of its sender. */
export type SlowStatementObserver = (statement: Statement, ms: number, error: unknown) => void;

const slowStatementObservers = new Set<{ slowMs: number; observe: SlowStatementObserver }>();

/**
 * Observes the statements of all the process's connections that take this long, except for streams.
 * @returns a function that ends the observation
 */
export function observeSlowStatements(slowMs: number, observe: SlowStatementObserver): () => void {
  const observer = { slowMs, observe };
  slowStatementObservers.add(observer);
  return () => void slowStatementObservers.delete(observer);
}

/** Called with PostgreSQL's code of an error, or with `connection` where the connection itself failed. */
export type ErrorObserver = (code: string) => void;

interface ConnectionConfig extends ClientConfig {
  errorObservers?: ReadonlySet<ErrorObserver>;
}

/** A statement that reads its answer itself, as the streams of pg-copy-streams do. */
interface Stream extends Statement {
  submit: unknown;
}

type Callback = (error: Error | null, result: QueryResult) => void;
type Arguments = [
  statement: string | QueryConfig | Stream,
  valuesOrCallback?: unknown[] | Callback,
  callback?: Callback,
];

/**
 * A connection of pg with additions:
 * - it takes any number of statements and sends one at a time. (pg's next major version refuses a second statement.)
 * - it closes when a statement times out. pg would leave it in use for good, with its transaction open, and take the late
 *   answer for the next statement's.
 * - its answers are garbage as soon as nobody uses them. With pg's own promises, V8's minor collections keep each answer
 *   until the next full one.
 * - its statements and errors can be observed.
 * - what Prisma writes is sent so that Citus accepts it, too.
 *
 * A statement takes one way: run() waits for its turn, send() sends it. query() is pg's interface to the same.
 */
export class Connection extends Client {
  #isBusy = false;
  /** Callbacks of waiting statements; each sends one. */
  readonly #waiting: (() => void)[] = [];

  /** Called with each statement's text before the statement waits for others. */
  onRun: ((text: string) => void) | undefined;

  /** Of a subclass: sends a statement with others around it, while no other runs. */
  protected execute: ((statement: QueryConfig) => Promise<QueryResult>) | undefined;

  constructor(config?: string | ConnectionConfig) {
    super(config);
    const observers = typeof config === 'object' ? config.errorObservers : undefined;
    if (!observers) return;
    const notify: ErrorObserver = (code) => {
      for (const observer of observers) observer(code);
    };
    // Neither pg's client nor its pool has an event for these, and none at all while it connects.
    const protocol: NodeJS.EventEmitter = this.connection;
    protocol.on('errorMessage', ({ code }: { code?: string }) => notify(code ?? ''));
    protocol.on('error', () => notify('connection'));
  }

  /** How many bytes have arrived since it was last set to 0. Only counted after countReceived(). */
  received = 0;

  /** Called with each part of an answer that has become long: see countReceived(). */
  onLongAnswer: (() => void) | undefined;

  /** Is told the length in bytes of what has arrived: see countReceived(). */
  readLimit: { read: (bytes: number) => void } | undefined;

  /** The error of `readLimit`. It has closed the connection. */
  excess: unknown;

  /**
   * Counts what PostgreSQL sends, after it is parsed. If `readLimit` throws, the connection is closed: the rest may be long.
   * Must not be called on a connection for streams: pg-copy-streams wants pg's listener to be the only one.
   * @param long the bytes beyond which an answer is long
   */
  countReceived(long: number): void {
    this.connection.stream.on('data', (part: Buffer) => {
      this.received += part.length;
      if (this.received > long) this.onLongAnswer?.();
      try {
        this.readLimit?.read(part.length);
      } catch (error) {
        this.excess ??= error;
        this.abandon();
      }
    });
  }

  /** Closes the connection in the middle of a statement, whose answer is of no use any more. */
  abandon(): void {
    this.connection.stream.destroy();
  }

  /** Stops reading in the middle of a statement's answer. PostgreSQL sends no more than the buffers between hold. */
  pause(): void {
    this.connection.stream.pause();
  }

  /** Reads on. */
  resume(): void {
    this.connection.stream.resume();
  }

  /** One signature for all overloads of pg. */
  override query(...args: never[]): never {
    const [statement, second, third] = args as unknown as Arguments;
    if (typeof statement === 'object' && 'submit' in statement) return this.#stream(statement, args) as never;
    const config = typeof statement === 'string' ? { text: statement } : statement;
    const answer = this.run(Array.isArray(second) ? { ...config, values: second } : config);
    const callback = typeof second === 'function' ? second : third;
    if (!callback) return answer as never;
    return callbackify(() => answer)(callback) as never;
  }

  /** Runs a statement once those before it are answered. */
  async run(statement: QueryConfig): Promise<QueryResult> {
    this.onRun?.(statement.text);
    if (this.#isBusy) await new Promise<void>((takeTurn) => this.#waiting.push(takeTurn));
    this.#isBusy = true;
    try {
      return await (this.execute ? this.execute(statement) : this.send(statement));
    } catch (error) {
      if (error instanceof Error && error.message === 'Query read timeout') this.abandon();
      throw error;
    } finally {
      const next = this.#waiting.shift();
      this.#isBusy = next !== undefined;
      next?.();
    }
  }

  /** Sends a statement to PostgreSQL. */
  protected async send(statement: QueryConfig): Promise<QueryResult> {
    const sent = statement.text.includes(returning) ? forCitus(statement) : statement;
    const end = statementObservers.size > 0 ? notifyObservers(sent, this) : undefined;
    const sentAt = performance.now();
    let failure: unknown;
    try {
      // Always gives pg a callback, because pg's own promise keeps the answer in memory.
      const answer = await new Promise<QueryResult>((resolve, reject) => {
        super.query(sent, (error: Error | null, result) => (error ? reject(error) : resolve(result)));
      });
      end?.(undefined, answer);
      return answer;
    } catch (error) {
      Error.captureStackTrace(error as Error); // pg does the same: the stack names the sender of the statement instead of the socket
      end?.(error);
      throw (failure = error);
    } finally {
      const ms = performance.now() - sentAt;
      for (const { slowMs, observe } of slowStatementObservers) if (ms >= slowMs) observe(sent, ms, failure);
    }
  }

  /** A stream doesn't wait for the statements before it. */
  #stream(stream: Stream, args: never[]): unknown {
    const end = notifyObservers(stream, this);
    try {
      const answer: unknown = (super.query as (...sent: never[]) => unknown).apply(this, args);
      end(undefined);
      return answer;
    } catch (error) {
      end(error);
      throw error;
    }
  }
}

const returning = ' RETURNING ';

/**
 * A statement of Prisma's without the casts of enums to text in its RETURNING clause. Citus takes only immutable functions there,
 * and these casts aren't. PostgreSQL sends an enum as text anyway.
 */
function forCitus(statement: QueryConfig): QueryConfig {
  const { text } = statement;
  const start = text.lastIndexOf(returning);
  return { ...statement, text: text.slice(0, start) + text.slice(start).replaceAll(/(?<=")::text\b(?!\[)/g, '') };
}

/** @returns a function to call once the statement is answered */
function notifyObservers(statement: Statement, connection: Client): StatementEnd {
  const ends = [...statementObservers].map((observer) => observer(statement, connection));
  return (error, result) => {
    for (const end of ends) end?.(error, result);
  };
}

/** Makes a connection outside of a pool. The caller must close it. */
export const createConnection = (config: ClientConfig): Client => new Connection(config);

/** A pool of such connections. */
export class ConnectionPool extends Pool {
  readonly #errorObservers: Set<ErrorObserver>;

  /** @param config may name a subclass of Connection as its `Client` */
  constructor(config: PoolConfig) {
    const errorObservers = new Set<ErrorObserver>();
    super({ Client: Connection, ...config, errorObservers } as PoolConfig);
    this.#errorObservers = errorObservers;
  }

  /** Observes the errors of the pool's connections, those of connecting too. */
  observeErrors(observer: ErrorObserver): void {
    this.#errorObservers.add(observer);
  }
}
