import { expect, it } from 'vitest';
import { hostileDocument } from '../graphql/hostile.ts';
import { campaign, ordinaryTraffic, quantile, say, serve } from './served.ts';

const documents = Number(process.env['DOCUMENTS'] ?? 100_000);
const atOnce = 4;

it(`${documents} hostile documents: no 5xx, all answered, memory bounded, others served`, async () => {
  const served = await serve();
  const { acme } = served;
  const authorization = `Bearer ${acme.token}`;
  const quiet = ordinaryTraffic(acme);
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const without = await quiet.stop();

  const beside = ordinaryTraffic(acme);
  const taken: number[] = [];
  const families = new Map<string, number[]>();
  const wrong: unknown[] = [];
  await campaign(
    'hostile documents',
    documents,
    atOnce,
    async (seed) => {
      const { family, body } = hostileDocument(seed);
      const start = performance.now();
      const response = await fetch(`${served.url}/graphql`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body,
      });
      const answer = (await response.json()) as { data?: object; errors?: { extensions?: { code?: string } }[] };
      const ms = performance.now() - start;
      taken.push(ms);
      const each = families.get(family);
      if (each) each.push(ms);
      else families.set(family, [ms]);
      const isFault = answer.errors?.some(({ extensions }) => extensions?.code === 'INTERNAL_SERVER_ERROR');
      if (![200, 400, 413].includes(response.status) || isFault || !(answer.data || answer.errors)) {
        wrong.push({ seed, family, status: response.status, answer });
      }
    },
    () => `${served.memory()} MiB`,
  );
  const within = await beside.stop();

  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  say(`hostile documents: median ${ms(quantile(taken, 0.5))}, p99 ${ms(quantile(taken, 0.99))}`);
  for (const [family, each] of families)
    say(`  ${family}: median ${ms(quantile(each, 0.5))}, p99 ${ms(quantile(each, 0.99))}`);
  say(
    `ordinary traffic: p99 ${ms(quantile(without, 0.99))} without, ${ms(quantile(within, 0.99))} beside ${atOnce} attackers`,
  );
  say(`memory at the end: ${served.memory()} MiB`);
  expect(wrong).toEqual([]);
  expect(served.faults()).toEqual([]);
  expect(served.memory()).toBeLessThan(1536); // it levels off at about 1000
  await served.close();
});
