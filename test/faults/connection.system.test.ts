import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../prisma/migrate/migrate.ts';
import { startPooler, noPooler } from '../pooler/pgbouncer.ts';
import { customer } from '../rest/samples.ts';
import { withOpenssl } from '../webhooks/certificates.ts';
import { until } from '../webhooks/receiver.ts';
import { startOwnPostgres, type OwnPostgres } from './postgres.ts';
import { kontor, type Kontor } from './processes.ts';
import { makeToken } from './test-system.ts';

// Messages where no connection to the database is made, and TLS as OPERATING.md says it is set.

let postgres: OwnPostgres;
let certificates: string;
let token: string;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  await migrate(postgres.url);
  token = await makeToken(postgres.url);
  certificates = await mkdtemp(join(tmpdir(), 'kontor-certificates-'));
  const { ca, ...those } = withOpenssl(({ authority, leaf }) => ({
    ca: authority('ca'),
    server: leaf('server', '127.0.0.1'),
    other: leaf('other', 'elsewhere.example'),
    expired: leaf('expired', '127.0.0.1', { to: 2021 }),
  }));
  await chmod(certificates, 0o755);
  await writeFile(join(certificates, 'ca.pem'), ca);
  for (const [name, { key, cert }] of Object.entries(those)) {
    await writeFile(join(certificates, `${name}.key`), key, { mode: 0o600 });
    await writeFile(join(certificates, `${name}.pem`), cert);
  }
  await postgres.own(certificates);
  await useCertificate('server');
});
afterAll(async () => {
  await postgres.remove();
  await rm(certificates, { recursive: true });
});

async function useCertificate(name: string): Promise<void> {
  await postgres.query(`alter system set ssl_cert_file = '${certificates}/${name}.pem'`);
  await postgres.query(`alter system set ssl_key_file = '${certificates}/${name}.key'`);
  await postgres.query('alter system set ssl = on');
  await postgres.query('select pg_reload_conf()');
}

const withUrl = (change: (url: URL) => void): string => {
  const url = new URL(postgres.url);
  change(url);
  return url.href;
};

const verified = (ca?: string): string =>
  withUrl(({ searchParams }) => {
    searchParams.set('sslmode', 'verify-full');
    if (ca !== undefined) searchParams.set('sslrootcert', join(certificates, ca));
  });

/** Why `serve` didn't start. */
async function refusalOf(databaseUrl: string, settings: Record<string, string> = {}): Promise<string> {
  const process = await kontor('serve', databaseUrl, settings);
  onTestFinished(process.kill);
  await expect(process.start()).rejects.toThrow(/did not start/);
  expect(process.complaints().trimEnd().split('\n')).toHaveLength(1);
  return process.complaints();
}

describe('where waiting can’t help, a process ends and says why in one line', { timeout: 120_000 }, () => {
  it('a wrong password', async () => {
    const url = withUrl((its) => (its.password = 'wrong'));
    const said = await refusalOf(url);
    expect(said).toMatch(/^kontor: DATABASE_URL \(127\.0\.0\.1:\d+, user kontor, database kontor\): /);
    expect(said).toContain('The database refuses the password.');
    expect(said).not.toContain('wrong');
    const books = withUrl((its) => (its.username = 'kontor_books'));
    expect(await refusalOf(postgres.url, { DATABASE_BOOKS_URL: books })).toMatch(
      /DATABASE_BOOKS_URL .* refuses the password/,
    );
  });

  it('an unknown database', async () => {
    const url = withUrl((its) => (its.pathname = '/nothing'));
    expect(await refusalOf(url)).toContain('There is no database of this name.');
  });

  it('a certificate that is not trusted, or is for another host', async () => {
    expect(await refusalOf(verified())).toContain("The database's certificate is not trusted.");
    expect(await refusalOf(verified('missing.pem'))).toContain(
      'A file of the TLS settings of the database is missing.',
    );
    await useCertificate('other');
    expect(await refusalOf(verified('ca.pem'))).toContain("The database's certificate is for another host name.");
    await useCertificate('expired');
    expect(await refusalOf(verified('ca.pem'))).toContain("The database's certificate has expired.");
    await useCertificate('server');
    const process = await kontor('serve', verified('ca.pem'));
    onTestFinished(process.kill);
    await process.start();
    expect((await fetch(`${process.url}/health/ready`)).status).toBe(200);
    const [{ ssl }] = await postgres.query(`
      select bool_and(ssl) as ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name like 'kontor%'`);
    expect(ssl).toBe(true);
  });

  it.skipIf(noPooler)('an unknown database behind pgbouncer', async () => {
    const pooler = await startPooler(postgres.url, 5);
    onTestFinished(pooler.close);
    const url = withUrl((its) => (its.pathname = '/nothing'));
    const said = await refusalOf(pooler.through(url), { DATABASE_DIRECT_URL: postgres.url });
    expect(said).toMatch(/DATABASE_URL .* There is no database of this name\./);
  });
});

it.each([
  ['an unknown host', (url: URL) => void (url.hostname = 'nowhere.invalid'), /its host name is unknown|name server/],
  ['a closed port', (url: URL) => void (url.port = '1'), /the connection is refused/],
])(
  'where waiting can help, a process waits and says why: %s',
  async (_name, change, reason) => {
    const process = await kontor('serve', withUrl(change));
    onTestFinished(process.kill);
    await process.start();
    expect(process.complaints()).toMatch(reason);
    expect(process.complaints()).toMatch(/Kontor waits for it\.$/m);
    const ready = await fetch(`${process.url}/health/ready`);
    expect(ready.status).toBe(503);
    expect(((await ready.json()) as { message: string }).message).toMatch(reason);
  },
  120_000,
);

describe('a database that refuses connections for a while', { timeout: 240_000 }, () => {
  interface Fault {
    begin: () => Promise<unknown>;
    end: () => Promise<unknown>;
    reason: RegExp;
  }
  const expired: Fault = {
    begin: () => useCertificate('expired'),
    end: () => useCertificate('server'),
    reason: /certificate/,
  };
  const allow = (connections: boolean) => () =>
    postgres.queryServer(`alter database kontor allow_connections ${connections}`);
  const closed: Fault = { begin: allow(false), end: allow(true), reason: /accepts no connections for now/ };

  /** Expects 503 with the reason while the fault lasts, and writes afterwards. */
  async function endure({ url }: Kontor, { begin, end, reason }: Fault): Promise<void> {
    const ready = async (): Promise<{ status: number; message?: string }> => {
      const response = await fetch(`${url}/health/ready`);
      return { ...((await response.json()) as { message?: string }), status: response.status };
    };
    const create = (): Promise<Response> =>
      fetch(`${url}/api/v1/customers`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(customer),
      });
    expect((await create()).status).toBe(201);
    await begin();
    await postgres.terminateAll();
    await until(async () => (await ready()).status === 503, 'the fault to be reported');
    expect(await ready()).toMatchObject({ status: 503, message: expect.stringMatching(reason) });
    const refused = await create();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    await end();
    await until(async () => (await create()).status === 201, 'writes to be done again');
  }

  it('its certificate expires, or it is closed', async () => {
    const process = await kontor('serve', verified('ca.pem'));
    onTestFinished(process.kill);
    await process.start();
    await endure(process, { ...expired, reason: /certificate has expired/ });
    await endure(process, closed);
  });

  it.skipIf(noPooler)('the same behind pgbouncer', async () => {
    const tls = `server_tls_sslmode = verify-full\nserver_tls_ca_file = ${certificates}/ca.pem`;
    const pooler = await startPooler(postgres.url, 5, tls);
    onTestFinished(pooler.close);
    const process = await kontor('serve', pooler.through(postgres.url), { DATABASE_DIRECT_URL: verified('ca.pem') });
    onTestFinished(process.kill);
    await process.start();
    await endure(process, expired);
    await endure(process, closed);
  });
});
