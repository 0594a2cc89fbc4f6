import { expect } from 'vitest';
import { say } from '../reliability/served.ts';
import { until } from '../webhooks/receiver.ts';
import { mountSmallDisk, outOfDisk, type Hardship } from './hardships.ts';
import type { Figures } from './oracle.ts';
import { startOwnPostgres } from './postgres.ts';
import { startProxy } from './proxy.ts';
import { arrange, recoveryMs } from './scene.ts';

export interface Endured extends Figures {
  slowestRecoveryMs: number;
  /** Which of them this machine let us try. */
  endured: string;
}

/** Within which any request is answered, whatever it waits for: OPERATING.md. */
const longestMs = 15_000;

/**
 * Lets hardships befall the database one after the other, under load, and looks from outside: readiness tells the
 * reason, liveness doesn't change, every request is answered in time, and all is well again unaided once it is over.
 */
export async function endure(hardships: Hardship[], heldMs: number): Promise<Endured> {
  const disk = hardships.includes(outOfDisk) ? await mountSmallDisk(400) : undefined;
  const postgres = await startOwnPostgres(disk?.folder);
  await postgres.query('alter system set max_connections = 60');
  await postgres.stopImmediately();
  await postgres.start();
  const proxy = await startProxy(postgres.port);
  const databaseUrl = Object.assign(new URL(postgres.url), { port: String(proxy.port) }).href;
  const possible = hardships.filter((each) => each !== outOfDisk || disk);
  let slowestRecoveryMs = 0;
  const scene = await arrange({ postgres, databaseUrl, gateways: 1, workers: 1, load: { clients: 3 } });
  try {
    const [gateway] = scene.gateways;
    const health = async (which: 'live' | 'ready'): Promise<{ status: number; message: string | undefined }> => {
      const answer = await fetch(`${gateway?.url}/health/${which}`);
      const { message } = (await answer.json()) as { message?: string };
      return { status: answer.status, message };
    };
    for (const { name, reason, fails, begin } of possible) {
      const end = await begin({ postgres, proxy, folder: disk?.folder ?? '' });
      const [before, begun] = [scene.load.faults.answered500, performance.now()];
      const isTold = async (): Promise<boolean> => {
        const { status, message = '' } = await health('ready');
        return status === 503 && reason.test(message);
      };
      await until(isTold, `readiness to tell of: ${name}`, recoveryMs);
      if (fails) await until(() => scene.load.faults.answered500 > before, `a request to meet: ${name}`, recoveryMs);
      while (performance.now() < begun + heldMs) {
        expect((await health('live')).status).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      await end();
      const over = performance.now();
      await until(async () => (await health('ready')).status === 200, `readiness after: ${name}`, recoveryMs);
      await scene.untilServed();
      const tookMs = Math.round(performance.now() - over);
      slowestRecoveryMs = Math.max(slowestRecoveryMs, tookMs);
      const longest = scene.load.longestMs(begun);
      say(`${name}: told of, and over in ${tookMs} ms; the longest answer took ${longest} ms`);
      expect(longest, `the longest answer while it was ${name}`).toBeLessThan(longestMs);
    }
    const endured = possible.map(({ name }) => name).join(', ');
    return { endured, slowestRecoveryMs, ...(await scene.settle()) };
  } finally {
    await proxy.clear();
    await scene.close();
    await proxy.close();
    await postgres.remove();
    await disk?.remove();
  }
}
