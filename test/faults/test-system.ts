import { Pool } from 'pg';
import { connect } from '../../prisma/client.ts';
import { migrate } from '../../prisma/migrate/migrate.ts';
import { createTenant, createToken, createUser } from '../../src/identity/index.ts';
import { customer } from '../rest/samples.ts';
import { startReceiver, until, type Receiver } from '../webhooks/receiver.ts';
import { startLoad, type Load, type Target } from './load.ts';
import { expectNothingLost, untilDrained, type Figures } from './oracle.ts';
import { startOwnPostgres, type OwnPostgres } from './postgres.ts';
import { kontor, type Kontor } from './processes.ts';

/** A PostgreSQL, processes of Kontor on it, a receiver of webhooks, and clients that write. */
export interface TestSystem {
  postgres: OwnPostgres;
  gateways: Kontor[];
  workers: Kontor[];
  receiver: Receiver;
  load: Load;
  /** Waits until a write is acknowledged that began after the call. @returns how many milliseconds that took */
  untilServed(): Promise<number>;
  /** Ends the load, waits until the queue is empty, and checks that nothing is lost. */
  settle(): Promise<Figures>;
  close(): Promise<void>;
}

/** Makes a system, does something to it under load, and checks that nothing is lost. */
export async function campaign(
  options: TestSystemOptions,
  act: (system: TestSystem) => Promise<number>,
): Promise<Recovered> {
  const system = await startTestSystem(options);
  try {
    return { slowestRecoveryMs: await act(system), ...(await system.settle()) };
  } finally {
    await system.close();
  }
}

export interface Recovered extends Figures {
  /** From the fault to a write that is acknowledged. */
  slowestRecoveryMs: number;
}

export interface TestSystemOptions {
  /** By default, one is started and removed at the end. */
  postgres?: OwnPostgres;
  /** The address that processes connect to, if not PostgreSQL's own. */
  databaseUrl?: string;
  /** Numbers of processes that serve and that work on the queue. */
  gateways: number;
  workers: number;
  settings?: Record<string, string>;
  /** Puts a proxy before the gateways. @returns the addresses that clients use */
  before?: (urls: string[]) => Promise<string[]>;
  load?: Partial<Target>;
}

/** The service has to recover unaided within this time. */
export const recoveryMs = 30_000;
/** How many each tenant has. */
export const webhooks = 2;

const usual = {
  WEBHOOK_ALLOW_INSECURE: '1',
  WEBHOOK_RETRY_DELAYS: '0.3,0.3,0.3,0.3,0.3',
  WEBHOOK_TIMEOUT: '2',
};

export async function startTestSystem(options: TestSystemOptions): Promise<TestSystem> {
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const each of closing.toReversed()) await each();
  };
  try {
    return { ...(await play(options, closing)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function play(
  { gateways, workers, settings, load: wanted, before: place = async (urls) => urls, ...given }: TestSystemOptions,
  closing: (() => Promise<void>)[],
): Promise<Omit<TestSystem, 'close'>> {
  const postgres = given.postgres ?? (await startOwnPostgres());
  if (!given.postgres) closing.push(postgres.remove);
  await migrate(postgres.url);
  const token = await makeToken(postgres.url);
  // One in ten is refused, and one in fifty hung up on.
  const receiver = await startReceiver((response, _request, index) => {
    if (index % 50 === 49) response.destroy();
    else response.writeHead(index % 10 === 9 ? 500 : 200).end();
  });
  closing.push(receiver.close);

  const env = { ...usual, ...settings };
  const make = (command: 'start' | 'work', count: number): Promise<Kontor[]> =>
    Promise.all(Array.from({ length: count }, () => kontor(command, given.databaseUrl ?? postgres.url, env)));
  const processes = { gateways: await make('start', gateways), workers: await make('work', workers) };
  const all = [...processes.gateways, ...processes.workers];
  closing.push(async () => void (await Promise.all(all.map((each) => each.kill()))));
  await Promise.all(all.map((each) => each.start()));
  const urls = processes.gateways.map(({ url }) => url);
  const customerId = await prepareTenant(urls[0] ?? '', token, receiver.url);
  const load = startLoad({ token, customerId, urls: await place(urls), ...wanted });
  closing.push(load.abandon);

  return {
    postgres,
    ...processes,
    receiver,
    load,
    untilServed: async () => {
      const [begun, before] = [performance.now(), load.writes.length];
      await until(() => load.writes.slice(before).some(({ acknowledged }) => acknowledged), 'a write', recoveryMs);
      return performance.now() - begun;
    },
    settle: async () => {
      await load.stop();
      await untilDrained(postgres);
      return expectNothingLost(postgres, load, receiver, webhooks);
    },
  };
}

export async function makeToken(databaseUrl: string): Promise<string> {
  const pool = new Pool({ connectionString: databaseUrl, max: 2 });
  const client = connect(pool);
  const tenant = await createTenant(client, { name: 'Acme' });
  await createUser(client, { email: 'ada@example.com', tenantId: tenant.id });
  const { token } = await createToken(client, { tenantId: tenant.id });
  await client.$disconnect();
  await pool.end();
  return token;
}

/** @returns whom invoices go to */
export async function prepareTenant(url: string, token: string, receiverUrl: string): Promise<string> {
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as { data: { id: string } };
  };
  const query = `mutation ($url: String!) { createWebhook(input: { url: $url }) { webhook { id } } }`;
  for (let n = 1; n <= webhooks; n += 1) {
    await post('/graphql', { query, variables: { url: `${receiverUrl}/${n}` } });
  }
  const { data } = await post('/api/v1/customers', { ...customer, company_name: 'arranged' });
  return data.id;
}

/** In one line, for people. */
export const told = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => `${value} ${name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`)
    .join(', ');
