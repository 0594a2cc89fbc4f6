import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressRequest, bodyRequest, documented } from '../rest/anything.ts';
import { rows, writing } from '../rest/samples.ts';
import { campaign, quantile, say, serve } from './served.ts';

const requests = Number(process.env['REQUESTS'] ?? 100_000);
const atOnce = 4;
/** What an answer would say if it said more than is meant for clients. */
const leaks = /node_modules|\.ts:\d|prisma|postgres|select .* from|insert into|constraint|ECONN|at async/i;

it(`${requests} generated requests: only documented answers, nothing leaked, nothing half-written`, async () => {
  const served = await serve();
  const { acme } = served;
  const endpoints = await writing(acme);
  const before = (await rows(served.beside)) as Record<string, string>;
  const seed = Number(process.env['SEED'] ?? 20_261_121);
  const bodies = fc.sample(bodyRequest(endpoints), { seed, numRuns: requests / 2 });
  const addresses = fc.sample(addressRequest(), { seed, numRuns: requests / 2 });
  const taken: number[] = [];
  const statuses = new Map<string, number>();
  const wrong: unknown[] = [];
  await campaign(
    'REST',
    requests,
    atOnce,
    async (index) => {
      const { method, path, sent } = {
        sent: undefined,
        ...(index % 2 === 0 ? bodies[index / 2]! : addresses[(index - 1) / 2]!),
      };
      const start = performance.now();
      const answer = await acme.rest(method, path, sent);
      taken.push(performance.now() - start);
      const name = `${method} ${path.split(/[/?]/)[1]} ${answer.status}`;
      statuses.set(name, (statuses.get(name) ?? 0) + 1);
      try {
        documented(answer, { POST: 201, DELETE: 204 }[method as string] ?? 200);
        if (answer.status >= 400) expect(answer.text).not.toMatch(leaks);
      } catch (error) {
        wrong.push({ index, seed, method, path, sent, error: (error as Error).message });
      }
    },
    () => `${served.memory()} MiB`,
  );
  say(
    `REST: median ${quantile(taken, 0.5).toFixed(1)} ms, p99 ${quantile(taken, 0.99).toFixed(1)} ms; ${served.memory()} MiB at the end`,
  );
  expect(wrong).toEqual([]);
  expect(served.faults()).toEqual([]);

  // As many rows as were acknowledged, whole: what was created less what was deleted.
  const after = (await rows(served.beside)) as Record<string, string>;
  for (const table of ['customers', 'invoices', 'receipts', 'projects', 'time_entries']) {
    const resource = table.replace('_', '-');
    const made = (statuses.get(`POST ${resource} 201`) ?? 0) - (statuses.get(`DELETE ${resource} 204`) ?? 0);
    expect({ table, rows: Number(after[table]) - Number(before[table]) }).toEqual({ table, rows: made });
  }
  await served.close();
});
