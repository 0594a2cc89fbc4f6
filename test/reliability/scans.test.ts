import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { Integrator } from '../harness.ts';
import { startInnocentCaller, type Figures } from './innocent-caller.ts';
import { say, serve } from './served.ts';

const customers = Number(process.env['CUSTOMERS'] ?? 150_000);
const seconds = Number(process.env['SECONDS'] ?? 30);
const atOnce = 20;

/** A document with this many searches that count all matches. */
const document = (aliases: number): string =>
  `{ ${Array.from({ length: aliases }, (_, index) => `a${index}: customers(q: "e", first: 1) { totalCount }`).join(' ')} }`;

it(`other tenants are served during ${atOnce} concurrent documents that search ${customers} customers`, async () => {
  const served = await serve();
  onTestFinished(served.close);
  const { acme: innocent, globex: attacker, beside } = served;
  await beside.pool.query(
    `insert into customers (tenant_id, id, type, company_name, email, city, updated_at)
    select $1, uuidv7(), 'customer', 'Partner ' || n || ' GmbH', 'office' || n || '@example.com', 'Berlin', now()
    from generate_series(1, $2) n`,
    [attacker.tenantId, customers],
  );
  await beside.pool.query('vacuum analyze customers');

  const calm = await duringWork(innocent, served.url, () => sleep(5000));
  say(`calm: ${summary(calm)}`);

  const refused = await attacker.graphqlAnswer(document(20));
  expect(refused.body.errors?.[0].message).toMatch(/values to answer/);

  const statuses: Record<string, number> = {};
  const attack = async (): Promise<void> => {
    const until = performance.now() + seconds * 1000;
    const send = async (): Promise<void> => {
      while (performance.now() < until) {
        const { body } = await attacker.graphqlAnswer(document(16));
        const outcome = body.errors ? String(body.errors[0].extensions?.code) : 'answered';
        statuses[outcome] = (statuses[outcome] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, send));
  };
  const attacked = await duringWork(innocent, served.url, attack);
  say(`beside the attack: ${summary(attacked)}; the attacker: ${JSON.stringify(statuses)}`);
  expect(attacked.statuses).toEqual({ 200: attacked.answers });
  expect(attacked.slowestMs).toBeLessThan(1000);
});

/** The answers to an innocent caller during `work`. */
async function duringWork({ token }: Integrator, url: string, work: () => Promise<unknown>): Promise<Figures> {
  const caller = await startInnocentCaller(url, token);
  await work();
  return caller.stop();
}

const summary = ({ answers, medianMs, slowestMs, statuses }: Figures): string =>
  `${answers} answers, median ${medianMs} ms, slowest ${slowestMs} ms, ${JSON.stringify(statuses)}`;
