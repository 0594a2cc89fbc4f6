import { AsyncLocalStorage } from 'node:async_hooks';
import type { PoolClient, PoolConfig } from 'pg';
import { Connection, ConnectionPool } from '../connection.ts';
import { replaceBrokenConnections } from '../pool-options.ts';
import { poolerFault, getProcess, type Pooled } from '../pooler.ts';
import { PreparedStatementNames } from '../prepared-statement-names.ts';
import { TenantBusyError, TenantLimit } from './connection-limit.ts';
import { TenantTransactions, UnnamedTenantTransactions } from './transactions.ts';

/** A transaction on a tenant's tables. Prisma begins and ends it; this object says which connection it runs on. */
export interface Transaction {
  connection?: PoolClient | undefined;
  /** The serialization failure or deadlock that PostgreSQL aborted the transaction with. Later statements are lost. */
  contention?: unknown;
}

/** The request or job that needs connections. */
export interface Requester {
  /** Once it is aborted, nobody waits for a connection, no more statements are sent, and nothing is committed. */
  signal?: AbortSignal | undefined;
  /**
   * Called with the length of each value that is read past Prisma. If it throws, the rest of the answer is dropped: the
   * statement fails with its error.
   */
  onRead?: ((length: number) => void) | undefined;
  /** Called before a long result is read on. If it throws, the statement fails with its error. */
  onLongResult?: (() => void) | undefined;
  /** Set after a wait in vain: until then the requester doesn't wait again, so that its remaining queries fail at once. */
  refused?: { error: TenantBusyError; until: number };
}

interface TenantScope {
  tenantId: string;
  transaction: Transaction | undefined;
  /** The transaction that the current code is part of: it may hold a connection already. */
  within: Transaction | undefined;
  requester: Requester;
}

/** Async context: the current tenant's id, and the transaction to bind to the next connection. */
const tenantScope = new AsyncLocalStorage<TenantScope>();

/**
 * Runs `work`, and everything that it awaits, as a tenant.
 * @param transaction the transaction that `work` begins: it is bound to the first connection that `work` acquires
 */
export function asTenant<T>(tenantId: string, work: () => T, transaction?: Transaction, requester: Requester = {}): T {
  const within = transaction ?? tenantScope.getStore()?.within;
  return tenantScope.run({ tenantId, transaction, within, requester }, work);
}

/** The share of the pool's connections that one tenant may hold at once. */
const share = 1 / 4;

type Callback = (error: Error | undefined, client: PoolClient | undefined, release: PoolClient['release']) => void;

/**
 * Pool of connections to the tenants' tables. An acquired connection has the role that owns nothing, and the current
 * tenant's id: row-level security then shows that tenant's rows and no others, whatever the query. Both are settings of the
 * session; or of each transaction, behind a pooler and where the books are distributed. `npm run test:reliability`
 * measures what the setting costs.
 */
export class TenantPool extends ConnectionPool {
  /** The tenant that a connection was last set to. It is set outside transactions only, so that no rollback undoes it. */
  readonly #tenantOf = new WeakMap<PoolClient, string>();

  /** Callbacks for the next release of a connection. */
  readonly #atRelease = new WeakMap<PoolClient, (() => void)[]>();

  /** Whether role and tenant are set for each transaction of a connection. */
  readonly #perTransaction = new WeakMap<PoolClient, boolean>();

  readonly #pooled: Pooled;
  readonly #limit: TenantLimit;
  #refused = 0;
  readonly #names: PreparedStatementNames;
  /** How many statement names had been assigned when a connection was opened. */
  readonly #namesAtOpening = new WeakMap<PoolClient, number>();

  constructor(config: PoolConfig, pooled: Pooled = 'session', names = new PreparedStatementNames(0)) {
    const Client = pooled === 'session' ? TenantTransactions : UnnamedTenantTransactions;
    super({ ...config, Client, pipeline: true });
    this.#pooled = pooled;
    replaceBrokenConnections(this);
    this.on('connect', (connection) => this.#namesAtOpening.set(connection, names.assigned));
    this.on('release', (_error, connection) => this.#released(connection));
    this.#names = names;
    this.#limit = new TenantLimit(Math.max(1, Math.floor(this.options.max * share)));
  }

  /** How many requests and jobs were refused a connection, because their tenant used its share. */
  get refused(): number {
    return this.#refused;
  }

  /** All acquisitions, query() included, go through this method. @throws Error outside asTenant() */
  override connect(): Promise<PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<PoolClient> | void {
    if (!callback) return this.#acquire();
    void this.#acquireForCallback(callback);
  }

  async #acquireForCallback(callback: Callback): Promise<void> {
    let client: PoolClient;
    try {
      client = await this.#acquire();
    } catch (error) {
      return callback(error as Error, undefined, () => {});
    }
    callback(undefined, client, client.release);
  }

  async #acquire(): Promise<PoolClient> {
    const scope = tenantScope.getStore();
    if (!scope) throw new Error('The books are opened in the name of a tenant only');
    const client = await this.#acquireWithinLimit(scope);
    if (scope.transaction) {
      this.#bindToTransaction(scope.transaction, client);
      scope.transaction = undefined;
    }
    return client;
  }

  /** Waits while the tenant holds as many connections as one tenant may. */
  async #acquireWithinLimit({ tenantId, within, requester }: TenantScope): Promise<PoolClient> {
    // A second connection for a transaction's own code doesn't count towards the limit: it could wait for its own end.
    if (within?.connection) return this.#connectAs(tenantId);
    const releaseSlot = await this.#waitForLimit(tenantId, requester);
    try {
      const client = await this.#connectAs(tenantId);
      this.#onRelease(client, releaseSlot);
      return client;
    } catch (error) {
      releaseSlot();
      throw error;
    }
  }

  /** @throws TenantBusyError */
  async #waitForLimit(tenantId: string, requester: Requester): Promise<() => void> {
    if (requester.refused && performance.now() < requester.refused.until) throw requester.refused.error;
    try {
      const timeoutMs = this.options.connectionTimeoutMillis;
      return await this.#limit.acquire(tenantId, { timeoutMs, signal: requester.signal });
    } catch (error) {
      if (error instanceof TenantBusyError) {
        const now = performance.now();
        if (!requester.refused || requester.refused.until <= now) this.#refused += 1;
        requester.refused = { error, until: now + error.retryAfter * 1000 };
      }
      throw error;
    }
  }

  async #connectAs(tenantId: string): Promise<PoolClient> {
    const client = await super.connect();
    if (this.#names.assigned - (this.#namesAtOpening.get(client) ?? 0) > this.#names.max) {
      client.release(true); // it may hold the maximum of prepared statements, and never drops one
      return this.#connectAs(tenantId);
    }
    try {
      await this.#setTenant(client, tenantId);
    } catch (error) {
      client.release(true); // whatever it is set to now
      throw error;
    }
    return client;
  }

  async #setTenant(client: PoolClient, tenantId: string): Promise<void> {
    if (await this.#setsPerTransaction(client)) {
      if (!(client instanceof TenantTransactions)) throw new Error('A connection of another pool');
      client.tenantId = tenantId;
      return;
    }
    if (this.#tenantOf.get(client) === tenantId) return;
    const { rowCount } = await client.query({
      name: 'enter',
      text: setRoleAndTenant,
      values: [tenantId, getProcess(client)],
    });
    if (rowCount === 0) throw new Error(poolerFault);
    this.#tenantOf.set(client, tenantId);
  }

  /** Each connection asks when it is new. `kontor distribute` closes those that were opened before. */
  async #setsPerTransaction(client: PoolClient): Promise<boolean> {
    if (this.#pooled === 'transaction') return true;
    const known = this.#perTransaction.get(client);
    if (known !== undefined) return known;
    const { rows } = await client.query<{ distributed: boolean; pooled: boolean }>(askDistributed, [
      getProcess(client),
    ]);
    const [answer] = rows;
    if (!answer || answer.pooled) throw new Error(poolerFault);
    this.#perTransaction.set(client, answer.distributed);
    return answer.distributed;
  }

  /**
   * Binds the transaction to the connection until Prisma ends the transaction, for example after its timeout. A statement
   * that is sent later would run outside the transaction, and would be committed.
   */
  #bindToTransaction(transaction: Transaction, client: PoolClient): void {
    const unbind = (): void => void (transaction.connection = undefined);
    transaction.connection = client;
    if (!(client instanceof Connection)) throw new Error('A connection of another pool');
    client.onQuery = (text) => {
      if (/^(?:commit|rollback)$/i.test(text)) unbind();
    };
    this.#onRelease(client, () => {
      client.onQuery = undefined;
      unbind();
    });
  }

  #onRelease(client: PoolClient, work: () => void): void {
    this.#atRelease.set(client, [...(this.#atRelease.get(client) ?? []), work]);
  }

  #released(client: PoolClient): void {
    const callbacks = this.#atRelease.get(client) ?? [];
    this.#atRelease.delete(client);
    for (const callback of callbacks.toReversed()) callback();
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
