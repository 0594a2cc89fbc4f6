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

// A concurrent twin waits and replays, also where another process is at it.

const twins = 100;

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
const crowd = (key: string): Promise<Answer>[] => Array.from({ length: twins }, (_each, index) => send(index, key));

const isReplay = ({ headers }: Answer): boolean => headers.get('idempotent-replayed') === 'true';
const written = async () => [await acme.db.customer.count(), await acme.db.event.count()] as const;

/** While `work` runs, whoever records an event waits. */
async function held<T>(work: () => Promise<T>): Promise<T> {
  await holder.query('begin; lock table events in exclusive mode');
  try {
    return await work();
  } finally {
    await holder.query('rollback');
  }
}

const waitingForIt = async (): Promise<number[]> => {
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

describe(`${twins} twins at two servers`, () => {
  it('run once, and all are answered the same', async () => {
    const [rows, events] = await written();
    oneOf(await Promise.all(crowd('at once')));
    expect(await written()).toEqual([rows + 1, events + 1]);
  });

  it('wait without a connection to the database, so that others are served', async () => {
    const answers = await held(async () => {
      const waiting = crowd('held');
      await until(async () => (await waitingForIt()).length > 0, 'one to be at it');
      for (const service of services) {
        const others = Array.from({ length: 20 }, () => asIntegrator(service, acme).rest('GET', '/me'));
        expect((await Promise.all(others)).map(({ status }) => status)).toEqual(others.map(() => 200));
        expect(service.pool.waitingCount).toBe(0);
      }
      expect(await waitingForIt()).toHaveLength(1);
      return waiting;
    });
    oneOf(await Promise.all(answers));
  });

  it('one after the other has a try while each one before it fails', async () => {
    const [rows, events] = await written();
    const answers = await held(async () => {
      const waiting = crowd('failing');
      for (let fault = 0; fault < 3; fault += 1) {
        await until(async () => (await waitingForIt()).length > 0, 'one to be at it');
        const [pid] = await waitingForIt();
        await holder.query('select pg_terminate_backend($1)', [pid]);
        await until(async () => !(await waitingForIt()).includes(pid!), 'it to be gone');
      }
      return waiting;
    });
    const all = await Promise.all(answers);
    expect(all.filter(({ status }) => status === 500)).toHaveLength(3);
    oneOf(all.filter(({ status }) => status !== 500));
    expect(await written()).toEqual([rows + 1, events + 1]);
  });

  it('that are no twins, but other requests with the same key: one runs, the others are refused', async () => {
    const [rows] = await written();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_each, index) =>
        asIntegrator(services[index % 2]!, acme).rest(
          'POST',
          '/customers',
          { ...sample.customer, city: `City ${index}` },
          { 'idempotency-key': 'not twins' },
        ),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(19).fill(422)]);
    expect((await written())[0]).toBe(rows + 1);
  });
});
