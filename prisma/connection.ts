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

/** Called with PostgreSQL's code of an error, or with `connection` where the connection itself failed. */
export type ErrorObserver = (code: string) => void;

interface ConnectionConfig extends ClientConfig {
  errorObservers?: ReadonlySet<ErrorObserver>;
}

type Arguments = [statement: string | QueryConfig, ...rest: unknown[]];
type Send = (...args: unknown[]) => unknown;
type Callback = (error: Error | null, result?: QueryResult) => void;

/**
 * A connection of pg with additions:
 * - it takes any number of statements and sends one at a time. (pg's next major version refuses a second statement.)
 * - it closes when a statement times out. pg would leave it in use for good, with its transaction open, and take the late
 *   answer for the next statement's.
 * - its answers are garbage as soon as nobody uses them. With pg's own promises, V8's minor collections keep each answer
 *   until the next full one.
 * - its statements and errors can be observed.
 *
 * Subclasses override execute(), for what a statement means on their connection, and send(), for how one is sent.
 */
export class Connection extends Client {
  #isBusy = false;
  /** Callbacks of waiting statements; each sends one. */
  readonly #waiting: (() => void)[] = [];

  /** Called with each statement's text when query() is called, before the statement waits for others. */
  onQuery: ((text: string) => void) | undefined;

  #onReceived: ((bytes: number) => void) | undefined;
  #countsReceived = false;

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

  /**
   * Called with the length of each part that PostgreSQL sends, after the part is parsed. A connection that never had one has
   * no listener for it: pg-copy-streams wants pg's to be the only one.
   */
  set onReceived(listener: ((bytes: number) => void) | undefined) {
    this.#onReceived = listener;
    if (this.#countsReceived || !listener) return;
    this.#countsReceived = true;
    this.connection.stream.on('data', (part: Buffer) => this.#onReceived?.(part.length));
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
    return this.#query(args as unknown as Arguments) as never;
  }

  #query(args: Arguments): unknown {
    this.onQuery?.(getStatement(args).text);
    if (!this.#isBusy || isStream(args[0])) return this.#executeNow(args);
    const { promise: turn, resolve: takeTurn } = Promise.withResolvers<void>();
    this.#waiting.push(takeTurn);
    const callback = args.find(isCallback);
    const withoutCallback = args.filter((each) => each !== callback) as Arguments;
    const result = turn.then(() => this.#executeNow(withoutCallback) as Promise<QueryResult>);
    return callback ? callbackify(() => result)(callback) : result;
  }

  #executeNow([statement, ...rest]: Arguments): unknown {
    if (isStream(statement)) return this.send(statement, ...rest);
    this.#isBusy = true;
    return notifyWhenSettled([statement, ...rest], (...args) => this.execute(...args), this.#answered);
  }

  readonly #answered: StatementEnd = (error) => {
    if (error instanceof Error && error.message === 'Query read timeout') this.connection.stream.destroy();
    const next = this.#waiting.shift();
    this.#isBusy = next !== undefined;
    next?.();
  };

  /** Runs a statement while no other runs. With a callback it returns nothing, else a promise. */
  protected execute(...args: Arguments): unknown {
    return this.send(...args);
  }

  /** Sends a statement to PostgreSQL. */
  protected send(...args: Arguments): unknown {
    const send = (...sent: Arguments): unknown => this.#sendWithCallback(sent);
    if (statementObservers.size === 0) return send(...args);
    const statement = getStatement(args);
    const ends = [...statementObservers].map((observer) => observer(statement, this));
    return notifyWhenSettled(args, send, (error, result) => {
      for (const end of ends) end?.(error, result);
    });
  }

  /** Always gives pg a callback, because pg's own promise keeps the answer in memory. */
  #sendWithCallback(args: Arguments): unknown {
    const send: Send = (...sent) => (super.query as Send).apply(this, sent);
    if (isStream(args[0]) || args.some(isCallback)) return send(...args);
    return new Promise((resolve, reject) => {
      const callback: Callback = (error, result) => (error ? reject(error) : resolve(result));
      send(...args, callback);
    }).catch((error: Error) => {
      Error.captureStackTrace(error); // pg does the same: the stack names the sender of the statement instead of the socket
      throw error;
    });
  }
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

const isCallback = (value: unknown): value is Callback => typeof value === 'function';

/** Whether the statement is a stream that reads the answer itself, as those of pg-copy-streams do. */
const isStream = (statement: unknown): boolean =>
  typeof (statement as { submit?: unknown } | null)?.submit === 'function';

function getStatement([statement, ...rest]: Arguments): Statement {
  const values = rest.find(Array.isArray);
  if (typeof statement === 'string') return { text: statement, values };
  return { text: statement.text, values: (statement.values as unknown[] | undefined) ?? values };
}

/** Calls `run` with the arguments of a query. Calls `end` once the query has settled, before its sender gets the result. */
function notifyWhenSettled(args: Arguments, run: (...args: Arguments) => unknown, end: StatementEnd): unknown {
  const wrapped = args.map((each) => {
    if (!isCallback(each)) return each;
    return (error: Error | null, result?: QueryResult) => {
      end(error ?? undefined, result);
      each(error, result);
    };
  }) as Arguments;
  try {
    const result = run(...wrapped);
    if (result instanceof Promise) {
      result.then(
        (answer: QueryResult) => end(undefined, answer),
        (error: unknown) => end(error ?? new Error('The statement failed')),
      );
    } else if (!args.some(isCallback)) {
      end(undefined);
    }
    return result;
  } catch (error) {
    end(error ?? new Error('The statement failed'));
    throw error;
  }
}
