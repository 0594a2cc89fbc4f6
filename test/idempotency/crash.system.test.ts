import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, startService, type Database, type Integrator, type Service } from '../harness.ts';
import { freePort } from '../processes/npm.ts';
import { customer } from '../rest/samples.ts';
import { until } from '../webhooks/receiver.ts';

// A crash between leaves a request safe to repeat: what it wrote and its stored answer are there together, or not at all.

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const rounds = 2;
const atOnce = 20;

let database: Database;
let survivor: Service;
let acme: Integrator;

beforeAll(async () => {
  database = await createDatabase();
  survivor = await startService({ database });
  acme = await survivor.integrator();
});
afterAll(async () => {
  await survivor.close();
  await database.drop();
});

/** A server of its own process, to be killed. */
async function victim(): Promise<{ child: ChildProcess; url: string }> {
  const env = {
    ...process.env,
    DATABASE_URL: database.url,
    KONTOR_SECRET: 'the secret of the tests, long enough', // as the survivor's, which has to read its answers
    PORT: await freePort(),
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'silent',
  };
  const child = spawn(process.execPath, [cli, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout!, 'data');
  return { child, url: `http://127.0.0.1:${env.PORT}` };
}

const named = (name: string) => ({ ...customer, company_name: name });
const post = (url: string, key: string): Promise<number | undefined> =>
  fetch(`${url}/api/v1/customers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${acme.token}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(named(key)),
  }).then(
    ({ status }) => status,
    () => undefined,
  );

/** Three mutations in one document, without a key. @returns whether the answer has arrived */
const postThree = (url: string, name: string): Promise<boolean> =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${acme.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      query: `mutation ($input: CreateCustomerInput!) { ${['a', 'b', 'c'].map((alias) => `${alias}: createCustomer(input: $input) { id }`).join(' ')} }`,
      variables: { input: { type: 'CUSTOMER', companyName: name } },
    }),
  })
    .then((response) => response.json() as Promise<{ errors?: unknown }>)
    .then(
      ({ errors }) => errors === undefined,
      () => false,
    );

/** @returns whether the document's rows and events were written: all of them, or none */
async function isWrittenWhole(name: string): Promise<boolean> {
  const rows = await acme.db.customer.findMany({ where: { companyName: name }, select: { id: true } });
  expect([0, 3]).toContain(rows.length);
  expect(await acme.db.event.count({ where: { resourceId: { in: rows.map(({ id }) => id) } } })).toBe(rows.length);
  return rows.length > 0;
}

async function writtenOnce(key: string): Promise<void> {
  const again = await acme.rest('POST', '/customers', named(key), { 'idempotency-key': key });
  expect(again.status).toBe(201);
  const rows = await acme.db.customer.findMany({ where: { companyName: key } });
  expect(rows.map(({ id }) => id)).toEqual([again.body.data.id]);
  expect(await acme.db.event.count({ where: { resourceId: again.body.data.id } })).toBe(1);
}

it('a request whose process is killed before the commit writes nothing, and runs when it is sent again', async () => {
  const { child, url } = await victim();
  const holder = new Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('begin; lock table events in exclusive mode');
  const answer = post(url, 'held');
  const locks = `select from pg_locks where relation = 'events'::regclass and not granted`;
  await until(async () => ((await holder.query(locks)).rowCount ?? 0) > 0, 'the request to write its event');
  child.kill('SIGKILL');
  expect(await answer).toBeUndefined();
  await holder.end();
  await writtenOnce('held');
});

it(
  `killed at random points, with ${atOnce} requests and documents under way: each document is whole, and each request, sent again, has one row and one event`,
  { timeout: 120_000 },
  async () => {
    let [lost, kept] = [0, 0];
    for (let round = 0; round < rounds; round += 1) {
      const { child, url } = await victim();
      await post(url, `warm ${round}`);
      const keys = Array.from({ length: atOnce }, () => randomUUID());
      const names = Array.from({ length: atOnce }, () => randomUUID());
      const answers = keys.map((key) => post(url, key));
      const documents = names.map((name) => postThree(url, name));
      await Promise.race(answers); // a document alone would leave nothing that must be kept
      child.kill('SIGKILL');
      const statuses = await Promise.all(answers);
      for (const [index, arrived] of (await Promise.all(documents)).entries()) {
        const isWhole = await isWrittenWhole(names[index]!);
        if (arrived) expect(isWhole).toBe(true);
        lost += Number(!arrived);
      }
      lost += statuses.filter((status) => status === undefined).length;
      kept += await acme.db.customer.count({ where: { companyName: { in: keys } } });
      for (const key of keys) await writtenOnce(key);
    }
    // It went both ways, or it tried nothing.
    expect(lost).toBeGreaterThan(0);
    expect(kept).toBeGreaterThan(0);
  },
);
