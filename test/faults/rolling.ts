import { expect } from 'vitest';
import { say } from '../reliability/served.ts';
import { until } from '../webhooks/receiver.ts';
import { startBalancer } from './balancer.ts';
import { startTestSystem, recoveryMs, type Recovered } from './test-system.ts';

/** Replaces two gateways behind a balancer, one after the other, by SIGTERM under load, again and again. */
export async function restartInTurns(times: number): Promise<Recovered> {
  let balancer: Awaited<ReturnType<typeof startBalancer>> | undefined;
  const system = await startTestSystem({
    gateways: 2,
    workers: 1,
    // On a busy machine, the balancer notices late.
    settings: { DRAIN_SECONDS: '5' },
    before: async (urls) => {
      balancer = await startBalancer(urls);
      await until(() => urls.every((url) => balancer?.uses(url)), 'the balancer to find the gateways');
      return [balancer.url];
    },
  });
  let slowestRecoveryMs = 0;
  try {
    for (let restarted = 1; restarted <= times; restarted += 1) {
      const gateway = system.gateways[restarted % system.gateways.length]!;
      await system.untilServed();
      const begun = performance.now();
      expect(await gateway.stop()).toBe(0);
      await gateway.start();
      await until(() => balancer?.uses(gateway.url) === true, 'the balancer to use it again', recoveryMs);
      slowestRecoveryMs = Math.max(slowestRecoveryMs, Math.round(performance.now() - begun));
      if (restarted % 5 === 0) say(`restarts: ${restarted} of ${times}, ${system.load.acknowledged()} acknowledged`);
    }
    for (const line of system.gateways.flatMap((gateway) => gateway.faults())) say(line);
    expect(system.load.faults).toEqual({ unavailable: 0, unanswered: 0, internal: 0 });
    return { slowestRecoveryMs, ...(await system.settle()) };
  } finally {
    await system.close();
    await balancer?.close();
  }
}
