import type { Client } from 'pg';
import { createConnection } from '../../prisma/connection/connection.ts';
import type { Workers } from '../../prisma/distribute/workers.ts';
import { isDistributed } from '../../prisma/distribute/distributed.ts';
import { UnavailableError, type Holder } from '../../prisma/client.ts';
import { poolTimeouts } from '../../prisma/connection/pool-options.ts';
import {
  notificationChannels,
  type NotificationChannel,
  type NotificationPicker,
} from '../../schema/graphql/context.ts';
import type { CurrentTenant } from '../../schema/graphql/identity.ts';
import { CodedError } from '../../schema/errors/errors.ts';
import { accessChannel, AccessEndings } from './access-endings.ts';
import { lockRegistry, rowRegistry, type WatcherRegistry } from './watcher-registry.ts';

// A payload of NOTIFY is the tenant's id and what changed, separated by spaces.

/** Limit of watchers of one tenant in one process, together with those of its test tenants. */
export const maxWatchers = 100;
/** When to try again after that limit. */
const retryAfterSeconds = 10;
/** Limit of notifications that wait for one slow reader. */
const maxPending = 1000;
/** How often the connection is tried. The system itself notices after minutes that a server has gone without a word. */
export const tryEveryMs = 15_000;

export interface Notifications {
  /** See `TenantNotifications.watch`. Ends if notifications may be missed. */
  watch(
    channel: NotificationChannel,
    tenant: Pick<CurrentTenant, 'id' | 'holder'>,
    pick: NotificationPicker,
  ): Promise<AsyncIterableIterator<string>>;
  /**
   * Revocations of access. They are announced on the same connection, and thus before any change that was committed later.
   */
  readonly accessEndings: AccessEndings;
  /** Ends all subscriptions, and refuses new ones. */
  close(): Promise<void>;
}

interface Listener {
  connection: Client;
  registry: WatcherRegistry;
}

/**
 * Listens for notifications on one connection per process, which is opened for the first watcher, and again after it was lost.
 * @param url the URL of PostgreSQL itself: a pooler in transaction mode doesn't pass on notifications
 * @param workers where the books are distributed: the servers that have the tenants' rows
 */
export function createNotifications(url: string, workers: Workers): Notifications {
  const watchers = new Map<string, Set<Watcher>>();
  /** How many watchers each holder has. */
  const counts = new Map<Holder, number>();
  const accessEndings = new AccessEndings();
  let listening: Promise<Listener> | undefined;
  let closed = false;

  function endStreams(tenantIds: Iterable<string>): void {
    for (const tenantId of tenantIds) for (const watcher of watchers.get(tenantId) ?? []) void watcher.return();
  }

  function disconnect(): void {
    listening = undefined;
    endStreams(watchers.keys());
  }

  function connect(): Promise<Listener> {
    const client = createConnection({
      connectionString: url,
      ...poolTimeouts,
      application_name: 'kontor notifications',
    });
    const connecting = (async () => {
      await client.connect();
      await client.query([...notificationChannels, accessChannel].map((channel) => `listen ${channel}`).join('; '));
      const registry = (await isDistributed(client)) ? rowRegistry(client, workers, endStreams) : lockRegistry(client);
      const timer = setInterval(() => void client.query('select').catch(() => {}), tryEveryMs).unref();
      client.once('end', () => clearInterval(timer));
      return { connection: client, registry };
    })();
    const lost = (): void => {
      if (listening === connecting) disconnect();
    };
    client.on('error', lost).on('end', lost);
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === accessChannel) return accessEndings.announce(payload);
      const [tenantId = '', ...what] = payload.split(' ');
      for (const watcher of watchers.get(tenantId) ?? []) if (watcher.channel === channel) watcher.notify(what);
    });
    // The next watcher tries again, on another connection.
    connecting.catch(() => {
      lost();
      void client.end().catch(() => {});
    });
    return connecting;
  }

  return {
    accessEndings,
    watch: async (channel, { id: tenantId, holder }, pick) => {
      if (closed) throw new UnavailableError('The process is stopping');
      const count = counts.get(holder) ?? 0;
      if (count >= maxWatchers)
        throw new CodedError('RATE_LIMITED', `At most ${maxWatchers} subscriptions may be open at once.`, {
          retryAfter: retryAfterSeconds,
        });
      counts.set(holder, count + 1);
      const ofTenant = watchers.get(tenantId) ?? new Set();
      let remove: (() => void) | undefined;
      const watcher = new Watcher(channel, pick, () => {
        const left = (counts.get(holder) ?? 1) - 1;
        if (left > 0) counts.set(holder, left);
        else counts.delete(holder);
        ofTenant.delete(watcher);
        if (ofTenant.size === 0) watchers.delete(tenantId);
        remove?.();
      });
      watchers.set(tenantId, ofTenant.add(watcher));
      try {
        const { registry } = await (listening ??= connect());
        remove = await registry.add(tenantId, channel);
        if (watcher.hasEnded) remove(); // too many notifications came at once, or the connection was lost
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
      const listener = await open?.catch(() => undefined);
      await listener?.registry.close();
      await listener?.connection.end();
    },
  };
}

type Step = IteratorResult<string, undefined>;

/** The pending notifications of one watcher. Equal ones are merged. */
class Watcher implements AsyncIterableIterator<string, undefined> {
  readonly channel: NotificationChannel;
  readonly #pick: NotificationPicker;
  readonly #leave: () => void;
  readonly #waiting = new Set<string>();
  #ended = false;
  #reader: ((step: Step) => void) | undefined;

  constructor(channel: NotificationChannel, pick: NotificationPicker, leave: () => void) {
    this.channel = channel;
    this.#pick = pick;
    this.#leave = leave;
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  notify(what: string[]): void {
    const picked = this.#pick(what);
    if (picked === undefined) return;
    this.#waiting.add(picked);
    if (this.#waiting.size > maxPending) void this.return();
    this.#settle();
  }

  next(): Promise<Step> {
    return new Promise((resolve) => {
      this.#reader = resolve;
      this.#settle();
    });
  }

  async return(): Promise<Step> {
    if (!this.#ended) {
      this.#ended = true;
      this.#waiting.clear();
      this.#leave();
      this.#settle();
    }
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #settle(): void {
    const [first] = this.#waiting;
    if (!this.#reader || (first === undefined && !this.#ended)) return;
    if (first !== undefined) this.#waiting.delete(first);
    this.#reader(first === undefined ? { done: true, value: undefined } : { done: false, value: first });
    this.#reader = undefined;
  }
}
