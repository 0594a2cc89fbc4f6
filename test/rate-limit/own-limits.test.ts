import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRateLimiter, memoryStore, postgresStore } from '../../src/security/rate-limit.ts';
import { createDatabase, requesting, startService, type Answer, type Database, type Service } from '../harness.ts';

// A token may have a limit of its own. Several services on one database count as several processes do.

let database: Database;
let services: Service[] = [];
beforeEach(async () => {
  database = await createDatabase();
});
afterEach(async () => {
  for (const service of services) await service.close();
  services = [];
  await database.drop();
});

/** The limit of a token without one of its own. */
const usual = 5;

async function start(count: number, inMemory = false): Promise<Service> {
  for (let each = 0; each < count; each++) {
    services.push(
      await startService({
        database,
        limiter: (pool) => createRateLimiter({ limit: usual, store: inMemory ? memoryStore() : postgresStore(pool) }),
      }),
    );
  }
  return services[0]!;
}

type Send = (index: number) => Promise<Answer>;

/** Sends requests of a token to all services in turn, over both APIs. */
const sending =
  (token: string): Send =>
  (index) => {
    const { url } = services[index % services.length]!;
    const path = index % 3 === 0 ? '/graphql?query={me{user{id}}}' : '/api/v1/me';
    return requesting(url)('GET', path, { headers: { authorization: `Bearer ${token}` } });
  };

const burst = (count: number, send: Send): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => send(index)));

const countAdmitted = (answers: Answer[]): number => {
  const admitted = answers.filter(({ status }) => status === 200).length;
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(answers.length - admitted);
  return admitted;
};

const limitTo = (service: Service, id: string, requestsPerMinute: number | null): Promise<unknown> =>
  service.client.apiToken.update({ where: { id }, data: { requestsPerMinute } });

describe.each([
  ['one process, in memory', 1, true],
  ['one process', 1, false],
  ['two processes', 2, false],
  ['four processes', 4, false],
])('a limit of a token’s own, in %s', (_, count, inMemory) => {
  it('is exact in a burst, and costs no other token and no other tenant a request', async () => {
    const service = await start(count, inMemory);
    const [attacker, innocent] = [await service.integrator(), await service.integrator({ name: 'Beside' })];
    await limitTo(service, attacker.tokenId, 37);
    const send = sending(innocent.token);
    const [attack, ...beside] = await Promise.all([
      burst(150, sending(attacker.token)),
      ...Array.from({ length: usual }, (_each, index) => send(index)),
    ]);
    expect(countAdmitted(attack)).toBe(37);
    expect(beside.map(({ status }) => status)).toEqual(Array<number>(usual).fill(200));
    const left = beside.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(left.toSorted()).toEqual([0, 1, 2, 3, 4]);
    expect((await send(0)).status).toBe(429);
  });

  it('is told by the headers, and a change of it holds from the next request', async () => {
    const service = await start(count, inMemory);
    const { token, tokenId } = await service.integrator();
    const send = sending(token);
    await limitTo(service, tokenId, 20);
    const first = await send(1);
    expect(first.headers.get('x-ratelimit-limit')).toBe('20');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('19');
    expect(first.headers.get('ratelimit-policy')).toBe('"requests";q=20;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"requests";r=19;t=\d+$/);
    expect(countAdmitted(await burst(14, send))).toBe(14);

    await limitTo(service, tokenId, 10); // lower than what it has had
    const refused = await burst(8, send);
    expect(countAdmitted(refused)).toBe(0);
    expect(refused[1]?.body.message).toMatch(/^More than 10 requests within a minute\./);
    expect(refused[0]?.headers.get('ratelimit')).toMatch(/^"requests";r=0;t=\d+$/);

    await limitTo(service, tokenId, 25);
    expect(countAdmitted(await burst(30, send))).toBe(10);
    await limitTo(service, tokenId, null);
    expect((await send(0)).headers.get('x-ratelimit-limit')).toBe(String(usual));
  });
});

it('a limit above the installation’s highest, which was lowered since, counts as the highest', async () => {
  const service = await start(1);
  const { token, tokenId } = await service.integrator();
  await limitTo(service, tokenId, 100_000);
  const { max } = service.domain.requestLimits;
  expect((await sending(token)(1)).headers.get('x-ratelimit-limit')).toBe(String(max));
});
