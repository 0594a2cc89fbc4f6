import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeContent } from '../../schema/resources/anchor/content.ts';
import { deriveAnchorKey } from '../../src/security/anchor-key.ts';
import { kontor as startable, secret as former, type Kontor } from '../faults/processes.ts';
import { createDatabase, startService, type Database, type Integrator, type Service } from '../harness.ts';
import { customer } from '../rest/samples.ts';
import { createWebhook, startReceiver, until, type Receiver } from '../webhooks/receiver.ts';
import { kontor as kontorInHost } from './command-lines.ts';
import { kontor } from './npm.ts';

// The secret of an installation is replaced while it works: two processes that serve, and a worker, which is killed.

const next = 'another secret of the tests, long enough as well';
const both = { KONTOR_SECRET: next, KONTOR_SECRET_PREVIOUS: former };
/** Stored responses, so many that the worker can be killed before the last one. */
const storedBefore = 200;

let database: Database;
let service: Service;
let acme: Integrator;
let receiver: Receiver;
let folder: string;
const processes: Kontor[] = [];

beforeAll(async () => {
  database = await createDatabase();
  service = await startService({ database });
  acme = await service.integrator();
  receiver = await startReceiver();
  folder = await mkdtemp(join(tmpdir(), 'kontor-rotation-'));
});
afterAll(async () => {
  for (const each of processes) await each.kill();
  await receiver.close();
  await service.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

const command = (args: string[], env: Record<string, string>) => kontor(args, { DATABASE_URL: database.url, ...env });
const status = async (env: Record<string, string>) =>
  JSON.parse(
    (await kontorInHost(['secret', 'status', '--json'], { DATABASE_URL: database.url, ...env })).out,
  ) as Record<string, unknown>;

async function start(which: 'serve' | 'work', env: Record<string, string>): Promise<Kontor> {
  const started = await startable(which, database.url, { WEBHOOK_ALLOW_INSECURE: '1', ...env });
  processes.push(started);
  await started.start();
  return started;
}

async function post(url: string, key: string): Promise<{ status: number; replayed: boolean; body: string }> {
  const response = await fetch(`${url}/api/v1/customers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${acme.token}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ ...customer, company_name: key }),
  });
  return {
    status: response.status,
    replayed: response.headers.has('idempotent-replayed'),
    body: await response.text(),
  };
}

it('a rotation fails no request, and then the former secret is not needed, nor accepted', async () => {
  expect(await status({ KONTOR_SECRET: former })).toMatchObject({ state: 'none' });
  const { secret: ofWebhook, id: webhookId } = await createWebhook(acme, { url: receiver.url });
  const earlier = await post(service.url, 'before the rotation');
  expect(earlier.status).toBe(201);
  await service.pool.query(
    `insert into stored_responses select tenant_id, sha256(n::text::bytea), body, response, created_at
     from stored_responses, generate_series(1, $1) as n`,
    [storedBefore],
  );
  const key = deriveAnchorKey(former);
  const content = writeContent({ tenantId: acme.tenantId, at: new Date(), documents: null, auditLog: null });
  const anchor = {
    content,
    public_key: key.publicKey.toString('base64'),
    signature: key.sign(content).toString('base64'),
  };

  // The other one has its secrets in files, which change while it runs.
  const files = { KONTOR_SECRET: former, KONTOR_SECRET_PREVIOUS: former, METRICS_TOKEN: 'hFpq81LxKv02TnZs' };
  const write = async (file: keyof typeof files, text: string) => {
    await writeFile(join(folder, 'draft'), `${text}\n`, { mode: 0o600 });
    await rename(join(folder, 'draft'), join(folder, file));
  };
  for (const [file, text] of Object.entries(files)) await write(file as keyof typeof files, text);
  const named = Object.keys(files).map((file) => [`${file}_FILE`, join(folder, file)]);
  const [one, other] = await Promise.all([
    start('serve', both),
    start('serve', { KONTOR_SECRET: '', ...Object.fromEntries(named) }),
  ]);
  await write('KONTOR_SECRET', 'damaged'); // which changes nothing
  await until(
    () => other.faults().some((line) => line.includes('KONTOR_SECRET_FILE is not accepted')),
    'the complaint',
  );
  await write('METRICS_TOKEN', 'Rf93kXq0VbLw27Zd');
  await write('KONTOR_SECRET', next);
  const measure = () => fetch(`${other.url}/metrics`, { headers: { authorization: 'Bearer Rf93kXq0VbLw27Zd' } });
  await until(async () => (await measure()).status === 200, 'the files to be read again');
  const worker = await start('work', both);

  // Each process repeats what the other one has done.
  const answers: { status: number; replayed: boolean }[] = [];
  let posted = 0;
  const stopping = new AbortController();
  const load = (async () => {
    for (; !stopping.signal.aborted; posted++) {
      const [first, second] = posted % 2 === 0 ? [one, other] : [other, one];
      answers.push(await post(first.url, `customer ${posted}`), await post(second.url, `customer ${posted}`));
      await sleep(100);
    }
  })();

  try {
    expect(await command(['secret', 'rotate'], { KONTOR_SECRET: former })).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^kontor: KONTOR_SECRET encrypts already\. To replace it, set KONTOR_SECRET [^\n]+\n$/,
      ),
    });
    const rotations = await Promise.all([1, 2].map(() => command(['secret', 'rotate', '--json'], both)));
    expect(rotations.map(({ code }) => code)).toEqual([0, 0]);
    expect(JSON.parse(rotations[1]!.out)).toMatchObject({ state: 'under_way', tenants_done: 0, tenants: 1 });
    expect(await command(['secret', 'rotate'], { ...both, KONTOR_SECRET: `${next}, a third` })).toMatchObject({
      code: 1,
    });
    // Until the end, both are needed.
    expect(await command(['secret', 'status'], { KONTOR_SECRET: next })).toMatchObject({
      code: 1,
      err: expect.stringContaining('A rotation of KONTOR_SECRET is under way'),
    });

    // The worker can't encrypt the last response before it is killed.
    const held = await service.pool.connect();
    await held.query('begin');
    await held.query(
      'select from stored_responses where request = (select max(request) from stored_responses) for update',
    );
    const left = async (): Promise<number> => {
      const { rows } = await service.pool.query<{ count: number }>(
        `select count(*)::int as count from stored_responses, secret_checks
         where substring(response from 1 for 8) <> key_id`,
      );
      return rows[0]!.count;
    };
    await until(async () => (await left()) < storedBefore / 2, 'half to be encrypted anew', 60_000, 50);
    await worker.kill();
    await held.query('rollback');
    held.release();
    expect(await status(both)).toMatchObject({ state: 'under_way', tenants_done: 0 });
    await worker.start();
    await until(async () => (await status(both))['state'] === 'done', 'the rotation to end', 90_000, 1000);
  } finally {
    stopping.abort();
    await load;
  }
  expect(answers.filter(({ status: code }) => code !== 201)).toEqual([]);
  expect(answers.map(({ replayed }) => replayed)).toEqual(answers.map((_each, index) => index % 2 === 1));
  expect(await status(both)).toMatchObject({ state: 'done', unreadable: 0, tenants_done: 1 });

  await until(() => receiver.requests.length >= posted, 'all deliveries', 60_000);
  for (const { body, headers } of receiver.requests)
    new Webhook(ofWebhook).verify(body, headers as Record<string, string>);
  // Nobody has changed the webhook.
  const row = await acme.db.webhook.findFirstOrThrow({ where: { id: webhookId } });
  expect(row.version).toBe(1);
  expect(await acme.db.auditEntry.count({ where: { resource: 'webhook' } })).toBe(1);

  for (const each of [one, other, worker]) expect(await each.stop()).toBe(0);
  const only = { KONTOR_SECRET: next };
  const after = await start('serve', only);
  expect(await post(after.url, 'before the rotation')).toEqual({ ...earlier, replayed: true });
  expect(await command(['secret', 'status'], { KONTOR_SECRET: former })).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^kontor: KONTOR_SECRET is not the one that this database was used with: [^\n]+\n$/),
  });
  const kept = join(folder, 'kept.jsonl');
  await writeFile(kept, JSON.stringify(anchor));
  const verify = (env: Record<string, string>) =>
    command(['verify', '--tenant', acme.tenantId, '--expect-file', kept], env);
  expect(await verify(only)).toMatchObject({ code: 0 });
});
