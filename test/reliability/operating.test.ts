import { createHash, randomBytes } from 'node:crypto';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { version } from '../../schema/version.ts';
import { fill, readPage } from '../docs/operating-page.ts';
import {
  makePlace,
  noDebianPostgres,
  shell,
  startDebianPostgres,
  type DebianPostgres,
  type Ended,
  type Place,
} from '../faults/debian-postgres.ts';
import { startLoad, type Load } from '../faults/load.ts';
import { noNginx, startNginx, type Nginx } from '../faults/nginx.ts';
import { expectNothingLost, untilDrained } from '../faults/oracle.ts';
import { kontor, type Kontor } from '../faults/processes.ts';
import { prepareTenant, told, webhooks } from '../faults/test-system.ts';
import { freePort } from '../processes/npm.ts';
import { makeLaterVersion, type ProjectCopy } from '../processes/project-copy.ts';
import { invoice } from '../rest/samples.ts';
import { startReceiver, until, type Receiver } from '../webhooks/receiver.ts';
import { say } from './served.ts';

// An installation with its own PostgreSQL, behind nginx, is operated by OPERATING.md: each command and statement is the document's,
// with values in the places of its placeholders. Clients write meanwhile.

const operating = readPage('OPERATING.md');
const readme = readPage('README.md');
const root = fileURLToPath(new URL('../..', import.meta.url));
const missing = noDebianPostgres ?? (noNginx ? 'apt-get install nginx-light' : undefined);
const laterVersion = '99.0.0';
const waitMs = 90_000;

interface Tenant {
  id: string;
  token: string;
  customerId: string;
}

const closing: (() => unknown)[] = [];
let place: Place;
let primary: DebianPostgres;
let receiver: Receiver;
let nginx: Nginx;
let later: ProjectCopy;
/** The operator's settings, for processes and commands. */
const env: Record<string, string> = {};
/** Two that serve, and one that works: each at the port of the one that it replaced. */
const processes: { command: 'serve' | 'work'; port: string; running?: Kontor }[] = [];
const tenants = {} as Record<'acme' | 'globex' | 'initech', Tenant>;
let load: Load;
/** Deliveries that a restored backup has planned. */
let deliveredElsewhere: ReadonlySet<string> = new Set();

const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
const random = (): string => randomBytes(24).toString('hex');

/** Types a line in the folder of this version, or of another. */
const type = (line: string, settings: Record<string, string> = {}, folder = root): Promise<Ended> =>
  shell(line, { cwd: folder, env: { ...clean, ...env, ...settings } });

/** Types a command of Kontor. */
const command = (name: string, settings: Record<string, string> = {}, folder = root): Promise<Ended> =>
  type(fill(operating.code('Command line', 'npm run'), { COMMAND: name }), settings, folder);

/** Types what has to succeed. @returns what it prints */
async function done(ended: Promise<Ended>): Promise<string> {
  const { code, out, err } = await ended;
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

/** The result of a `migrate` that has migrated, and asks no superuser for anything. */
const migrated = {
  code: 0,
  out: 'The database is up to date.\n',
  err: expect.stringMatching(/^(?:applying [^\n]+\n)?$/) as string,
};

const statement = (server: DebianPostgres, sql: string, database = 'kontor'): Promise<string> =>
  done(server.shell(`psql -d '${database}' -v ON_ERROR_STOP=1 -q -c "${sql}"`));

/** Replaces the processes one by one, by those of another version, or with what is set now. */
async function replaceProcesses(project = root): Promise<void> {
  for (const each of processes) {
    if (each.running) expect(await each.running.stop()).toBe(0);
    each.running = await start(each.command, { ...env, PORT: each.port }, project);
  }
}

async function start(which: 'serve' | 'work', settings: Record<string, string>, project = root): Promise<Kontor> {
  const started = await kontor(which, settings['DATABASE_URL'] ?? '', settings, [], join(project, 'src/cli.ts'));
  closing.push(started.kill);
  await started.start();
  return started;
}

async function ask(path: string, token: string, url = nginx.url, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return await fetch(url + path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
}

/** Waits until writes are acknowledged that begin now. */
async function untilServed(): Promise<void> {
  const before = load.writes.length;
  const isServed = () => load.writes.slice(before).filter(({ acknowledged }) => acknowledged).length > 5;
  await until(isServed, 'writes to be acknowledged', waitMs);
}

/** No request has failed until now. */
function expectCalm(): void {
  expect(load.wrong).toEqual([]);
  expect(load.faults).toEqual({ unavailable: 0, unanswered: 0, internal: 0 });
}

async function makeTenant(name: string): Promise<Tenant> {
  const line = (beginning: string, values: Record<string, string>) =>
    done(type(fill(readme.code('A first request', beginning), values)));
  const opened = await line('npm run -s kontor -- tenant create', { Acme: name });
  const id = /: (\S+)\n$/.exec(opened)?.[1] ?? '';
  await line('npm run -s kontor -- user create', { 'ada@example.com': `ada@${name}.example`, TENANT_ID: id });
  const token = /^kontor_\w+$/m.exec(await line('npm run -s kontor -- token create', { TENANT_ID: id }))?.[0] ?? '';
  return { id, token, customerId: await prepareTenant(nginx.url, token, `${receiver.url}/${name}`) };
}

async function readDeliveries(server: DebianPostgres): Promise<Set<string>> {
  return new Set((await server.query('select id from deliveries')).map(({ id }) => id as string));
}

/** All rows of a tenant, by table. */
async function readRows(server: DebianPostgres, tenantId: string): Promise<string[]> {
  const tables = await server.query(
    `select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and column_name = 'tenant_id' and table_type = 'BASE TABLE'`,
  );
  const rows = await Promise.all(
    tables.map(({ name }) =>
      server.query(`select '${name} ' || t::text as row from ${name} as t where tenant_id = $1`, [tenantId]),
    ),
  );
  return rows.flat().map(({ row }) => row as string);
}

async function expectSound(tenantIds: string[], settings: Record<string, string> = {}): Promise<void> {
  const bin = { PATH: `${root}/src/bin:${process.env['PATH']}` };
  for (const id of tenantIds) {
    const verify = fill(operating.code('Verifying the books', 'kontor verify --tenant'), { ID: id });
    await done(type(verify, { ...bin, ...settings }));
  }
  const doctor = await type(operating.code('When something is wrong', 'npm run'), settings);
  expect(doctor.out.split('\n').filter((line) => line.startsWith('fail'))).toEqual([]);
  expect(doctor).toMatchObject({ code: 0, err: '' });
}

beforeAll(async () => {
  if (missing !== undefined) return;
  place = await makePlace();
  closing.push(place.remove);
  primary = await startDebianPostgres(place, 'primary');
  closing.push(primary.stopImmediately);
  receiver = await startReceiver();
  closing.push(receiver.close);
  later = await makeLaterVersion(
    {
      name: '99990000000000_later',
      script: 'alter table customers add column name_length int;',
      backfill: `update customers set name_length = length(company_name)
        where tenant_id = $1 and id > $2 and id <= $3 and name_length is null;`,
    },
    laterVersion,
  );
  closing.push(later.remove);
});
afterAll(async () => {
  await load?.abandon();
  for (const each of closing.toReversed()) await each();
});

describe.skipIf(missing !== undefined)(
  `OPERATING.md as it is written${missing ? `, LEFT OUT: ${missing}` : ''}`,
  () => {
    it('Your own PostgreSQL: a new cluster, processes, and a first request', async () => {
      const owner = random();
      await cp(join(root, 'docker'), join(place.folder, 'docker'), { recursive: true });
      const set = fill(operating.code('Your own PostgreSQL', 'KONTOR_OWNER_PASSWORD='), {
        'OWNER_PASSWORD=…': `OWNER_PASSWORD=${owner}`,
        'BOOKS_PASSWORD=…': `BOOKS_PASSWORD=${random()}`,
      });
      await done(primary.shell(set));
      const [, url = ''] = /DATABASE_URL=(\S+)/.exec(operating.code('Your own PostgreSQL', 'DATABASE_URL=')) ?? [];
      for (const which of ['serve', 'serve', 'work'] as const) {
        expect(operating.code('One PostgreSQL', which)).toBe(which);
        processes.push({ command: which, port: await freePort() });
      }
      nginx = await startNginx(processes.map(({ port }) => `http://127.0.0.1:${port}`));
      closing.push(nginx.close);
      await mkdir(join(place.folder, 'files'));
      const [drain = '', seconds = ''] = operating.code('Upgrading', 'DRAIN_SECONDS=').split('=');
      Object.assign(env, {
        DATABASE_URL: fill(url, { 'kontor:…': `kontor:${owner}`, 'db.example': `127.0.0.1:${primary.port}` }),
        KONTOR_SECRET: (await done(type(operating.code('Settings', 'openssl rand')))).trim(),
        FILES_URL: `file://${place.folder}/files`,
        PUBLIC_URL: nginx.url,
        TRUSTED_PROXIES: '1',
        [drain]: seconds,
        DATABASE_CONNECTIONS: '5',
        DATABASE_BOOKS_CONNECTIONS: '10',
        RATE_LIMIT_PER_MINUTE: '0',
        WEBHOOK_ALLOW_INSECURE: '1',
        WEBHOOK_RETRY_DELAYS: '1,3,10,30,60',
      });
      // docker/database.sql has all that a superuser has to run.
      expect(await command(operating.code('One PostgreSQL', 'migrate'))).toEqual(migrated);
      await replaceProcesses();

      tenants.acme = await makeTenant('Acme');
      const request = readme.code('A first request', 'curl');
      const answer = await done(
        type(fill(request, { 'http://127.0.0.1:4000': nginx.url, 'Bearer TOKEN': `Bearer ${tenants.acme.token}` })),
      );
      expect(JSON.parse(answer)).toMatchObject({ data: { company_name: 'Bäckerei Sonnenschein GmbH' } });
      tenants.globex = await makeTenant('Globex');
      tenants.initech = await makeTenant('Initech');
      for (const { token, customerId } of [tenants.acme, tenants.initech]) {
        const issued = { ...invoice(customerId), status: 'issued', subject: 'arranged' };
        expect((await ask('/api/v1/invoices', token, nginx.url, issued)).status).toBe(201);
      }
      load = startLoad({ ...tenants.globex, urls: [nginx.url], clients: 2, pauseMs: 500 });
      await untilServed();
      expectCalm();
    });

    it('Upgrading: migrated and replaced while clients write, and the way back', async () => {
      const migrate = operating.code('Upgrading', 'migrate');
      const answeredBy = async () =>
        (await ask('/api/v1/customers', tenants.globex.token)).headers.get('kontor-version');
      const plan = await done(command(`${migrate} ${operating.code('Upgrading', '--dry-run')}`, {}, later.path));
      expect(plan).toContain('lock: ACCESS EXCLUSIVE on customers');
      expect(await command(migrate, {}, later.path)).toEqual(migrated);
      expect(await answeredBy()).toBe(version);
      await untilServed();

      await replaceProcesses(later.path);
      expect(await answeredBy()).toBe(laterVersion);
      const status = () => done(command(operating.code('Upgrading', 'migrate --status'), {}, later.path));
      await until(async () => /^backfill .* done /m.test(await status()), 'the backfill', waitMs, 1000);
      await untilServed();

      await replaceProcesses();
      expect(await answeredBy()).toBe(version);
      await untilServed();
      expectCalm();
    });

    it('Rotating the secret: the former one is refused', async () => {
      const section = 'Rotating the secret';
      const former = env['KONTOR_SECRET'] ?? '';
      const previous = operating.code(section, 'KONTOR_SECRET_PREVIOUS');
      env[operating.code(section, 'KONTOR_SECRET')] = (
        await done(type(operating.code('Settings', 'openssl rand')))
      ).trim();
      env[previous] = former;
      await replaceProcesses();
      await done(command(operating.code(section, 'secret rotate')));
      const status = operating.code(section, 'secret status');
      const isDone = async () => (await done(command(status))).includes(`Unset ${previous}.`);
      await until(isDone, 'the rotation', waitMs, 1000);
      delete env[previous];
      await replaceProcesses();
      await untilServed();
      expect(await command(status, { KONTOR_SECRET: former })).toMatchObject({
        code: 1,
        err: expect.stringContaining('KONTOR_SECRET is not the one that this database was used with') as string,
      });
      expectCalm();
    });

    it('Backup of your own PostgreSQL: a dump is restored elsewhere', async () => {
      const section = 'Backup of your own PostgreSQL';
      const { id, token } = tenants.globex;
      const changes = (await (await ask('/api/v1/changes', token)).json()) as { meta: { cursor: string } };
      const { cursor } = changes.meta;
      const acknowledged = load.writes.flatMap((write) => (write.acknowledged ? [write.id] : []));
      await done(primary.shell(operating.code(section, 'pg_dump')));
      await cp(join(place.folder, 'files'), join(place.folder, 'restored-files'), { recursive: true });

      const other = await startDebianPostgres(place, 'restored');
      closing.push(other.stopImmediately);
      const password = random();
      await statement(other, fill(operating.code(section, 'create role'), { '…': password }), 'postgres');
      await done(other.shell(operating.code(section, 'pg_restore')));
      const there = {
        ...env,
        DATABASE_URL: `postgres://kontor:${password}@127.0.0.1:${other.port}/kontor`,
        FILES_URL: `file://${place.folder}/restored-files`,
      };
      const { code, err } = await command(operating.code(section, 'migrate'), there);
      expect(code).toBe(0);
      const [, forSuperuser = ''] = /a superuser runs: (.*)/.exec(err) ?? [];
      expect(forSuperuser).not.toBe('');
      await statement(other, forSuperuser);
      expect(await command(operating.code(section, 'migrate'), there)).toEqual(migrated);
      await statement(other, operating.code(section, 'select'), there.DATABASE_URL);

      const restored = await start('serve', { ...there, PORT: await freePort() });
      const worker = await start('work', there);
      expect((await ask(`/api/v1/changes?since=${cursor}`, token)).status).toBe(200);
      expect((await ask(`/api/v1/changes?since=${cursor}`, token, restored.url)).status).toBe(410);
      const [found] = await other.query(
        `select count(*)::int as rows from (select id from customers union all select id from invoices) as a where id = any($1)`,
        [acknowledged],
      );
      expect(found).toEqual({ rows: acknowledged.length });
      await expectSound([id, tenants.acme.id, tenants.initech.id], there);
      for (const each of [restored, worker]) expect(await each.stop()).toBe(0);
      deliveredElsewhere = (await readDeliveries(other)).difference(await readDeliveries(primary));
      await other.stopImmediately();
      await untilServed();
      expectCalm();
    });

    it('tenant close, tenant delete: nothing is left of it, and nothing else went', async () => {
      const section = 'Command line';
      const { acme, initech } = tenants;
      const yes = operating.code(section, '--yes');
      const [, closes] = /^tenant (?:\w+\|)*(close)\b/.exec(operating.code(section, 'tenant create')) ?? [];
      const remove = `${operating.code(section, 'tenant delete')} ${acme.id} ${yes}`;
      await untilDrained(primary);
      const others = await readRows(primary, initech.id);
      expect(others.length).toBeGreaterThan(20);

      await done(command(`tenant ${closes} ${acme.id} ${yes}`));
      expect((await ask('/api/v1/customers', acme.token)).status).toBe(403);
      expect(await command(remove)).toMatchObject({
        code: 1,
        err: expect.stringContaining('can be deleted from') as string,
      });
      await primary.query(`update tenants set closed_at = closed_at - interval '30 days' where id = $1`, [acme.id]);
      const { hash, ...content } = JSON.parse(await done(command(`${remove} --json`))) as { hash: string };
      expect(createHash('sha256').update(JSON.stringify(content)).digest('hex')).toBe(hash);
      expect(content).toMatchObject({ tenant_id: acme.id, rows: { tenants: 1, invoices: 1, customers: 2 } });

      expect(await readRows(primary, acme.id)).toEqual([]);
      expect((await ask('/api/v1/customers', acme.token)).status).toBe(401);
      const now = new Set(await readRows(primary, initech.id));
      expect(others.filter((row) => !now.has(row))).toEqual([]);
      await untilServed();
      expectCalm();
    });

    it('Failover: a replica takes over from a primary that fails', async () => {
      const section = 'Failover';
      const password = random();
      await statement(primary, fill(operating.code(section, 'create role'), { '…': password }));
      const [hba] = await primary.query(
        `select count(*)::int as entries from pg_hba_file_rules where database = '{replication}'`,
      );
      expect(hba.entries).toBeGreaterThan(0); // initdb's, for servers of this machine
      const copy = operating.code(section, 'pg_basebackup');
      const from = { '…': password, 'primary.example': `127.0.0.1:${primary.port}`, DATA: 'replica' };
      await done(primary.shell(fill(copy, from)));
      const replica = await startDebianPostgres(place, 'replica');
      closing.push(replica.stopImmediately);
      await statement(primary, operating.code(section, 'alter system'));
      await statement(primary, operating.code(section, 'select pg_reload_conf()'));
      const replicas = () => primary.query('select sync_state from pg_stat_replication');
      await until(
        async () => (await replicas())[0]?.sync_state === 'sync',
        'the replica to be synchronous',
        waitMs,
        200,
      );
      await untilServed();
      expectCalm();

      const acknowledged = load.acknowledged();
      await primary.stopImmediately();
      const away = '503: the database is away';
      const look = fill(operating.code(away, 'curl'), { '127.0.0.1:4000': `127.0.0.1:${processes[0]?.port}` });
      const health = async (): Promise<string> => (await type(`${look} -s`)).out;
      await until(async () => !(await health()).includes('"ready"'), 'readiness to report it', waitMs, 200);
      await until(() => load.faults.unavailable > 0, 'a request to fail', waitMs);
      say(`operating: failover after ${acknowledged} acknowledged writes: ${await health()}`);
      const begun = performance.now();
      await statement(replica, operating.code(section, 'select pg_promote()'));
      env[operating.code(section, 'DATABASE_URL')] = fill(env['DATABASE_URL'] ?? '', {
        [`:${primary.port}/`]: `:${replica.port}/`,
      });
      await replaceProcesses();
      await untilServed();
      say(`operating: writes again ${Math.round(performance.now() - begun)} ms after the decision`);
      expect(await health()).toContain('"ready"');
      expect(load.wrong).toEqual([]);
      expect(load.faults).toMatchObject({ unanswered: 0, internal: 0 });

      const { id } = tenants.globex;
      await load.stop();
      await untilDrained(replica);
      const itsRows = `-c role=kontor_books -c kontor.tenant_id=${id}`;
      const books = { query: (sql: string, values?: unknown[]) => replica.query(sql, values, itsRows) };
      const itsRequests = receiver.requests.filter(
        ({ path, headers }) =>
          path.startsWith('/Globex/') && !deliveredElsewhere.has(String(headers['x-service-delivery'])),
      );
      const figures = await expectNothingLost(books, load, { requests: itsRequests }, webhooks);
      say(`operating: nothing lost. ${told(figures)}`);
      await expectSound([id, tenants.initech.id]);
    });
  },
);
