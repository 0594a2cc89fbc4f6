import type { Client } from 'pg';
import { createConnection } from '../../prisma/connection.ts';
import { poolTimeouts } from '../../prisma/pool-options.ts';
import { CodedError } from '../../schema/errors.ts';
import { accessChannel, AccessEndings } from './access-endings.ts';

// A trigger on `deliveries` notifies this channel of each change if the tenant has a watcher. A watcher holds this lock.
const channel = 'deliveries';
const lock = `hashtextextended($1 || ' ${channel}', 0)`;

/** Limit of subscriptions of one tenant in one process. */
const maxWatchers = 100;
/** Limit of deliveries that wait for one slow reader. */
const maxPendingIds = 1000;

export interface DeliveryChanges {
  /**
   * The ids of deliveries that are created or change from now on, of one webhook or of all webhooks of the tenant. Several
   * pending changes of one delivery are merged. Ends if changes may be missed: the reader must then read the list again.
   */
  watch(tenantId: string, webhookId?: string | null): Promise<AsyncIterableIterator<string>>;
  /**
   * Revocations of access. They are announced on the same connection, and thus before any change that was committed later.
   */
  readonly accessEndings: AccessEndings;
  /** Ends all subscriptions, and refuses new ones. */
  close(): Promise<void>;
}

/**
 * Listens for changes on one connection per process, which is opened for the first watcher, and again after it was lost.
 * @param url the URL of PostgreSQL itself: a pooler in transaction mode doesn't pass on notifications
 */
export function createDeliveryChanges(url: string): DeliveryChanges {
  const watchers = new Map<string, Set<Watcher>>();
  const accessEndings = new AccessEndings();
  let listening: Promise<Client> | undefined;
  let closed = false;

  function disconnect(): void {
    listening = undefined;
    for (const watcher of [...watchers.values()].flatMap((ofTenant) => [...ofTenant])) void watcher.return();
  }

  function connect(): Promise<Client> {
    const client = createConnection({ connectionString: url, ...poolTimeouts, application_name: 'kontor changes' });
    const connecting = (async () => {
      await client.connect();
      await client.query(`listen ${channel}; listen ${accessChannel}`);
      return client;
    })();
    const lost = (): void => {
      if (listening === connecting) disconnect();
    };
    client.on('error', lost).on('end', lost);
    client.on('notification', ({ channel: heardOn, payload = '' }) => {
      if (heardOn === accessChannel) return accessEndings.announce(payload);
      const [tenantId = '', webhookId = '', id = ''] = payload.split(' ');
      for (const watcher of watchers.get(tenantId) ?? []) watcher.notify(webhookId, id);
    });
    connecting.catch(lost); // the next watcher tries again
    return connecting;
  }

  return {
    accessEndings,
    watch: async (tenantId, webhookId = null) => {
      if (closed) throw new Error('The process is stopping');
      const ofTenant = watchers.get(tenantId) ?? new Set();
      if (ofTenant.size >= maxWatchers)
        throw new CodedError('RATE_LIMITED', `At most ${maxWatchers} subscriptions may be open at once.`);
      let held: Client | undefined;
      const watcher = new Watcher(webhookId, () => {
        ofTenant.delete(watcher);
        if (ofTenant.size === 0) watchers.delete(tenantId);
        held?.query(`select pg_advisory_unlock_shared(${lock})`, [tenantId]).catch(() => {}); // gone with its connection
      });
      watchers.set(tenantId, ofTenant.add(watcher));
      try {
        const open = await (listening ??= connect());
        await open.query(`select pg_advisory_lock_shared(${lock})`, [tenantId]);
        held = open;
      } catch (error) {
        await watcher.return();
        throw error;
      }
      return watcher;
    },
    close: async () => {
      closed = true;
      const open = listening;
      disconnect();
      await open?.then(
        (connection) => connection.end(),
        () => {},
      );
    },
  };
}

type Step = IteratorResult<string, undefined>;

/** The pending changes of one subscription. */
class Watcher implements AsyncIterableIterator<string, undefined> {
  readonly #webhookId: string | null;
  readonly #leave: () => void;
  readonly #waiting = new Set<string>();
  #ended = false;
  #reader: ((step: Step) => void) | undefined;

  constructor(webhookId: string | null, leave: () => void) {
    this.#webhookId = webhookId;
    this.#leave = leave;
  }

  notify(webhookId: string, id: string): void {
    if (this.#webhookId !== null && this.#webhookId !== webhookId) return;
    this.#waiting.add(id);
    if (this.#waiting.size > maxPendingIds) void this.return();
    this.#answer();
  }

  next(): Promise<Step> {
    return new Promise((resolve) => {
      this.#reader = resolve;
      this.#answer();
    });
  }

  async return(): Promise<Step> {
    if (!this.#ended) {
      this.#ended = true;
      this.#waiting.clear();
      this.#leave();
      this.#answer();
    }
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #answer(): void {
    const [id] = this.#waiting;
    if (!this.#reader || (id === undefined && !this.#ended)) return;
    if (id !== undefined) this.#waiting.delete(id);
    this.#reader(id === undefined ? { done: true, value: undefined } : { done: false, value: id });
    this.#reader = undefined;
  }
}
