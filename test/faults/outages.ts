import { setTimeout as sleep } from 'node:timers/promises';
import { say } from '../reliability/served.ts';
import type { TestSystem } from './test-system.ts';

/** PostgreSQL stopped on the spot under load, and started again soon after. */
export const stopPostgres = (system: TestSystem, times: number): Promise<number> =>
  repeat(system, { name: 'stops', times }, async ({ postgres }) => {
    await postgres.stopImmediately();
    await sleep(Math.random() * 500);
    await postgres.start();
  });

/** All connections terminated under load, and again while they are being replaced. */
export const terminateConnections = (system: TestSystem, times: number): Promise<number> =>
  repeat(system, { name: 'storms', times }, async ({ postgres }) => {
    for (let wave = 0; wave < 3; wave += 1) {
      await postgres.terminateAll();
      await sleep(Math.random() * 50);
    }
  });

/**
 * The processes are left alone: they have to survive all of it.
 * @returns the slowest recovery in milliseconds
 */
async function repeat(
  system: TestSystem,
  { name, times }: { name: string; times: number },
  strike: (system: TestSystem) => Promise<void>,
): Promise<number> {
  const all = [...system.gateways, ...system.workers];
  let slowestRecoveryMs = 0;
  for (let struck = 1; struck <= times; struck += 1) {
    await sleep(Math.random() * 1000);
    await strike(system);
    slowestRecoveryMs = Math.max(slowestRecoveryMs, Math.round(await system.untilServed()));
    const died = all.find((each) => !each.running());
    if (died) throw new Error(`A process did not survive: ${died.complaints()}`);
    if (struck % 5 === 0) say(`${name}: ${struck} of ${times}, ${system.load.acknowledged()} writes acknowledged`);
  }
  return slowestRecoveryMs;
}
