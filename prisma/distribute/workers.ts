import type { Pool } from 'pg';
import { ConnectionPool } from '../connection/connection.ts';
import { replaceBrokenConnections } from '../connection/pool-options.ts';
import { askWorker, runOnWorker, WorkerAwayError } from './ask-worker.ts';

/** The tables of the books that are read for all tenants at once, each with its shard of this part. */
type Shards = Record<'outbox' | 'watchers', string>;

/** A part of the tenants, by the hash of their ids, whose rows are on one worker. */
interface Part {
  worker: number;
  from: number;
  to: number;
  shards: Shards;
}

/** Moved shards are noticed after this long. */
const refreshMs = 5000;
/** How often a worker is asked that didn't answer. */
const askAgainMs = 1000;
/** Whoever has waited for so long has the worker asked. */
const checkMs = 1000;
/** How long statistics of a table may take to be made: as long as other statements. */
const analyzeMs = 9000;
/** So many tenants' hashes are kept. */
const maxHashes = 50_000;
/** Connections for what concerns one worker only: a mover's, and another for watchers and questions. */
const connectionsPerWorker = 2;

const findCluster = `select is_distributed() and to_regclass('pg_dist_node') is not null as "isCluster"`;

// All tables of the books are colocated: what holds for the outbox holds for each of them.
const readParts = `
  select nodeid as worker, outbox.shardminvalue::int as from, outbox.shardmaxvalue::int as to,
    json_build_object('outbox', 'outbox_' || outbox.shardid, 'watchers', 'watchers_' || watchers.shardid) as shards
  from pg_dist_shard as outbox
  join pg_dist_shard as watchers on watchers.shardminvalue = outbox.shardminvalue
  join pg_dist_placement as placement on placement.shardid = outbox.shardid
  join pg_dist_node using (groupid)
  where outbox.logicalrelid = 'outbox'::regclass and watchers.logicalrelid = 'watchers'::regclass and noderole = 'primary'
  order by nodeid, outbox.shardid`;

const findShard = `
  select shardid::text as id from pg_dist_shard
  where logicalrelid = $1::regclass and uuid_hash($2::uuid) between shardminvalue::int and shardmaxvalue::int`;

// A slot keeps the worker's log from being removed: its disk fills.
const countLeftovers = `
  select (select count(*) from pg_replication_slots where slot_name like 'citus_shard_%' and not active) +
    (select count(*) from pg_stat_subscription where subname like 'citus_shard_%' and pid is null) as count`;

/** Called when a worker stops answering, and when it answers again. */
export type WorkerObserver = (worker: number, isAway: boolean) => void;

/**
 * The workers of a Citus cluster: which of them has a tenant's rows, and which don't answer. A worker is named by its
 * `nodeid`. On one server there are none, and nothing is asked.
 *
 * A worker that stops answering is noticed by whoever waits for it: see waitFor(). It is asked by a statement of its own,
 * because a slow statement of a tenant says nothing of the worker; a library's circuit breaker would count it as a failure.
 */
export class Workers {
  readonly #pool: Pool;
  /** Whether isCluster() has found so before. */
  isKnownCluster = false;
  #parts: Promise<Part[]> | undefined;
  #readAt = -Infinity;
  readonly #hashes = new Map<string, number>();
  readonly #pools = new Map<number, ConnectionPool>();
  readonly #asking = new Map<number, Promise<boolean>>();
  /** Those that don't answer, with the timer of the next question. */
  readonly #away = new Map<number, NodeJS.Timeout>();
  readonly #observers = new Set<WorkerObserver>();
  #closed = false;

  /** @param pool connections to the coordinator, of the owner of the tables */
  constructor(pool: Pool) {
    this.#pool = pool;
  }

  observe(observer: WorkerObserver): void {
    this.#observers.add(observer);
  }

  /** Whether the books are distributed. Costs a statement until they are. */
  async isCluster(): Promise<boolean> {
    if (!this.isKnownCluster) {
      const { rows } = await this.#pool.query<{ isCluster: boolean }>(findCluster);
      this.isKnownCluster = rows[0]?.isCluster === true;
    }
    return this.isKnownCluster;
  }

  /** All that have rows; none on one server. */
  async list(): Promise<number[]> {
    return (await this.isCluster()) ? [...new Set((await this.#read()).map(({ worker }) => worker))] : [];
  }

  /** The worker that has a tenant's rows; undefined on one server, and if the tables are distributed just now. */
  async find(tenantId: string): Promise<number | undefined> {
    if (!(await this.isCluster())) return undefined;
    const parts = await this.#read();
    const hash = this.#hashes.get(tenantId) ?? (await this.#hash(tenantId));
    return parts.find(({ from, to }) => from <= hash && hash <= to)?.worker;
  }

  /** Tenants by the worker that has their rows. */
  async group(tenantIds: Iterable<string>): Promise<Map<number | undefined, string[]>> {
    const found = new Map<number | undefined, string[]>();
    for (const tenantId of tenantIds) {
      const worker = await this.find(tenantId);
      found.set(worker, [...(found.get(worker) ?? []), tenantId]);
    }
    return found;
  }

  isAway(worker: number): boolean {
    return this.#away.has(worker);
  }

  get away(): number[] {
    return [...this.#away.keys()];
  }

  /** Connections to the coordinator for what concerns this worker only: without a worker, the pool of all. */
  poolOf(worker: number | undefined): Pool {
    if (worker === undefined) return this.#pool;
    const known = this.#pools.get(worker);
    if (known) return known;
    const pool = new ConnectionPool({ ...this.#pool.options, max: connectionsPerWorker });
    replaceBrokenConnections(pool);
    this.#pools.set(worker, pool);
    return pool;
  }

  /**
   * Reads rows of a table that are on one worker.
   * @param select makes the query, of all shards of the table there
   * @throws WorkerAwayError
   */
  async rowsOf<Row>(worker: number, table: keyof Shards, select: (from: string) => string): Promise<Row[]> {
    if (this.isAway(worker)) throw new WorkerAwayError(worker);
    const shards = (await this.#read())
      .filter((part) => part.worker === worker)
      .map(({ shards: { [table]: name } }) => name);
    if (shards.length === 0) return [];
    const union = shards.map((shard) => `select * from ${shard}`).join(' union all ');
    try {
      return await askWorker<Row>(this.poolOf(worker), worker, select(`(${union}) as ${table}`));
    } catch (error) {
      if (error instanceof WorkerAwayError) void this.ask(worker);
      else this.#readAt = -Infinity; // a shard may have moved
      throw error;
    }
  }

  /**
   * Makes statistics of the shards that have a tenant's rows of some tables. ANALYZE of a whole table would read all shards, wait for
   * each worker, and do nothing while one of them is away.
   * @returns whether there are shards: on one server, nothing is done
   * @throws WorkerAwayError
   */
  async analyze(tenantId: string, tables: readonly string[]): Promise<boolean> {
    const worker = await this.find(tenantId);
    if (worker === undefined) return false;
    for (const table of tables) {
      if (this.isAway(worker)) throw new WorkerAwayError(worker);
      const { rows } = await this.#pool.query<{ id: string }>(findShard, [table, tenantId]);
      const [shard] = rows;
      if (shard) await runOnWorker(this.#pool, worker, `analyze (skip_locked) ${table}_${shard.id}`, analyzeMs);
    }
    return true;
  }

  /**
   * For whoever waits for a worker's answer: after a while, and again and again, the worker is asked by itself.
   * @param worker undefined on one server, for which nothing is done
   * @returns a function to call at the end of the wait
   * @throws WorkerAwayError if it is known not to answer
   */
  waitFor(worker: number | undefined): () => void {
    if (worker === undefined) return () => {};
    if (this.isAway(worker)) throw new WorkerAwayError(worker);
    const timer = setInterval(() => this.check(worker), checkMs).unref();
    return () => clearInterval(timer);
  }

  /** Has a worker asked that may not answer. */
  check(worker: number): void {
    if (!this.isAway(worker)) void this.ask(worker);
  }

  /** Asks a worker. @returns whether it answers */
  ask(worker: number): Promise<boolean> {
    const asking = this.#asking.get(worker) ?? this.#ask(worker).finally(() => this.#asking.delete(worker));
    this.#asking.set(worker, asking);
    return asking;
  }

  /** Asks all of them at once. @returns those that don't answer */
  async askAll(): Promise<number[]> {
    const workers = await this.list();
    const answers = await Promise.all(workers.map((worker) => this.ask(worker)));
    return workers.filter((_, index) => answers[index] === false);
  }

  /** How many replication slots and subscriptions of moves each worker has that nobody uses; without those that don't answer. */
  async countLeftovers(): Promise<Map<number, number>> {
    const counted = (await this.list()).map(async (worker) => {
      if (this.isAway(worker)) return [];
      const rows = await askWorker<{ count: number }>(this.poolOf(worker), worker, countLeftovers).catch(() => []);
      return rows.map(({ count }) => [worker, count] as const);
    });
    return new Map((await Promise.all(counted)).flat());
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#away.values()) clearTimeout(timer);
    this.#away.clear();
    await Promise.all([...this.#pools.values()].map((pool) => pool.end()));
  }

  async #ask(worker: number, isAgain = false): Promise<boolean> {
    try {
      await askWorker(this.poolOf(worker), worker, 'select 1');
    } catch (error) {
      const isKnown = this.isAway(worker);
      if (error instanceof WorkerAwayError && error.isSlow && !isKnown && !isAgain) return this.#ask(worker, true);
      // Another error is not the worker's: nothing is known of it.
      if (error instanceof WorkerAwayError || isKnown) this.#markAway(worker);
      return !this.isAway(worker);
    }
    if (this.#away.has(worker)) {
      clearTimeout(this.#away.get(worker));
      this.#away.delete(worker);
      this.#notify(worker, false);
    }
    return true;
  }

  #markAway(worker: number): void {
    if (this.#closed) return;
    const isNew = !this.#away.has(worker);
    clearTimeout(this.#away.get(worker));
    this.#away.set(worker, setTimeout(() => void this.ask(worker), askAgainMs).unref());
    if (isNew) this.#notify(worker, true);
  }

  #notify(worker: number, isAway: boolean): void {
    for (const observer of this.#observers) observer(worker, isAway);
  }

  /** The parts as they were some seconds ago: nobody waits for a newer reading. */
  #read(): Promise<Part[]> {
    const known = this.#parts;
    if (known && performance.now() - this.#readAt < refreshMs) return known;
    this.#readAt = performance.now();
    const reading = this.#pool.query<Part>(readParts).then(({ rows }) => rows);
    const kept = reading.then(
      () => (this.#parts = reading),
      () => (this.#readAt = -Infinity),
    );
    if (known) {
      void kept;
      return known;
    }
    return (this.#parts = reading.catch((error: unknown) => {
      this.#parts = undefined;
      throw error;
    }));
  }

  /** Citus distributes the tenants by PostgreSQL's own hash of their ids, which never changes. */
  async #hash(tenantId: string): Promise<number> {
    const { rows } = await this.#pool.query<{ hash: number }>('select uuid_hash($1::uuid) as hash', [tenantId]);
    const hash = rows[0]?.hash ?? 0;
    if (this.#hashes.size >= maxHashes) this.#hashes.clear();
    this.#hashes.set(tenantId, hash);
    return hash;
  }
}
