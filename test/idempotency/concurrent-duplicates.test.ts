import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  asIntegrator,
  createDatabase,
  startService,
  type Answer,
  type Database,
  type Integrator,
  type Service,
} from '../harness.ts';
import * as sample from '../rest/samples.ts';
import { until } from '../webhooks/receiver.ts';

// A concurrent duplicate waits for the first request, also where another process runs that, and gets its answer.

const duplicates = 100;

let database: Database;
let services: Service[];
let holder: Client;
let acme: Integrator;

beforeAll(async () => {
  database = await createDatabase();
  services = [await startService({ database }), await startService({ database })];
  acme = await services[0]!.integrator();
  holder = new Client({ connectionString: database.url });
  await holder.connect();
});
afterAll(async () => {
  await holder.end();
  for (const service of services) await service.close();
  await database.drop();
});

const send = (index: number, key: string): Promise<Answer> =>
  asIntegrator(services[index % services.length]!, acme).rest('POST', '/customers', sample.customer, {
    'idempotency-key': key,
  });
const sendAll = (key: string): Promise<Answer>[] =>
  Array.from({ length: duplicates }, (_each, index) => send(index, key));

const isReplay = ({ headers }: Answer): boolean => headers.get('idempotent-replayed') === 'true';
const written = async () => [await acme.db.customer.count(), await acme.db.event.count()] as const;

/** Runs `work` while transactions that record an event wait. */
async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  await holder.query('begin; lock table events in exclusive mode');
  try {
    return await work();
  } finally {
    await holder.query('rollback');
  }
}

const waitingBackends = async (): Promise<number[]> => {
  const { rows } = await holder.query<{ pid: number }>(
    `select pid from pg_locks where relation = 'events'::regclass and not granted`,
  );
  return rows.map(({ pid }) => pid);
};

function oneOf(answers: Answer[]): void {
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]!.status).toBe(201);
  expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1);
}

describe(`${duplicates} concurrent duplicates, sent to two servers`, () => {
  it('run once, and all get the same answer', async () => {
    const [rows, events] = await written();
    oneOf(await Promise.all(sendAll('at once')));
    expect(await written()).toEqual([rows + 1, events + 1]);
  });

  it('wait without a database connection, so that others are served', async () => {
    const answers = await whileLocked(async () => {
      const waiting = sendAll('held');
      await until(async () => (await waitingBackends()).length > 0, 'one to be at it');
      for (const service of services) {
        const others = Array.from({ length: 20 }, () => asIntegrator(service, acme).rest('GET', '/me'));
        expect((await Promise.all(others)).map(({ status }) => status)).toEqual(others.map(() => 200));
        expect(service.pool.waitingCount).toBe(0);
      }
      expect(await waitingBackends()).toHaveLength(1);
      return waiting;
    });
    oneOf(await Promise.all(answers));
  });

  it('run one after the other while each fails', async () => {
    const [rows, events] = await written();
    const answers = await whileLocked(async () => {
      const waiting = sendAll('failing');
      for (let fault = 0; fault < 3; fault += 1) {
        await until(async () => (await waitingBackends()).length > 0, 'one to be at it');
        const [pid] = await waitingBackends();
        await holder.query('select pg_terminate_backend($1::int)', [pid]);
        await until(async () => !(await waitingBackends()).includes(pid!), 'it to be gone');
      }
      return waiting;
    });
    const all = await Promise.all(answers);
    expect(all.filter(({ status }) => status === 503)).toHaveLength(3);
    oneOf(all.filter(({ status }) => status !== 503));
    expect(await written()).toEqual([rows + 1, events + 1]);
  });

  it('answer 422 to all but one if their bodies differ', async () => {
    const [rows] = await written();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_each, index) =>
        asIntegrator(services[index % 2]!, acme).rest(
          'POST',
          '/customers',
          { ...sample.customer, city: `City ${index}` },
          { 'idempotency-key': 'different bodies' },
        ),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(19).fill(422)]);
    expect((await written())[0]).toBe(rows + 1);
  });
});
