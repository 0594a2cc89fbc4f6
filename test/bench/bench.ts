import { setTimeout as sleep } from 'node:timers/promises';
import { contenders, start, type ContenderName, type Running } from './contenders.ts';
import { readCpu } from './cpu.ts';
import type { Database, Tenant } from './database.ts';
import { load, type Latency, type Order, type Outcome } from './load.ts';

/** A line of the table. */
export interface ComparisonRow {
  work: string;
  against: string;
  /** Medians, with their unit, for people. */
  ours: string;
  theirs: string;
  /** Ours over theirs; what is measured itself where there is nothing to compare it with. */
  ratio: number;
  /** The ratio that it must reach. */
  goal?: number;
  /** Where lower is better: what it may be. */
  atMost?: number;
}

export interface Work {
  name: string;
  /** Needs the tenant of 1,000,000. */
  large?: boolean;
  /** Takes long even so. */
  long?: boolean;
  run: (bench: Bench) => Promise<ComparisonRow[]>;
}

export interface Pace {
  rounds: number;
  /** Of a round: whole seconds. */
  seconds: number;
  /** Of a round with many connections. */
  crowdedSeconds: number;
  /** Of the load before a contender's first round of a work, so that V8 has compiled what it needs for it. */
  warmUpSeconds: number;
  /** The same for the first work of a contender, when nothing is compiled yet. */
  firstWarmUpSeconds: number;
}

/** A request, and who gets it. */
export interface Traffic {
  to: Running[];
  requests: Order['requests'];
}

export interface Measured extends Outcome {
  cpu: CpuTime;
}

/** Milliseconds for each request. */
export interface CpuTime {
  node: number;
  postgres: number;
}

/** The figures of a contender in a work. */
export interface Figures {
  work: string;
  contender: string;
  perSecond: number;
  latency: Latency;
  /** With many connections. */
  crowded: Latency;
  cpu: CpuTime;
}

export const usualConnections = 16;
export const manyConnections = 200;

/** The means of works: the database, the contenders, the load. */
export class Bench {
  readonly database: Database;
  readonly pace: Pace;
  readonly say: (line: string) => void;
  /** Of every contender in every work that was measured. */
  readonly figures: Figures[] = [];
  /** By contender, the works that it has done. */
  readonly #warm = new Map<Running, Set<string>>();
  readonly #running = new Map<ContenderName, Running>();

  constructor(database: Database, pace: Pace, say: (line: string) => void) {
    this.database = database;
    this.pace = pace;
    this.say = say;
  }

  tenant(size: number): Tenant {
    const tenant = this.database.tenants.get(size);
    if (!tenant) throw new Error(`There is no tenant of ${size}`);
    return tenant;
  }

  /** Started when first asked for, and kept: each has warmed up by the time it is measured. */
  async contender(name: ContenderName): Promise<Running> {
    const running = this.#running.get(name) ?? (await start(contenders[name], this.database.url));
    this.#running.set(name, running);
    return running;
  }

  /** Stops everything when a request is answered wrongly. */
  async load(
    name: string,
    { to, requests }: Traffic,
    { connections = usualConnections, seconds = this.pace.seconds } = {},
  ): Promise<Measured> {
    const cpu = (): CpuTime => ({
      node: to.reduce((sum, { pid }) => sum + readCpu(pid), 0),
      postgres: readCpu(this.database.postgresPid),
    });
    const before = cpu();
    const outcome = await load(name, { urls: to.map(({ url }) => url), requests, connections, seconds });
    await this.#idle();
    const after = cpu();
    const perRequest = (what: keyof CpuTime): number => (after[what] - before[what]) / outcome.requests;
    return { ...outcome, cpu: { node: perRequest('node'), postgres: perRequest('postgres') } };
  }

  /** Loads a contender before it is measured: at length if this work is new to it, else shortly, because it was idle. */
  async warmUp(work: string, traffic: Traffic): Promise<void> {
    const { warmUpSeconds, firstWarmUpSeconds } = this.pace;
    const isFirst = traffic.to.some((running) => !this.#warm.has(running));
    const isNew = traffic.to.some((running) => !this.#warm.get(running)?.has(work));
    for (const running of traffic.to) this.#warm.set(running, (this.#warm.get(running) ?? new Set()).add(work));
    await this.load(work, traffic, { seconds: isFirst ? firstWarmUpSeconds : isNew ? warmUpSeconds : 1 });
  }

  /** Waits for what the generator left unanswered at its end, so that nothing is at work when the next begins. */
  async #idle(): Promise<void> {
    const busy = `select from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and state <> 'idle'
        and pid <> pg_backend_pid()`;
    while ((await this.database.pool.query(busy)).rowCount !== 0) await sleep(10);
  }

  async close(): Promise<void> {
    for (const running of this.#running.values()) await running.stop();
    this.#running.clear();
  }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle) - 1] ?? NaN)) / 2;
}
