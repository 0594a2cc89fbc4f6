import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Pool } from 'pg';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { DeliveryOutcomes } from '../../../schema/resources/delivery/attempts.ts';
import { version } from '../../../schema/version.ts';
import type { RateLimiter } from '../../security/rate-limit.ts';
import { success, type Outcome } from '../../webhooks/post.ts';
import { getMethod, findRoute } from './route.ts';

/** Why a connection was closed: `refused`, a new one without a free slot; `shed`, an idle one, to make room for a new one. */
export type NoRoom = 'refused' | 'shed';

/**
 * The metrics of this process, for Prometheus (text format 0.0.4). No label contains a tenant, a token, an address or an id:
 * each has a small number of values. Those of webhooks and of bulk operations leave out test tenants, whose failures are nobody's
 * to mend.
 */
export interface Metrics {
  registry: Registry;
  /** Counts a request once its response has ended. */
  watch(request: IncomingMessage, response: ServerResponse, path: string): void;
  /** Wraps a limiter, and counts its verdicts. */
  limiter(limiter: RateLimiter): RateLimiter;
  signIn(outcome: 'entered' | 'rejected' | 'throttled'): void;
  /** Counts a connection that was closed because a limit was reached. */
  noRoom(why: NoRoom): void;
  /** Registers a function that counts open connections of clients. It is called when metrics are requested. */
  connections(open: () => number): void;
  /** Counts an attempt to deliver. */
  attempt(outcome: Outcome): void;
  /** Counts the states of deliveries after an attempt. */
  deliveries(consequences: DeliveryOutcomes): void;
  /** Counts lines of bulk operations that were done. */
  bulkLines(outcome: 'succeeded' | 'failed', count: number): void;
  /** Counts a bulk operation that a worker has ended. */
  bulkOperation(outcome: 'completed' | 'failed'): void;
  /** Counts a job that failed, by its task and the reason (src/jobs/queue/count-failures.ts). */
  jobFailed(task: string, reason: string): void;
  /** Counts an error of a database connection, by SQLSTATE or by the system's code. */
  databaseError(code: string): void;
  /** Registers a function that counts requests refused because their tenant used its share of connections. */
  tenantBusy(count: () => number): void;
  /** Registers a function that finds when the last good backup was made; undefined if there is none. */
  lastBackup(find: () => Promise<Date | undefined>): void;
  /** Registers a pool. It is read when metrics are requested. */
  pool(name: string, pool: Pool): void;
}

/** Histogram buckets in seconds: from responses out of memory to timeouts. */
const buckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  // These are sums of others. Prometheus takes names with `_total` for those of counters.
  for (const name of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${name}_total`);

  const build = new Gauge({
    name: 'kontor_build_info',
    help: 'Always 1; version: Kontor’s',
    labelNames: ['version'],
    registers,
    aggregator: 'first',
  });
  build.set({ version }, 1);

  const requests = new Histogram({
    name: 'kontor_http_request_duration_seconds',
    help: 'From a request’s headers to the end of its answer; status: 2xx, …, or aborted by the client',
    labelNames: ['api', 'route', 'method', 'status'],
    buckets,
    registers,
  });
  // By itself, because a 5xx can be a 503, of which the reason is outside of Kontor.
  const internalErrors = new Counter({
    name: 'kontor_internal_errors_total',
    help: 'Requests that were answered with 500',
    registers,
  });
  const limits = new Counter({
    name: 'kontor_rate_limit_total',
    help: 'Verdicts of the rate limit: admitted or refused',
    labelNames: ['outcome'],
    registers,
  });
  const signIns = new Counter({
    name: 'kontor_sign_ins_total',
    help: 'Attempts to sign in: entered, rejected or throttled',
    labelNames: ['outcome'],
    registers,
  });
  const closed = new Counter({
    name: 'kontor_http_connections_closed_total',
    help: 'Connections closed because a limit was reached: refused (new ones), or shed (idle ones, for new ones)',
    labelNames: ['outcome'],
    registers,
  });
  let openConnections = (): number => 0;
  const open = new Gauge({
    name: 'kontor_http_connections',
    help: 'Connections of clients that are open',
    registers: [],
    collect() {
      this.set(openConnections());
    },
  });
  registry.registerMetric(open);
  const attempts = new Histogram({
    name: 'kontor_webhook_attempt_duration_seconds',
    help: 'Attempts to deliver, but for test tenants’; outcome: success, 3xx, 4xx, 5xx, no_answer (no response) or broken (incomplete response)',
    labelNames: ['outcome'],
    buckets,
    registers,
  });
  const deliveries = new Counter({
    name: 'kontor_webhook_deliveries_total',
    help: 'States of deliveries after an attempt, but for test tenants’: delivered, waiting (for a retry) or failed',
    labelNames: ['outcome'],
    registers,
  });
  const deactivated = new Counter({
    name: 'kontor_webhooks_deactivated_total',
    help: 'Webhooks deactivated after 100 failed deliveries in a row, but for test tenants’',
    registers,
  });
  const bulkLines = new Counter({
    name: 'kontor_bulk_lines_total',
    help: 'Lines of bulk operations, but for test tenants’: succeeded (written) or failed (refused)',
    labelNames: ['outcome'],
    registers,
  });
  const bulkOperations = new Counter({
    name: 'kontor_bulk_operations_total',
    help: 'Bulk operations that have ended, but for test tenants’: completed, or failed (they could not go on)',
    labelNames: ['outcome'],
    registers,
  });
  const errors = new Counter({
    name: 'kontor_database_errors_total',
    help: 'Errors of database connections; code: a SQLSTATE that means trouble, the class of any other (23xxx), or connection',
    labelNames: ['code'],
    registers,
  });
  const jobFailures = new Counter({
    name: 'kontor_job_failures_total',
    help: 'Jobs that failed and are tried again; reason: the code of the error, or its class',
    labelNames: ['task', 'reason'],
    registers,
  });
  let countBusy = (): number => 0;
  const busy = new Counter({
    name: 'kontor_tenant_busy_total',
    help: 'Requests refused with 429 because their tenant used its share of the database connections',
    registers: [],
    collect() {
      this.reset();
      this.inc(countBusy());
    },
  });
  registry.registerMetric(busy);
  let findLastBackup: (() => Promise<Date | undefined>) | undefined;
  const lastBackup = new Gauge({
    name: 'kontor_backup_last_success_timestamp_seconds',
    help: 'When the last backup by schedule was made that was restored for a trial, in seconds since 1970; 0: never',
    registers: [],
    aggregator: 'max',
    async collect() {
      this.remove(); // without backups by schedule there is no value
      if (findLastBackup) this.set(((await findLastBackup().catch(() => undefined))?.getTime() ?? 0) / 1000);
    },
  });
  registry.registerMetric(lastBackup);
  const pools = new Map<string, Pool>();
  const connections = new Gauge({
    name: 'kontor_database_pool_connections',
    help: 'Connections of each pool: in_use or idle; and requests waiting for one',
    labelNames: ['pool', 'state'],
    registers: [],
    collect() {
      for (const [pool, { totalCount, idleCount, waitingCount }] of pools) {
        this.set({ pool, state: 'in_use' }, totalCount - idleCount);
        this.set({ pool, state: 'idle' }, idleCount);
        this.set({ pool, state: 'waiting' }, waitingCount);
      }
    },
  });
  registry.registerMetric(connections);
  for (const outcome of ['admitted', 'refused']) limits.inc({ outcome }, 0);
  for (const outcome of ['entered', 'rejected', 'throttled']) signIns.inc({ outcome }, 0);
  for (const outcome of ['refused', 'shed']) closed.inc({ outcome }, 0);
  // A series that begins with its first errors shows Prometheus no increase.
  for (const code of [...faultCodes, 'connection']) errors.inc({ code }, 0);
  for (const outcome of ['succeeded', 'failed']) bulkLines.inc({ outcome }, 0);
  for (const outcome of ['completed', 'failed']) bulkOperations.inc({ outcome }, 0);

  return {
    registry,
    watch(request, response, path) {
      const start = performance.now();
      response.once('close', () => {
        const status = response.writableFinished ? `${Math.floor(response.statusCode / 100)}xx` : 'aborted';
        const labels = { ...findRoute(path), method: getMethod(request.method), status };
        requests.observe(labels, (performance.now() - start) / 1000);
        if (response.statusCode === 500) internalErrors.inc();
      });
    },
    limiter: (limiter) => ({
      async admit(identity, ownLimit) {
        const verdict = await limiter.admit(identity, ownLimit);
        limits.inc({ outcome: verdict.admitted ? 'admitted' : 'refused' });
        return verdict;
      },
    }),
    signIn: (outcome) => signIns.inc({ outcome }),
    noRoom: (outcome) => closed.inc({ outcome }),
    connections: (count) => void (openConnections = count),
    attempt: (outcome) => attempts.observe({ outcome: outcomeLabel(outcome) }, outcome.durationMs / 1000),
    deliveries(consequences) {
      for (const outcome of consequences.became) deliveries.inc({ outcome });
      deactivated.inc(consequences.deactivated);
    },
    bulkLines: (outcome, count) => bulkLines.inc({ outcome }, count),
    bulkOperation: (outcome) => bulkOperations.inc({ outcome }),
    jobFailed: (task, reason) => jobFailures.inc({ task, reason }),
    databaseError: (code) => errors.inc({ code: getLabel(code) }),
    tenantBusy: (count) => void (countBusy = count),
    lastBackup: (find) => void (findLastBackup = find),
    pool: (name, pool) => void pools.set(name, pool),
  };
}

function outcomeLabel(outcome: Outcome): string {
  if (success(outcome)) return 'success';
  if (outcome.status === null) return 'no_answer';
  return outcome.error === null ? `${Math.floor(outcome.status / 100)}xx` : 'broken';
}

/**
 * The SQLSTATEs of faults of the service or of the machine: read-only, disk full, out of memory, out of connections, shut
 * down, crashed, starting up, cancelled; deadlock.
 */
const faultCodes = new Set(['25006', '53100', '53200', '53300', '57P01', '57P02', '57P03', '57014', '40P01']);

function getLabel(code: string): string {
  if (faultCodes.has(code)) return code;
  return /^[0-9A-Z]{5}$/.test(code) ? `${code.slice(0, 2)}xxx` : 'connection';
}
