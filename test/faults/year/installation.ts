import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { connect } from '../../../prisma/client.ts';
import { migrate } from '../../../prisma/migrate/migrate.ts';
import { createTenant, createToken, createUser } from '../../../src/identity/index.ts';
import { startPooler, type Pooler } from '../../pooler/pgbouncer.ts';
import { customer } from '../../rest/samples.ts';
import { withOpenssl, type Identity } from '../../webhooks/certificates.ts';
import { startReceiver, type Received } from '../../webhooks/receiver.ts';
import { mountSmallDisk } from '../database-faults.ts';
import { startLoad, type Load } from '../load.ts';
import { startNginx } from '../nginx.ts';
import { startOwnPostgres, type OwnPostgres } from '../postgres.ts';
import { kontor, type Kontor } from '../processes.ts';
import { startFollower, startReader, startUploader, type Client, type Follower, type Uploader } from './clients.ts';
import { startNameServer, type NameServer } from './name-server.ts';
import { createWallClock, type WallClock } from './wall-clock.ts';

// An installation as OPERATING.md has it: nginx, two servers of two processes each, two workers, pgbouncer, and a PostgreSQL with
// TLS. All that can fail is in reach.

export interface Installation {
  /** The address of nginx. */
  url: string;
  postgres: OwnPostgres;
  pooler: Pooler;
  servers: Kontor[];
  workers: Kontor[];
  nameServer: NameServer;
  /** Of the first server, and of the first worker. */
  clocks: { server: WallClock; worker: WallClock };
  /** Folders of small file systems: of the database, and of the servers' files. */
  disks: { database: string; files: string };
  /** The database's certificate. */
  useCertificate(which: 'good' | 'expired'): Promise<void>;
  /** The certificate of the receivers with TLS. */
  useReceiverCertificate(which: 'good' | 'expired'): void;
  /** The requests that came to the receivers. */
  received(): Received[];
  tenants: Tenant[];
  close(): Promise<void>;
}

export interface Tenant {
  id: string;
  token: string;
  writer: Load;
  reader: Client;
  follower: Follower;
  uploader?: Uploader;
}

const names = ['Acme', 'Globex', 'Initech'];
/** Each tenant has one webhook of each kind: by address, and over TLS by name. */
export const webhooks = 2;
const receiverHost = 'hooks.example.com';
/** Every write of these has a key, so what becomes of it is known in the end. */
const writers = 2;
export const clients = names.length * (writers + 2) + 1;

/** @throws Error where the machine lacks something */
export async function startInstallation(): Promise<Installation> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const each of closing.splice(0).toReversed()) await each();
  };
  try {
    return { ...(await build(closing)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function build(closing: (() => Promise<unknown>)[]): Promise<Omit<Installation, 'close'>> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-year-'));
  await chmod(folder, 0o755);
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const mount = async (mebibytes: number): Promise<string> => {
    const disk = await mountSmallDisk(mebibytes);
    if (!disk) throw new Error('Only root can mount a small file system');
    closing.push(disk.remove);
    return disk.folder;
  };
  const disks = { database: await mount(1500), files: await mount(300) };
  for (const name of ['files', 'temporary']) await mkdir(join(disks.files, name));

  const certificates = makeCertificates();
  const secrets = join(folder, 'tls');
  await mkdir(secrets);
  await writeFile(join(secrets, 'ca.pem'), certificates.ca, { mode: 0o644 });
  for (const which of ['good', 'expired'] as const) {
    await writeFile(join(secrets, `${which}.pem`), certificates.postgres[which].cert);
    await writeFile(join(secrets, `${which}.key`), certificates.postgres[which].key, { mode: 0o600 });
  }

  const postgres = await startOwnPostgres(disks.database);
  closing.push(postgres.remove);
  await postgres.own(secrets);
  const useCertificate = async (which: 'good' | 'expired'): Promise<void> => {
    await postgres.query(`alter system set ssl_cert_file = '${secrets}/${which}.pem'`);
    await postgres.query(`alter system set ssl_key_file = '${secrets}/${which}.key'`);
    await postgres.query('select pg_reload_conf()');
  };
  await useCertificate('good');
  for (const setting of [`ssl = on`, `max_wal_size = '256MB'`]) await postgres.query(`alter system set ${setting}`);
  await postgres.query('select pg_reload_conf()');
  await migrate(postgres.url);

  const pooler = await startPooler(
    postgres.url,
    20,
    `server_tls_sslmode = verify-full\nserver_tls_ca_file = ${secrets}/ca.pem`,
  );
  closing.push(pooler.close);
  const nameServer = await startNameServer(join(folder, 'resolv.conf'));
  closing.push(nameServer.close);
  const clocks = {
    server: await createWallClock(join(folder, 'clock-of-server')),
    worker: await createWallClock(join(folder, 'clock-of-worker')),
  };

  const direct = new URL(postgres.url);
  direct.searchParams.set('sslmode', 'verify-full');
  direct.searchParams.set('sslrootcert', join(secrets, 'ca.pem'));
  const settings = {
    LOG_LEVEL: 'warn',
    DATABASE_DIRECT_URL: direct.href,
    WEB_CONCURRENCY: '2',
    TRUSTED_PROXIES: '1',
    FILES_URL: `file://${disks.files}/files`,
    TMPDIR: join(disks.files, 'temporary'),
    NODE_EXTRA_CA_CERTS: join(secrets, 'ca.pem'),
    WEBHOOK_ALLOW_INSECURE: '1',
    WEBHOOK_RETRY_DELAYS: '1,3,10,30,60',
    WEBHOOK_TIMEOUT: '5',
  };
  const start = (command: 'serve' | 'work', clock?: WallClock): Promise<Kontor> =>
    kontor(command, pooler.through(postgres.url), { ...settings, ...clock?.settings }, nameServer.asTheirNameServer);
  const servers = [await start('serve', clocks.server), await start('serve')];
  const workers = [await start('work', clocks.worker), await start('work')];
  const processes = [...servers, ...workers];
  closing.push(() => Promise.all(processes.map((each) => each.kill())));
  await Promise.all(processes.map((each) => each.start()));
  const nginx = await startNginx(servers.map(({ url }) => url));
  closing.push(nginx.close);

  const plain = await startReceiver(refuseSome);
  const tls = createServer(certificates.receiver.good);
  const secure = await startReceiver(refuseSome, tls);
  closing.push(plain.close, secure.close);
  const byName = secure.url.replace('127.0.0.1', receiverHost);

  const tenants: Tenant[] = [];
  for (const [index, { id, token }] of (await createTenants(postgres.url)).entries()) {
    const customerId = await prepare(nginx.url, token, [`${plain.url}/${index}`, `${byName}/${index}`]);
    const target = { token, customerId, urls: [nginx.url], clients: writers, keyed: 1, pauseMs: 500 };
    const tenant: Tenant = {
      id,
      token,
      writer: startLoad(target),
      reader: startReader(nginx.url, token),
      follower: startFollower(nginx.url, token),
      ...(index === 0 && { uploader: startUploader(nginx.url, token) }),
    };
    tenants.push(tenant);
    closing.push(tenant.writer.abandon);
  }
  return {
    url: nginx.url,
    postgres,
    pooler,
    servers,
    workers,
    nameServer,
    clocks,
    disks,
    useCertificate,
    useReceiverCertificate: (which) => {
      tls.setSecureContext(certificates.receiver[which]);
      tls.closeAllConnections();
    },
    received: () => [...plain.requests, ...secure.requests],
    tenants,
  };
}

interface Certificates {
  ca: string;
  postgres: Record<'good' | 'expired', Identity>;
  receiver: Record<'good' | 'expired', Identity>;
}

const makeCertificates = (): Certificates =>
  withOpenssl(({ authority, leaf }) => {
    const ca = authority('ca');
    const both = (name: string, host: string): Certificates['postgres'] => ({
      good: leaf(name, host),
      expired: leaf(`${name}-expired`, host, { to: 2021 }),
    });
    return { ca, postgres: both('postgres', '127.0.0.1'), receiver: both('receiver', receiverHost) };
  });

/** One in twenty. */
function refuseSome(response: { writeHead(status: number): { end(): void } }, _request: Received, index: number): void {
  response.writeHead(index % 20 === 19 ? 500 : 200).end();
}

async function createTenants(databaseUrl: string): Promise<{ id: string; token: string }[]> {
  const pool = new Pool({ connectionString: databaseUrl, max: 2 });
  const client = connect(pool);
  const made: { id: string; token: string }[] = [];
  for (const name of names) {
    const { id } = await createTenant(client, { name });
    await createUser(client, { email: `${name.toLowerCase()}@example.com`, tenantId: id });
    made.push({ id, token: (await createToken(client, { tenantId: id })).token });
  }
  await client.$disconnect();
  await pool.end();
  return made;
}

/** @returns whom invoices go to */
async function prepare(url: string, token: string, receivers: string[]): Promise<string> {
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as { data: { id: string; createWebhook?: object }; errors?: object };
  };
  const query = `mutation ($url: String!) { createWebhook(input: { url: $url }) { webhook { id } } }`;
  for (const receiver of receivers) {
    const { errors } = await post('/graphql', { query, variables: { url: receiver } });
    if (errors) throw new Error(JSON.stringify(errors));
  }
  const { data } = await post('/api/v1/customers', { ...customer, company_name: 'arranged' });
  return data.id;
}
