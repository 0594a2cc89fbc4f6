import { setTimeout as sleep } from 'node:timers/promises';
import { say } from '../reliability/served.ts';
import { until } from '../webhooks/receiver.ts';
import type { Kontor } from './processes.ts';
import { recoveryMs, type TestSystem } from './test-system.ts';

/**
 * Kills gateways and workers (-9) at random points under load, and starts each again, as a supervisor would.
 * @returns the slowest recovery in milliseconds
 */
export async function kill(system: TestSystem, times: number): Promise<number> {
  const ready = new Set([...system.gateways, ...system.workers]);
  let slowestRecoveryMs = 0;

  const killAndStart = async (victim: Kontor): Promise<void> => {
    const begun = performance.now();
    ready.delete(victim);
    await victim.kill();
    await victim.start();
    ready.add(victim);
    await system.untilServed();
    slowestRecoveryMs = Math.max(slowestRecoveryMs, Math.round(performance.now() - begun));
  };
  const recoveries: Promise<void>[] = [];
  for (let killed = 1; killed <= times; killed += 1) {
    await until(() => ready.size > 0, 'a process to kill', recoveryMs);
    await system.untilServed(); // or there would be nothing to interrupt
    await sleep(Math.random() * 300);
    recoveries.push(killAndStart([...ready][Math.floor(Math.random() * ready.size)]!));
    if (killed % 10 === 0) say(`kills: ${killed} of ${times}, ${system.load.acknowledged()} writes acknowledged`);
  }
  await Promise.all(recoveries);
  return slowestRecoveryMs;
}
