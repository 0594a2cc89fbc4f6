import { AsyncLocalStorage } from 'node:async_hooks';
import type { PoolClient, PoolConfig } from 'pg';
import { currentActor } from '../connection/sender.ts';
import { WorkerShares } from './worker-shares.ts';
import type { Workers } from '../distribute/workers.ts';
import { ConnectionPool } from '../connection/connection.ts';
import { replaceBrokenConnections } from '../connection/pool-options.ts';
import { poolerProblem, getProcess, type Pooled } from '../connection/pooler.ts';
import { PreparedStatementNames } from '../connection/prepared-statement-names.ts';
import { longResult } from './long-reads.ts';
import { PooledConnection, UnnamedPooledConnection } from './pooled-connection.ts';
import { TenantBusyError, TenantQueues } from './connection-limit.ts';
import { getOwnHolder, type Holder } from './holder.ts';

/** A transaction on a tenant's tables. Prisma begins and ends it; this object says which connection it runs on. */
export interface Transaction {
  /** Undefined until it begins, null once it has ended. */
  connection?: PooledConnection | null;
  /** The serialization failure or deadlock that PostgreSQL aborted the transaction with. Later statements are lost. */
  contention?: unknown;
}

/** Bounds what is read for a request. A statement fails with the error that one of these throws. */
export interface ReadLimit {
  /** Called with the length in bytes of what has arrived. */
  read: (bytes: number) => void;
  /** Called before a long result is read on. */
  expectLong: () => void;
}

/** The request or job that needs connections. */
export interface Requester {
  /** Whose share of the connections it uses. */
  holder: Holder;
  /** Once it is aborted, nobody waits for a connection, no more statements are sent, and nothing is committed. */
  signal?: AbortSignal | undefined;
  /** Bounds what is read past Prisma. */
  readLimit?: ReadLimit | undefined;
  /** Who acts, for the audit log, as encodeActor() has it. Default: the actor of the async context. */
  actor?: string | undefined;
  /** Set after a wait in vain: until then the requester doesn't wait again, so that its remaining queries fail at once. */
  refused?: { error: TenantBusyError; until: number };
}

interface TenantScope {
  tenantId: string;
  /** The transaction that the current code is part of: it may hold a connection already. */
  transaction: Transaction | undefined;
  requester: Requester;
}

/** Async context of Prisma's operations: the tenant, and the transaction. */
const tenantScope = new AsyncLocalStorage<TenantScope>();

/**
 * Runs `work`, and everything that it awaits, as a tenant.
 * @param transaction the transaction that `work` is part of. If it has not begun, it is bound to the first connection that
 *   `work` acquires.
 */
export function asTenant<T>(
  tenantId: string,
  work: () => T,
  transaction?: Transaction,
  requester: Requester = { holder: getOwnHolder(tenantId) },
): T {
  const within = transaction ?? tenantScope.getStore()?.transaction;
  return tenantScope.run({ tenantId, transaction: within, requester }, work);
}

/** The share of the pool's connections that one tenant may hold at once, together with its test tenants. */
const share = 1 / 4;

type Callback = (error: Error | undefined, client: PoolClient | undefined, release: PoolClient['release']) => void;

/**
 * Pool of connections to the tenants' tables. An acquired connection has the role that owns nothing, and the current
 * tenant's id: row-level security then shows that tenant's rows and no others, whatever the query. Both are settings of the
 * session; or of each transaction, behind a pooler and where the books are distributed. `npm run test:reliability`
 * measures what the setting costs.
 */
export class TenantPool extends ConnectionPool {
  readonly #names: PreparedStatementNames;

  /** How many connections one holder may have, and how many each has. */
  readonly #share: number;
  readonly #held = new Map<Holder, number>();
  readonly #queues = new TenantQueues();
  #refused = 0;
  readonly #workers: Workers | undefined;
  readonly #workerShares: WorkerShares | undefined;

  /** @param workers the servers that have the tenants' rows, if they are more than one */
  constructor(
    config: PoolConfig,
    pooled: Pooled = 'session',
    names = new PreparedStatementNames(0),
    workers?: Workers,
  ) {
    const Client = pooled === 'session' ? PooledConnection : UnnamedPooledConnection;
    super({ ...config, Client, pipeline: true });
    this.#names = names;
    this.#share = Math.max(1, Math.floor(this.options.max * share));
    this.#workers = workers;
    this.#workerShares = workers && new WorkerShares(workers, this.options.max, this.options.connectionTimeoutMillis);
    replaceBrokenConnections(this);
    this.on('connect', (client) => {
      const connection = client as PoolClient & PooledConnection;
      connection.namesAtOpening = names.assigned;
      connection.countReceived(longResult);
      if (pooled === 'transaction') connection.setPerTransaction();
    });
    this.on('release', (_error, client) => {
      const connection = client as PoolClient & PooledConnection;
      if (connection.transaction) connection.transaction.connection = null;
      if (connection.holder !== undefined) this.#giveBack(connection.holder);
      connection.leaveWorker?.();
      connection.transaction = connection.onRun = connection.holder = connection.leaveWorker = undefined;
      connection.readLimit = undefined; // it holds a response, which an idle connection would keep in memory
    });
  }

  /** How many requests and jobs were refused a connection, because their tenant used its share. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * For Prisma: acquires a connection as the tenant of the async context. query() goes through this method, too.
   * @throws Error outside asTenant()
   */
  override connect(): Promise<PoolClient>;
  override connect(callback: Callback): void;
  override async connect(callback?: Callback): Promise<PoolClient | void> {
    let connection: PooledConnection;
    try {
      const scope = tenantScope.getStore();
      if (!scope) throw new Error('The books are opened in the name of a tenant only');
      const { tenantId, transaction, requester } = scope;
      connection = await this.acquire(tenantId, requester);
      if (transaction && transaction.connection === undefined) this.#bind(connection, transaction);
    } catch (error) {
      if (!callback) throw error;
      return callback(error as Error, undefined, () => {});
    }
    if (!callback) return connection;
    callback(undefined, connection, connection.release);
  }

  /**
   * Acquires a connection as a tenant. Waits while its holder, or its worker, has as many as one may.
   * @throws TenantBusyError; WorkerAwayError; the reason of the requester's signal once it is aborted
   */
  async acquire(tenantId: string, requester: Requester): Promise<PooledConnection> {
    // A second connection for a transaction's own code doesn't count towards the limit: it could wait for its own end.
    if (tenantScope.getStore()?.transaction?.connection) return this.#connectAs(tenantId, requester);
    if (requester.refused && performance.now() < requester.refused.until) throw requester.refused.error;
    requester.signal?.throwIfAborted();
    const { holder } = requester;
    const held = this.#held.get(holder) ?? 0;
    if (held < this.#share) this.#held.set(holder, held + 1);
    else await this.#waitForShare(holder, requester);
    let leaveWorker: (() => void) | undefined;
    try {
      if (this.#workers?.isKnownCluster) leaveWorker = await this.#workerShares?.enter(tenantId, requester.signal);
      const connection = await this.#connectAs(tenantId, requester);
      connection.holder = holder;
      connection.leaveWorker = leaveWorker;
      return connection;
    } catch (error) {
      leaveWorker?.();
      this.#giveBack(holder);
      throw error;
    }
  }

  /**
   * Binds a transaction to its connection until Prisma ends the transaction, for example after its timeout. A statement that
   * is sent later would run outside the transaction, and would be committed.
   */
  #bind(connection: PooledConnection, transaction: Transaction): void {
    transaction.connection = connection;
    connection.transaction = transaction;
    connection.onRun = (text) => {
      if (/^(?:commit|rollback)$/i.test(text)) transaction.connection = null;
    };
  }

  async #waitForShare(holder: Holder, requester: Requester): Promise<void> {
    try {
      const timeoutMs = this.options.connectionTimeoutMillis;
      await this.#queues.wait(holder, { timeoutMs, signal: requester.signal });
    } catch (error) {
      if (error instanceof TenantBusyError) {
        const now = performance.now();
        if (!requester.refused || requester.refused.until <= now) this.#refused += 1;
        requester.refused = { error, until: now + error.retryAfter * 1000 };
      }
      throw error;
    }
  }

  async #connectAs(tenantId: string, requester: Requester): Promise<PooledConnection> {
    const connection = (await super.connect()) as PoolClient & PooledConnection;
    if (this.#names.assigned - connection.namesAtOpening > this.#names.max) {
      connection.release(true); // it may hold the maximum of prepared statements, and never drops one
      return this.#connectAs(tenantId, requester);
    }
    if (connection.tenantId !== tenantId) await this.#setTenant(connection, tenantId);
    connection.actor = requester.actor ?? currentActor() ?? '';
    return connection;
  }

  /** Outside transactions only, so that no rollback undoes it. */
  async #setTenant(connection: PooledConnection, tenantId: string): Promise<void> {
    try {
      if (connection.tenantId === undefined) await this.#askDistributed(connection);
      if (!connection.isSetPerTransaction) {
        const values = [tenantId, getProcess(connection)];
        const { rowCount } = await connection.run({ name: 'enter', text: setRoleAndTenant, values });
        if (rowCount === 0) throw new Error(poolerProblem);
      }
      connection.tenantId = tenantId;
    } catch (error) {
      connection.release(true); // whatever it is set to now
      throw error;
    }
  }

  /** Each connection asks when it is new. `kontor distribute` closes those that were opened before. */
  async #askDistributed(connection: PooledConnection): Promise<void> {
    if (connection.isSetPerTransaction) return void (await this.#workers?.isCluster());
    const { rows } = await connection.run({ text: askDistributed, values: [getProcess(connection)] });
    const [answer] = rows as { distributed: boolean; pooled: boolean }[];
    if (!answer || answer.pooled) throw new Error(poolerProblem);
    if (!answer.distributed) return;
    connection.setPerTransaction();
    await this.#workers?.isCluster();
  }

  /** Only where a holder has its whole share, anybody can wait for it. */
  #giveBack(holder: Holder): void {
    const held = this.#held.get(holder) ?? 0;
    if (held === this.#share && this.#queues.takeNext(holder)) return;
    if (held > 1) this.#held.set(holder, held - 1);
    else this.#held.delete(holder);
  }
}

// Citus can't plan some statements for any tenant at once, which PostgreSQL tries at the sixth run of a named statement.
const askDistributed = `
  select distributed, pg_backend_pid() <> $1 as pooled,
    case when distributed then set_config('plan_cache_mode', 'force_custom_plan', false) end
  from is_distributed() as distributed`;

// Behind a pooler the statement sets nothing: the setting would stay with a server connection that others use.
const setRoleAndTenant = `
  select set_config('role', 'kontor_books', false), set_config('kontor.tenant_id', $1, false) where pg_backend_pid() = $2`;
