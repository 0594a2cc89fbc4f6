import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { makeCustomer, makeInvoice } from '../graphql/books.ts';
import { collectIds } from '../graphql/hostile/hostile-inputs.ts';
import { fill } from '../isolation/books.ts';
import { startAttackers, type Attack } from './attackers.ts';
import { ordinaryTraffic, quantile, say, serve } from './served.ts';
import { size } from './size.ts';

const documents = size('DOCUMENTS', { suite: 200, full: 100_000 });
const first = Number(process.env['SEED'] ?? 0);
const atOnce = 4;
/** Documents per volley. In the pause after it only ordinary traffic is served, so both are measured in the same minutes. */
const volley = Math.min(1000, documents);
const pauseMs = 1000;

it(`${documents} hostile documents are all answered without 5xx, in bounded memory, while other tenants are served`, async () => {
  const served = await serve();
  onTestFinished(served.close);
  const { acme, globex } = served;
  await Promise.all(Array.from({ length: 20 }, () => makeCustomer(acme)));
  // The attacker has rows to query.
  for (let count = 0; count < 100; count += 1) {
    const customerId = await makeCustomer(globex);
    await Promise.all([makeInvoice(globex, { customerId }), makeInvoice(globex, { customerId })]);
  }
  const attackers = startAttackers();
  const order = {
    url: `${served.url}/graphql`,
    authorization: `Bearer ${globex.token}`,
    atOnce,
    ids: collectIds(await fill(globex)),
  };
  await attackers.send({ ...order, from: first, count: 200 }); // warms up both processes

  const ordinary = ordinaryTraffic(acme);
  let cpu = 0;
  const attacks: Attack[] = [];
  for (let from = first; from < first + documents; from += volley) {
    ordinary.during('without');
    await sleep(pauseMs);
    ordinary.during('beside');
    const cpuBefore = served.cpu();
    attacks.push(...(await attackers.send({ ...order, from, count: Math.min(volley, first + documents - from) })));
    cpu += served.cpu() - cpuBefore;
    if (attacks.length % 5000 === 0)
      say(`hostile documents: ${attacks.length} of ${documents}, ${served.memory()} MiB`);
  }
  const traffic = await ordinary.stop();
  attackers.end();

  const summary = (values: number[]): string =>
    `median ${quantile(values, 0.5).toFixed(1)} ms, p99 ${quantile(values, 0.99).toFixed(1)} ms`;
  const msOf = (some: Attack[]): number[] => some.map(({ ms }) => ms);
  say(`hostile documents: ${summary(msOf(attacks))}`);
  for (const [family, some] of Map.groupBy(attacks, ({ family: name }) => name))
    say(`  ${family}: ${summary(msOf(some))}`);
  const [without = [], beside = []] = ['without', 'beside'].map((phase) => traffic.get(phase));
  const ratio = quantile(beside, 0.99) / quantile(without, 0.99);
  say(
    `ordinary traffic: ${summary(without)} without, ${summary(beside)} beside ${atOnce} attackers: ${ratio.toFixed(2)} times`,
  );
  say(`processor’s time per hostile document, ordinary traffic beside it: ${(cpu / documents).toFixed(2)} ms`);
  say(`memory at the end: ${served.memory()} MiB`);
  expect(attacks).toHaveLength(documents);
  expect(attacks.flatMap(({ wrong }) => wrong ?? [])).toEqual([]);
  expect(served.loggedErrors()).toEqual([]);
  expect(served.memory()).toBeLessThan(1536); // it levels off at about 1000
});
