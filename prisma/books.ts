import { AsyncLocalStorage } from 'node:async_hooks';
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { replaceBroken } from './patience.ts';
import { poolerFault, processOf, TenantTransactions, type Pooled } from './pooler.ts';

/** Whose books the code that runs is about. */
const tenants = new AsyncLocalStorage<string>();

/** Runs `work`, and all that it waits for, in a tenant's name. */
export const asTenant = <T>(tenantId: string, work: () => T): T => tenants.run(tenantId, work);

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

  constructor(config: PoolConfig, pooled: Pooled = 'session') {
    super(pooled === 'session' ? config : { ...config, Client: TenantTransactions, pipeline: true });
    replaceBroken(this);
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
    const tenantId = tenants.getStore();
    if (tenantId === undefined) throw new Error('The books are opened in the name of a tenant only');
    const client = await super.connect();
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

// Behind a pooler it sets nothing: that would stay with a connection which others use.
const enter = `
  select set_config('role', 'kontor_books', false), set_config('kontor.tenant_id', $1, false) where pg_backend_pid() = $2`;
