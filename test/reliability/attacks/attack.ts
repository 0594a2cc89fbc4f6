import type { Integrator } from '../../harness.ts';
import type { Served } from '../served.ts';

/** One tenant's attempt to exhaust the service. An innocent caller of another tenant is measured beside it. */
export interface Attack {
  title: string;
  /** Whether the server works on the queue as well, which deliveries need. In the suite it then has several processes. */
  works?: boolean;
  /** Settings of the server. */
  settings?: Record<string, string>;
  /** By how many MiB the memory of the server's processes may grow together. */
  memoryGrowth: number;
  /** Makes what the attack needs. @returns the attack, which also checks the answers to the attacker */
  prepare(served: Served, attacker: Integrator): Promise<() => Promise<void>>;
}
