import { expect } from 'vitest';
import { say } from '../reliability/served.ts';
import { until } from '../webhooks/receiver.ts';
import { startBalancer } from './balancer.ts';
import { arrange, recoveryMs, type Recovered } from './scene.ts';

/** Replaces two gateways behind a balancer, one after the other, by SIGTERM under load, again and again. */
export async function restartInTurns(times: number): Promise<Recovered> {
  let balancer: Awaited<ReturnType<typeof startBalancer>> | undefined;
  const scene = await arrange({
    gateways: 2,
    workers: 1,
    settings: { DRAIN_SECONDS: '2' },
    before: async (urls) => {
      balancer = await startBalancer(urls);
      await until(() => urls.every((url) => balancer?.uses(url)), 'the balancer to find the gateways');
      return [balancer.url];
    },
  });
  let slowestRecoveryMs = 0;
  try {
    for (let restarted = 1; restarted <= times; restarted += 1) {
      const gateway = scene.gateways[restarted % scene.gateways.length]!;
      await scene.untilServed();
      const begun = performance.now();
      expect(await gateway.stop()).toBe(0);
      await gateway.start();
      await until(() => balancer?.uses(gateway.url) === true, 'the balancer to use it again', recoveryMs);
      slowestRecoveryMs = Math.max(slowestRecoveryMs, Math.round(performance.now() - begun));
      if (restarted % 5 === 0) say(`restarts: ${restarted} of ${times}, ${scene.load.acknowledged()} acknowledged`);
    }
    expect(scene.load.faults).toEqual({ answered500: 0, unanswered: 0 });
    return { slowestRecoveryMs, ...(await scene.settle()) };
  } finally {
    await scene.close();
    await balancer?.close();
  }
}
