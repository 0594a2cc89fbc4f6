import { AsyncLocalStorage } from 'node:async_hooks';
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { replaceBroken } from './patience.ts';
import { poolerFault, processOf, TenantTransactions, type Pooled } from './pooler.ts';
import { PreparedNames } from './prepared.ts';
import { TenantBusyError, TenantLimit } from './tenant-limit.ts';

/** A transaction on the books. Prisma begins it, and ends it; this is where it takes place meanwhile. */
export interface Transaction {
  connection?: PoolClient | undefined;
  /** Ends with the last of what waits for its turn there: `pg` takes one statement at a time. */
  last?: Promise<unknown>;
  /** The error of contention that PostgreSQL has failed it with. What it does from then on is lost. */
  contention?: unknown;
}

/** Who asks for connections: a request, or a job. */
export interface Asker {
  /** Once it is aborted, nobody waits for a connection any more. */
  signal?: AbortSignal | undefined;
  /** It has waited in vain: until then it isn't let wait again, so that all it asks for is refused together. */
  refused?: { error: TenantBusyError; until: number };
}

interface Surroundings {
  tenantId: string;
  transaction: Transaction | undefined;
  /** The transaction that the code that runs is a part of: it may hold a connection already. */
  within: Transaction | undefined;
  asker: Asker;
}

/** Whose books the code that runs is about, and which transaction it is about to begin. */
const surroundings = new AsyncLocalStorage<Surroundings>();

/**
 * Runs `work`, and all that it waits for, in a tenant's name.
 * @param transaction what `work` begins: it takes place on the first connection that `work` takes
 */
export function asTenant<T>(tenantId: string, work: () => T, transaction?: Transaction, asker: Asker = {}): T {
  const within = transaction ?? surroundings.getStore()?.within;
  return surroundings.run({ tenantId, transaction, within, asker }, work);
}

type Callback = (error: Error | undefined, client: PoolClient | undefined, release: PoolClient['release']) => void;

/**
 * Connections to the books. Whoever takes one gets it in the role that owns nothing, and set to the tenant in whose
 * name the code runs: row-level security then shows that tenant's rows and no others, whatever is asked.
 *
 * What that costs a get by id over REST, in two runs of `npm run test:reliability` on a busy machine: 2 and 13 % with one
 * tenant, 17 and 22 % with a thousand in turn, which need the setting nearly every time.
 */
export class BooksPool extends Pool {
  /** What a connection was last set to. It is set outside transactions only, so that no rollback undoes it unseen. */
  readonly #tenantOf = new WeakMap<PoolClient, string>();

  readonly #limit: TenantLimit;
  #refused = 0;
  readonly #names: PreparedNames;
  /** How many names were given when a connection was opened. */
  readonly #givenBefore = new WeakMap<PoolClient, number>();

  constructor(config: PoolConfig, pooled: Pooled = 'session', names = new PreparedNames(0)) {
    super(pooled === 'session' ? config : { ...config, Client: TenantTransactions, pipeline: true });
    replaceBroken(this);
    this.on('connect', (connection) => this.#givenBefore.set(connection, names.given));
    this.#names = names;
    this.#limit = new TenantLimit(this.options.max);
  }

  /** How many requests and jobs have waited in vain for one of their tenant's connections. */
  get refused(): number {
    return this.#refused;
  }

  /** Every way to a connection leads through here, query() too. @throws Error where no tenant is named */
  override connect(): Promise<PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<PoolClient> | void {
    if (!callback) return this.#enter();
    void this.#enterFor(callback);
  }

  async #enterFor(callback: Callback): Promise<void> {
    let client: PoolClient;
    try {
      client = await this.#enter();
    } catch (error) {
      return callback(error as Error, undefined, () => {});
    }
    callback(undefined, client, client.release);
  }

  async #enter(): Promise<PoolClient> {
    const around = surroundings.getStore();
    if (!around) throw new Error('The books are opened in the name of a tenant only');
    const client = await this.#enterWithin(around);
    if (around.transaction) {
      takePlace(around.transaction, client);
      around.transaction = undefined;
    }
    return client;
  }

  /** Waits while the tenant holds as many connections as one tenant may. */
  async #enterWithin({ tenantId, within, asker }: Surroundings): Promise<PoolClient> {
    // What a transaction asks beside itself doesn't wait for the tenant's turn: it would wait for its own end.
    if (within?.connection) return this.#entered(tenantId);
    const giveBack = await this.#waitForTurn(tenantId, asker);
    try {
      const client = await this.#entered(tenantId);
      const { release } = client;
      client.release = (error) => {
        giveBack();
        release(error);
      };
      return client;
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** @throws TenantBusyError */
  async #waitForTurn(tenantId: string, asker: Asker): Promise<() => void> {
    if (asker.refused && performance.now() < asker.refused.until) throw asker.refused.error;
    try {
      const timeoutMs = this.options.connectionTimeoutMillis;
      return await this.#limit.acquire(tenantId, { timeoutMs, signal: asker.signal });
    } catch (error) {
      if (error instanceof TenantBusyError) {
        const now = performance.now();
        if (!asker.refused || asker.refused.until <= now) this.#refused += 1;
        asker.refused = { error, until: now + error.retryAfter * 1000 };
      }
      throw error;
    }
  }

  async #entered(tenantId: string): Promise<PoolClient> {
    const client = await super.connect();
    if (this.#names.given - (this.#givenBefore.get(client) ?? 0) > this.#names.most) {
      client.release(true); // it may hold as many prepared statements, and never forgets one
      return this.#entered(tenantId);
    }
    if (client instanceof TenantTransactions) {
      client.tenantId = tenantId;
      return client;
    }
    if (this.#tenantOf.get(client) === tenantId) return client;
    try {
      const { rowCount } = await client.query({ name: 'enter', text: enter, values: [tenantId, processOf(client)] });
      if (rowCount === 0) throw new Error(poolerFault);
    } catch (error) {
      client.release(true); // whatever it is set to now
      throw error;
    }
    this.#tenantOf.set(client, tenantId);
    return client;
  }
}

/** Until it gives the connection back, whose tenant may then be another. */
function takePlace(transaction: Transaction, client: PoolClient): void {
  const { release } = client;
  transaction.connection = client;
  client.release = (error) => {
    transaction.connection = undefined;
    release(error);
  };
}

// Behind a pooler it sets nothing: that would stay with a connection which others use.
const enter = `
  select set_config('role', 'kontor_books', false), set_config('kontor.tenant_id', $1, false) where pg_backend_pid() = $2`;
