import { setTimeout as sleep } from 'node:timers/promises';
import { say } from '../reliability/served.ts';
import { startTestSystem, type TestSystemOptions, type Recovered, type TestSystem } from './test-system.ts';

/** PostgreSQL stopped on the spot under load, and started again soon after. */
export const stopPostgres = (times: number, options?: TestSystemOptions): Promise<Recovered> =>
  repeat({ name: 'stops', times, options }, async ({ postgres }) => {
    await postgres.stopImmediately();
    await sleep(Math.random() * 500);
    await postgres.start();
  });

/** All connections terminated under load, and again while they are being replaced. */
export const terminateConnections = (times: number, options?: TestSystemOptions): Promise<Recovered> =>
  repeat({ name: 'storms', times, options }, async ({ postgres }) => {
    for (let wave = 0; wave < 3; wave += 1) {
      await postgres.terminateAll();
      await sleep(Math.random() * 50);
    }
  });

/** The processes are left alone: they have to survive all of it. */
async function repeat(
  {
    name,
    times,
    options = { gateways: 2, workers: 1 },
  }: { name: string; times: number; options: TestSystemOptions | undefined },
  strike: (system: TestSystem) => Promise<void>,
): Promise<Recovered> {
  const system = await startTestSystem(options);
  const all = [...system.gateways, ...system.workers];
  let slowestRecoveryMs = 0;
  try {
    for (let struck = 1; struck <= times; struck += 1) {
      await sleep(Math.random() * 1000);
      await strike(system);
      slowestRecoveryMs = Math.max(slowestRecoveryMs, Math.round(await system.untilServed()));
      const died = all.find((each) => !each.running());
      if (died) throw new Error(`A process did not survive: ${died.complaints()}`);
      if (struck % 5 === 0) say(`${name}: ${struck} of ${times}, ${system.load.acknowledged()} writes acknowledged`);
    }
    return { slowestRecoveryMs, ...(await system.settle()) };
  } finally {
    await system.close();
  }
}
