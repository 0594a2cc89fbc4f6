import { expect } from 'vitest';
import { say } from '../reliability/served.ts';
import { until } from '../webhooks/receiver.ts';
import { mountSmallDisk, outOfDisk, type DatabaseFault } from './database-faults.ts';
import type { Figures } from './oracle.ts';
import { startOwnPostgres } from './postgres.ts';
import { startProxy, type Proxy } from './proxy.ts';
import { startTestSystem, recoveryMs, type TestSystem, type TestSystemOptions } from './test-system.ts';

export interface CampaignFigures extends Figures {
  slowestRecoveryMs: number;
  /** The names of the faults that could be injected on this machine. */
  tried: string;
}

/** The time in which any request is answered: OPERATING.md. */
const longestMs = 15_000;

/**
 * Injects faults of the database one after the other, under load. During each, readiness reports the reason, liveness
 * doesn't change, and every request is answered in time. After each, the service recovers unaided.
 * @param folder where PostgreSQL's data is, if its disk can be filled
 * @returns the slowest recovery in milliseconds
 */
export async function injectFaults(
  { system, proxy, folder = '' }: { system: TestSystem; proxy: Proxy; folder?: string },
  databaseFaults: DatabaseFault[],
  heldMs: number,
): Promise<number> {
  let slowestRecoveryMs = 0;
  const [gateway] = system.gateways;
  const health = async (which: 'live' | 'ready'): Promise<{ status: number; message: string | undefined }> => {
    const answer = await fetch(`${gateway?.url}/health/${which}`);
    const { message } = (await answer.json()) as { message?: string };
    return { status: answer.status, message };
  };
  for (const { name, reason, fails, begin } of databaseFaults) {
    const end = await begin({ postgres: system.postgres, proxy, folder });
    const [before, begun] = [system.load.faults.unavailable, performance.now()];
    const isReported = async (): Promise<boolean> => {
      const { status, message = '' } = await health('ready');
      return status === 503 && reason.test(message);
    };
    await until(isReported, `readiness to report: ${name}`, recoveryMs);
    if (fails) await until(() => system.load.faults.unavailable > before, `a request to fail: ${name}`, recoveryMs);
    while (performance.now() < begun + heldMs) {
      expect((await health('live')).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    await end();
    const over = performance.now();
    await until(async () => (await health('ready')).status === 200, `readiness after: ${name}`, recoveryMs);
    await system.untilServed();
    const tookMs = Math.round(performance.now() - over);
    slowestRecoveryMs = Math.max(slowestRecoveryMs, tookMs);
    const longest = system.load.longestMs(begun);
    say(`${name}: reported, and recovered in ${tookMs} ms; the longest answer took ${longest} ms`);
    expect(system.load.faults.internal, `internal errors while it was ${name}`).toBe(0);
    expect(longest, `the longest answer while it was ${name}`).toBeLessThan(longestMs);
  }
  return slowestRecoveryMs;
}

/** Injects all faults that this machine allows into a service of its own. */
export async function faultCampaign(databaseFaults: DatabaseFault[], heldMs: number): Promise<CampaignFigures> {
  const disk = databaseFaults.includes(outOfDisk) ? await mountSmallDisk(400) : undefined;
  const { proxy, system, close } = await startProxied({ load: { clients: 3 } }, disk?.folder);
  const possible = databaseFaults.filter((each) => each !== outOfDisk || disk);
  try {
    const slowestRecoveryMs = await injectFaults({ system, proxy, ...disk }, possible, heldMs);
    const tried = possible.map(({ name }) => name).join(', ');
    return { tried, slowestRecoveryMs, ...(await system.settle()) };
  } finally {
    await close();
    await disk?.remove();
  }
}

interface Proxied {
  proxy: Proxy;
  system: TestSystem;
  close(): Promise<void>;
}

/** A gateway and a worker that reach their PostgreSQL through a proxy. */
export async function startProxied(options: Pick<TestSystemOptions, 'load'> = {}, folder?: string): Promise<Proxied> {
  const postgres = await startOwnPostgres(folder);
  await postgres.query('alter system set max_connections = 60');
  await postgres.stopImmediately();
  await postgres.start();
  const proxy = await startProxy(postgres.port);
  const databaseUrl = Object.assign(new URL(postgres.url), { port: String(proxy.port) }).href;
  const system = await startTestSystem({ postgres, databaseUrl, gateways: 1, workers: 1, ...options });
  const close = async (): Promise<void> => {
    await proxy.clear();
    await system.close();
    await proxy.close();
    await postgres.remove();
  };
  return { proxy, system, close };
}
