import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { contenders, start, stop, type ContenderName, type Running } from './contenders.ts';
import type { Database, Tenant } from './database.ts';
import type { Order, Outcome } from './load.ts';

/** A line of the table. */
export interface Row {
  work: string;
  against: string;
  /** Medians, with their unit, for people. */
  ours: string;
  theirs: string;
  /** Ours over theirs; what is measured itself where there is nothing to compare it with. */
  ratio: number;
  /** What it must reach. */
  goal?: number;
  /** Where lower is better: what it may be. */
  atMost?: number;
}

export interface Work {
  name: string;
  /** Needs the tenant of 1,000,000. */
  large?: boolean;
  run: (bench: Bench) => Promise<Row[]>;
}

export interface Pace {
  rounds: number;
  seconds: number;
}

const connections = 16;

/** What works work with: the database, the contenders, the load. */
export class Bench {
  readonly database: Database;
  readonly pace: Pace;
  readonly say: (line: string) => void;
  readonly #warm = new Set<string>();
  readonly #running = new Map<ContenderName, Running>();
  readonly #generator: ChildProcess;
  readonly #ended: Promise<never>;

  constructor(database: Database, pace: Pace, say: (line: string) => void) {
    this.database = database;
    this.pace = pace;
    this.say = say;
    this.#generator = fork(new URL('load.ts', import.meta.url));
    this.#ended = once(this.#generator, 'exit').then(() => Promise.reject(new Error('The load generator ended.')));
    this.#ended.catch(() => {}); // as it does at the end
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

  /** Requests answered per second, of `amount` sent. Stops everything when one is answered wrongly. */
  async load(name: string, order: Pick<Order, 'urls' | 'requests'>, amount: number): Promise<number> {
    this.#generator.send({ ...order, connections, amount } satisfies Order);
    const [{ perSecond, failed }] = await Promise.race([
      once(this.#generator, 'message') as Promise<[Outcome]>,
      this.#ended,
    ]);
    if (failed > 0) throw new Error(`${name}: ${failed} requests failed`);
    return perSecond;
  }

  /**
   * Warms up, with ever more requests: a process that has just been started for so long that V8 has compiled it, however
   * short the rounds are. @returns how many a round takes
   */
  async warmUp(name: string, order: Pick<Order, 'urls' | 'requests'>): Promise<number> {
    const seconds = this.#warm.has(name) ? this.pace.seconds / 4 : 2;
    this.#warm.add(name);
    for (let amount = connections; ; amount *= 4) {
      const rate = await this.load(name, order, amount);
      if (amount / rate > seconds) return Math.max(connections, Math.round(rate * this.pace.seconds));
    }
  }

  async close(): Promise<void> {
    await stop(this.#generator);
    for (const running of this.#running.values()) await running.stop();
    this.#running.clear();
  }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle) - 1] ?? NaN)) / 2;
}
