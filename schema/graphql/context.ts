import { retryFailed, type Actor, type Db, type Prisma, type Rows, type TenantClient } from '../../prisma/client.ts';
import type { EventResource } from '../resource-list.ts';
import type { Ability } from './ability.ts';
import type { FileStorage } from './file-storage.ts';
import type { Write } from './execution/json-serializer.ts';
import type { ResponseSize } from './execution/response-size.ts';
import type { ApiToken, CurrentTenant, Identity, User } from './identity.ts';
import type { TrustedDocumentStore } from './trusted-document-store.ts';

/** The authenticated caller, as `src/identity/` established it. */
export interface Principal {
  user: User;
  tenant: CurrentTenant;
  /** The API token of the request; null in a session. */
  token: ApiToken | null;
  /** The session of the request, if it has one. */
  session?: { id: string };
}

/** How REST v1 represents a resource: what GET selects of it, and how that is written as JSON. */
export interface Representation {
  query: (context: Context) => object;
  shape: { write: Write };
}

/** The addresses from which a client that may read an invoice or a receipt downloads its files, by the same token. */
export interface FileLinks {
  invoicePdf: (id: string) => string;
  invoiceXml: (id: string, format: string) => string;
  attachment: (receiptId: string, id: string) => string;
}

/** The domain's interface to the sender of webhooks. */
export interface Webhooks {
  /** The reason why a webhook can't have this address, as a sentence; undefined if it can. */
  findUrlProblem: (url: string) => Promise<string | undefined>;
  newSecret: () => string;
  /** Encrypts a secret for storage. */
  seal: (secret: string) => Uint8Array<ArrayBuffer>;
}

/** The channels on which triggers, requests, and imports notify a tenant's watchers (src/notifications/notifications.ts). */
export const notificationChannels = ['deliveries', 'events', 'changes', 'requests', 'imports'] as const;
export type NotificationChannel = (typeof notificationChannels)[number];

/**
 * Picks what a watcher wants to know of a notification, such as an id; undefined for a notification that it ignores.
 * @param what the payload after the tenant's id
 */
export type NotificationPicker = (what: string[]) => string | undefined;

/** Notifications of one tenant. */
export interface TenantNotifications {
  /**
   * Yields the results of `pick` for the tenant's notifications from now on. Several pending ones that are equal are merged.
   * Ends if notifications may be missed.
   */
  watch: (channel: NotificationChannel, pick: NotificationPicker) => Promise<AsyncIterableIterator<string>>;
  /** Notifies the tenant's watchers at once, also if the current transaction is rolled back later. May be lost. */
  notify: (channel: NotificationChannel, what: string) => void;
}

/** Limits of a transaction. */
export interface TransactionOptions {
  timeout: number;
  isolationLevel?: 'RepeatableRead';
  /** Whether each transaction() and insert() in it becomes a savepoint, which can fail alone. Default: they join it. */
  savepoints?: true;
}

/** The context of every resolver. */
export interface Context extends Principal {
  /** The tenant's client; inside `transaction()`, the transaction's. */
  db: Db;
  /** The tenant's client outside of every transaction: what it writes stays, whatever becomes of the current one. */
  outside: Db;
  /**
   * The caller, as the audit log names them; undefined for jobs and the command line, which have no credentials and say
   * themselves who they are.
   */
  actor: Actor | undefined;
  /** The time of the service; businessTime() is the tenant's. */
  now: () => Date;
  may: (ability: Ability) => boolean;
  /** Marks the response as dependent on the caller. If it is stored for an Idempotency-Key, it is replayed to them only. */
  markPersonal: () => void;
  /** REST's representations, for events and the change feed. */
  representations: ReadonlyMap<EventResource['model'], Representation>;
  webhooks: Webhooks;
  identity: Identity;
  documents: TrustedDocumentStore;
  fileLinks: FileLinks;
  /** The files of all tenants: each key of this tenant begins with its id. */
  fileStorage: FileStorage;
  notifications: TenantNotifications;
  /** The `X-Request-Id` of the request; null outside of a request. */
  requestId: string | null;
  /**
   * Has a worker make PostgreSQL's statistics soon of tables that the caller has just added rows to, if these are very many. May
   * be lost.
   */
  announceRows: (models: readonly Prisma.ModelName[], count: number) => void;
  /** The size of the request's response; undefined outside of a request, and for what isn't part of the response. */
  responseSize: ResponseSize | undefined;
  /** Aborted once nobody waits for the result any more. `db` then sends no more statements, and commits nothing. */
  signal: AbortSignal | undefined;
  /**
   * Runs `work` in a transaction: its writes and events are committed together or not at all. If the transaction fails by
   * contention, all of `work` is retried.
   */
  transaction: <T>(work: (context: Context) => Promise<T>, options?: Partial<TransactionOptions>) => Promise<T>;
  /** Writes all rows, or none: in one statement, unless they are very many. */
  insert: (rows: Rows) => Promise<void>;
}

export function createContext(options: {
  client: TenantClient;
  principal: Principal;
  actor: Actor | undefined;
  now: () => Date;
  may: (ability: Ability) => boolean;
  representations: Context['representations'];
  webhooks: Webhooks;
  identity: Identity;
  documents: TrustedDocumentStore;
  fileLinks: FileLinks;
  fileStorage: FileStorage;
  notifications: TenantNotifications;
  announceRows: Context['announceRows'];
  requestId: string | null;
  responseSize: ResponseSize | undefined;
  signal: AbortSignal | undefined;
}): Context {
  const { client, principal, ...rest } = { ...options, markPersonal: () => {} };
  /** @param isJoined whether transaction() and insert() join the transaction of `db`, instead of opening a savepoint */
  const on = (db: TenantClient, isJoined: boolean): Context => {
    const begin: Context['transaction'] = (work, { savepoints, ...limits } = {}) =>
      // Prisma writes into the limits, so each transaction has an object of its own.
      db.$transaction((inner) => work(on(inner, !savepoints)), limits);
    // A savepoint can't be retried alone: the transaction would still hold the locks that caused the failure.
    const beginRetried: Context['transaction'] =
      db === client
        ? (...args) => begin(...args).catch((error: unknown) => retryFailed(error, () => begin(...args)))
        : begin;
    const context: Context = {
      ...principal,
      ...rest,
      db,
      outside: client,
      transaction: isJoined ? (work) => work(context) : beginRetried,
      insert:
        isJoined || db === client
          ? (rows) => db.insert(rows)
          : (rows) => context.transaction((inside) => inside.db.insert(rows)),
    };
    return context;
  };
  return on(client, false);
}

/** A calendar day in a time zone: its start, its end, and the midnight UTC that represents it; epoch milliseconds. */
interface Day {
  from: number;
  until: number;
  midnight: number;
}

/** Cache: the current day of each time zone. A page of invoices needs it for every row. */
const days = new Map<string, Day>();

/**
 * The time by the tenant's clock: for what happens to its business (DECISIONS.md#d160-test-tenants). `now()` is the time of the
 * service, for everything else. Only a test tenant's clock is ahead.
 */
export const businessTime = ({ now, tenant }: Pick<Context, 'now' | 'tenant'>): Date =>
  new Date(now().getTime() + tenant.clockAheadMs);

/** The tenant's current calendar day, as the midnight UTC that represents it in `Date` fields. */
export function today(context: Pick<Context, 'now' | 'tenant'>): Date {
  const { timezone, clockAheadMs } = context.tenant;
  const time = context.now().getTime() + clockAheadMs;
  const known = days.get(timezone);
  if (known && time >= known.from && time < known.until) return new Date(known.midnight);
  const day = dayAt(time, timezone);
  if (clockAheadMs === 0) days.set(timezone, day); // other tenants' days stay
  return new Date(day.midnight);
}

function dayAt(time: number, timezone: string): Day {
  const day = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timezone).toPlainDate();
  const findStart = (date: Temporal.PlainDate): number => date.toZonedDateTime(timezone).epochMilliseconds;
  return {
    from: findStart(day),
    until: findStart(day.add({ days: 1 })),
    midnight: Date.parse(`${day.toString()}T00:00:00Z`),
  };
}

/** The unique key of one of the tenant's rows. */
export const key = (context: Pick<Context, 'tenant'>, id: string) => ({
  tenantId_id: { tenantId: context.tenant.id, id },
});
