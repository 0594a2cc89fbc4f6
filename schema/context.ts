import { retryContended, type Db, type Rows, type TenantClient } from '../prisma/client.ts';
import type { Ability } from './ability.ts';
import type { ApiToken, Identity, Tenant, User } from './identity/identity.ts';
import type { Known } from './rows/prefetched-row.ts';

/** Who is asking, as `src/identity/` found out. */
export interface Principal {
  user: User;
  tenant: Tenant;
  /** The personal access token the request came with. */
  token: ApiToken | null;
  /** The dashboard session it came with, if it did. */
  session?: { id: string };
}

/** The resources that events speak of, named as in the events' `data`. */
export type EventResource = 'customer' | 'invoice' | 'receipt' | 'project' | 'time_entry' | 'bank_transaction';

/**
 * The REST v1 representation of a resource as it stands in `context`'s transaction, as JSON text.
 * @param known as much of it as is known already: only the rest is read
 */
export type Represent = (resource: EventResource, id: string, context: Context, known?: Known) => Promise<string>;

/** What the domain asks of those who send webhooks. */
export interface Webhooks {
  /** Why a webhook can't have this address, in words; undefined if it can. */
  urlFault: (url: string) => Promise<string | undefined>;
  newSecret: () => string;
  /** Encrypts a secret for storage. */
  seal: (secret: string) => Uint8Array<ArrayBuffer>;
}

/**
 * The ids of the tenant's deliveries, of one webhook's or of all, each as it is made or changes from now on. Fails
 * where changes may have been missed.
 */
export type WatchDeliveries = (webhookId?: string | null) => Promise<AsyncIterable<string>>;

/** What every resolver gets. */
export interface Context extends Principal {
  /** The tenant's data, and nothing else; inside `transaction()`, that transaction. */
  db: Db;
  now: () => Date;
  may: (ability: Ability) => boolean;
  /** Says that the answer depends on who asks: stored under an Idempotency-Key, it is told to nobody else. */
  personal: () => void;
  represent: Represent;
  /** What was represented last for an event, whose transaction may not be over. */
  told: { last?: { id: string; text: string } };
  webhooks: Webhooks;
  identity: Identity;
  watchDeliveries: WatchDeliveries;
  /** The `X-Request-Id` of the request that is answered; null where none is. */
  requestId: string | null;
  /**
   * Runs `work` in a transaction: all of what it writes, events included, or nothing. Where others' transactions made
   * it fail, `work` is run again.
   */
  transaction: <T>(work: (context: Context) => Promise<T>, limits?: { timeout: number }) => Promise<T>;
  /**
   * The same for a whole request: each transaction that it asks for is a part of this one, and can fail by itself. Where
   * others' transactions made a part fail, all of `work` is run again.
   */
  wholly: <T>(work: (context: Context) => Promise<T>, limits?: { timeout: number }) => Promise<T>;
  /** Writes rows by one statement: all of them or none. Like `transaction()`, of which nothing else is to be a part. */
  insert: (rows: Rows) => Promise<void>;
}

export function createContext(options: {
  client: TenantClient;
  principal: Principal;
  now: () => Date;
  may: (ability: Ability) => boolean;
  represent: Represent;
  webhooks: Webhooks;
  identity: Identity;
  watchDeliveries: WatchDeliveries;
  requestId: string | null;
}): Context {
  const { client, principal, ...rest } = { ...options, told: {}, personal: () => {} };
  /** @param isOne whether all that is done with `db` is one transaction, which others join */
  const on = (db: TenantClient, isOne: boolean): Context => {
    const begin =
      (asOne: boolean): Context['transaction'] =>
      (work, limits) =>
        // Prisma writes into the options.
        db.$transaction((inner) => work(on(inner as TenantClient, asOne)), limits && { ...limits });
    const once = begin(true);
    // A part of a transaction can't be tried again by itself: it would meet the same locks.
    const retrying: typeof retryContended = db === client ? retryContended : (work) => work();
    const context: Context = {
      ...principal,
      ...rest,
      db,
      transaction: isOne ? (work) => work(context) : (work, limits) => retrying(() => once(work, limits)),
      wholly: (work, limits) => retrying(() => begin(false)(work, limits)),
      insert:
        db === client ? (rows) => db.insert(rows) : (rows) => context.transaction((inside) => inside.db.insert(rows)),
    };
    return context;
  };
  return on(client, false);
}

/** A calendar day in a time zone: from when until when, and the midnight UTC that stands for it; epoch milliseconds. */
interface Day {
  from: number;
  until: number;
  midnight: number;
}

/** The last day asked for, by time zone. To find one costs 1.5 µs of CPU, and a page of invoices asks for every row. */
const days = new Map<string, Day>();

/** The tenant's calendar day, as the midnight UTC that stands for it in `Date` fields. */
export function today({ now, tenant: { timezone } }: Pick<Context, 'now' | 'tenant'>): Date {
  const time = now().getTime();
  let day = days.get(timezone);
  if (!day || time < day.from || time >= day.until) days.set(timezone, (day = dayAt(time, timezone)));
  return new Date(day.midnight);
}

function dayAt(time: number, timezone: string): Day {
  const day = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timezone).toPlainDate();
  const startOf = (date: Temporal.PlainDate): number => date.toZonedDateTime(timezone).epochMilliseconds;
  return {
    from: startOf(day),
    until: startOf(day.add({ days: 1 })),
    midnight: Date.parse(`${day.toString()}T00:00:00Z`),
  };
}

/** The unique key of one of the tenant's rows. */
export const key = (context: Pick<Context, 'tenant'>, id: string) => ({
  tenantId_id: { tenantId: context.tenant.id, id },
});
