import { expect, it, onTestFinished } from 'vitest';
import { resources } from '../../schema/resource-list.ts';
import { getTable } from '../../prisma/tables.ts';
import { routes } from '../../rest-shim/routes.ts';
import { createApiValidator, description, operations } from '../openapi/description.ts';
import { validateAnswer, send, usualBodies } from '../openapi/hostile-answers.ts';
import { hostileRequests, type KnownValues } from '../openapi/hostile.ts';
import { fill } from '../isolation/books.ts';
import type { Answer, Integrator, Service } from '../harness.ts';
import { campaign, quantile, say, serve } from './served.ts';
import { size } from './size.ts';

const requests = size('REQUESTS', { suite: 1000, full: 100_000 });
const first = Number(process.env['SEED'] ?? 0);
const atOnce = 8;
const secretName = 'Geheimnis & Söhne';

const madeByRest = resources.filter(({ path }) =>
  routes.some(([method, at]) => method === 'POST' && at === `/${path}`),
);

/** The number of rows and of events of each resource. */
async function counts({ pool }: Service, { tenantId }: Integrator): Promise<Record<string, number>> {
  const columns = madeByRest.flatMap(({ model, name }) => {
    const { table } = getTable(model);
    const eventCount = (what: string): string =>
      `(select count(*)::int from events where tenant_id = $1 and type = '${name}.${what}')`;
    return [
      `(select count(*)::int from ${table} where tenant_id = $1) as "${table}"`,
      `${eventCount('created')} as "${table} created"`,
      `${eventCount('deleted')} as "${table} deleted"`,
    ];
  });
  const { rows } = await pool.query<Record<string, number>>(`select ${columns.join()}`, [tenantId]);
  return rows[0]!;
}

interface Done {
  status: number;
  data?: { id: string };
}

/** The creations and deletions in an answer, of one request or of a batch. */
function doneBy({ status, body }: Pick<Answer, 'status' | 'body'>): Done[] {
  const results: Done[] =
    status === 200 && Array.isArray(body?.results) ? body.results : [{ status, data: body?.data }];
  return results.filter((result) => [201, 204].includes(result.status));
}

it(`${requests} requests inside and outside the description get only documented answers, leak nothing, and write all or nothing`, async () => {
  const served = await serve();
  onTestFinished(served.close);
  const { acme, globex, beside } = served;
  const api = description();
  const validator = createApiValidator(api);
  const endpoints = operations(api);
  const theirs = Object.values(await fill(globex));
  await globex.graphql(
    `mutation ($name: String!) { createCustomer(input: { type: CUSTOMER, companyName: $name }) { id } }`,
    { name: secretName },
  );
  const usual = await usualBodies(acme, endpoints);
  const known: KnownValues = Object.fromEntries(resources.map(({ path }) => [path, [...theirs]]));
  Object.assign(known, { customer_id: [String(usual.get('createInvoice')?.['customer_id'])], from: ['2026-01-31'] });
  const make = hostileRequests(api, validator, usual, known);
  const before = await counts(beside, acme);

  const taken: number[] = [];
  const acknowledged = new Map<string, number>();
  const statuses = new Map<string, number>();
  const wrong: unknown[] = [];
  const kept = new Set(JSON.stringify([...usual.values()]).match(/[0-9a-f-]{36}/g)); // other requests refer to them
  await campaign(
    'REST',
    requests,
    atOnce,
    async (index) => {
      const seed = first + index;
      const request = make(seed);
      if (request.method === 'DELETE' && [...kept].some((id) => request.path.includes(id))) return;
      const start = performance.now();
      const answer = await send(served.url, acme, request);
      taken.push(performance.now() - start);
      const outcome = `${request.family}: ${answer.status}`;
      statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
      const resource = new URL(`http://x/api/v1${request.path}`).pathname.split('/')[3] ?? '';
      if (request.method !== 'OPTIONS' && !answer.headers.has('idempotent-replayed')) {
        for (const { status, data } of doneBy(answer)) {
          const what = `${resource.replace('-', '_')} ${status === 201 ? 'created' : 'deleted'}`;
          acknowledged.set(what, (acknowledged.get(what) ?? 0) + 1);
          if (data) known[resource]?.push(data.id);
        }
      }
      try {
        validateAnswer(validator, request, answer);
        expect(answer.text).not.toContain(secretName);
        expect(answer.text).not.toContain(globex.tenantId);
      } catch (error) {
        const { family, method, path, body } = request;
        const sent = String(body).slice(0, 500);
        wrong.push({
          seed,
          family,
          method,
          path: path.slice(0, 200),
          sent,
          error: (error as Error).message.slice(0, 500),
        });
      }
    },
    () => `${served.memory()} MiB`,
  );
  const ms = (share: number): string => `${quantile(taken, share).toFixed(1)} ms`;
  say(`REST: median ${ms(0.5)}, p99 ${ms(0.99)}; ${served.memory()} MiB at the end; ${wrong.length} answered wrongly`);
  for (const [family, some] of Map.groupBy([...statuses].toSorted(), ([outcome]) => outcome.split(': ')[0]!))
    say(`  ${family}: ${some.map(([outcome, count]) => `${count} × ${outcome.split(': ')[1]}`).join(', ')}`);
  expect(wrong.slice(0, 20)).toEqual([]);
  expect(served.loggedErrors()).toEqual([]);

  // The numbers of rows and events match the acknowledged creations and deletions.
  const after = await counts(beside, acme);
  const gained = (what: string): number => after[what]! - before[what]!;
  const done = (what: string): number => acknowledged.get(what) ?? 0;
  for (const { table } of madeByRest.map(({ model }) => getTable(model))) {
    const [created, deleted] = [done(`${table} created`), done(`${table} deleted`)];
    const found = { rows: gained(table), created: gained(`${table} created`), deleted: gained(`${table} deleted`) };
    expect({ table, ...found }).toEqual({ table, rows: created - deleted, created, deleted });
  }
  const { rows: bare } = await beside.pool.query(`
    select from invoices i where not exists (
      select from invoice_items x where x.tenant_id = i.tenant_id and x.invoice_id = i.id)`);
  expect(bare, 'invoices without items').toEqual([]);
});
