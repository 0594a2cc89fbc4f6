import { setTimeout as sleep } from 'node:timers/promises';
import { say } from '../reliability/served.ts';
import { arrange, type Cast, type Recovered, type Scene } from './scene.ts';

/** PostgreSQL stopped on the spot under load, and started again soon after. */
export const stopPostgres = (times: number, cast?: Cast): Promise<Recovered> =>
  repeat({ name: 'stops', times, cast }, async ({ postgres }) => {
    await postgres.stopImmediately();
    await sleep(Math.random() * 500);
    await postgres.start();
  });

/** All connections terminated under load, and again while they are being replaced. */
export const terminateConnections = (times: number, cast?: Cast): Promise<Recovered> =>
  repeat({ name: 'storms', times, cast }, async ({ postgres }) => {
    for (let wave = 0; wave < 3; wave += 1) {
      await postgres.terminateAll();
      await sleep(Math.random() * 50);
    }
  });

/** The processes are left alone: they have to survive all of it. */
async function repeat(
  { name, times, cast = { gateways: 2, workers: 1 } }: { name: string; times: number; cast: Cast | undefined },
  strike: (scene: Scene) => Promise<void>,
): Promise<Recovered> {
  const scene = await arrange(cast);
  const all = [...scene.gateways, ...scene.workers];
  let slowestRecoveryMs = 0;
  try {
    for (let struck = 1; struck <= times; struck += 1) {
      await sleep(Math.random() * 1000);
      await strike(scene);
      slowestRecoveryMs = Math.max(slowestRecoveryMs, Math.round(await scene.untilServed()));
      const died = all.find((each) => !each.running());
      if (died) throw new Error(`A process did not survive: ${died.complaints()}`);
      if (struck % 5 === 0) say(`${name}: ${struck} of ${times}, ${scene.load.acknowledged()} writes acknowledged`);
    }
    return { slowestRecoveryMs, ...(await scene.settle()) };
  } finally {
    await scene.close();
  }
}
