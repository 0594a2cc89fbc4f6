import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, startService, type Answer, type Database, type Service } from '../harness.ts';
import { makeCustomer } from '../graphql/books.ts';
import { openBrowser, password, makeUser } from './browser.ts';

let database: Database;
let services: [Service, Service];

beforeAll(async () => {
  database = await createDatabase();
  services = [await startService({ database, trustedProxies: 1 }), await startService({ database, trustedProxies: 1 })];
});
afterAll(async () => {
  for (const service of services) await service.close();
  await database.drop();
});

const someAddress = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
let turn = 0;

/** Tries a password at an address, through one process or the other. */
const attempt = (email: string, from: string, withPassword = 'wrong horse battery staple'): Promise<Answer> =>
  openBrowser(services[turn++ % 2]!).request(
    'POST',
    '/api/auth/sign-in/email',
    { email, password: withPassword },
    { 'x-forwarded-for': from },
  );

const statuses = async (attempts: Promise<Answer>[]): Promise<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(attempts)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** Lets time pass, as far as attempts are concerned. */
const pass = (minutes: number): Promise<unknown> =>
  services[0].pool.query(
    `with moved as (update rate_limits set last_at = last_at - $1 * interval '1 minute')
    update rate_limit_pages set times = array(select time - $1 * interval '1 minute' from unnest(times) as time)`,
    [minutes],
  );

describe('sign-in attempts are limited', () => {
  it('to one account from one address: exactly 10 in 15 minutes, across processes, also concurrently', async () => {
    const { email } = await makeUser(services[0]);
    const from = someAddress();
    expect(await statuses(times(40, () => attempt(email, from)))).toEqual({ 401: 10, 429: 30 });
    const refused = await attempt(email, from, password);
    expect(refused.status, 'even with the right password').toBe(429);
    expect(refused.body.message).toMatch(/^Too many attempts\. Try again in 15 minutes\.$/);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(800);
    expect(seconds).toBeLessThanOrEqual(900);
    expect((await attempt(email, someAddress(), password)).status, 'the user at home').toBe(200);
    await pass(15);
    expect((await attempt(email, from, password)).status).toBe(200);
  });

  it('to one account from all addresses: 25', async () => {
    const { email } = await makeUser(services[0]);
    expect(await statuses(times(60, () => attempt(email.toUpperCase(), someAddress())))).toEqual({ 401: 25, 429: 35 });
  });

  it('to an unknown account just as to a known one, with the same answers', async () => {
    const from = someAddress();
    expect(await statuses(times(20, () => attempt('nobody@example.com', from)))).toEqual({ 401: 10, 429: 10 });
    const { email } = await makeUser(services[0]);
    await statuses(times(10, () => attempt(email, someAddress())));
    const withoutId = ({ status, body: { request_id: _id, ...rest } }: Answer) => ({ status, ...rest });
    const known = someAddress();
    await statuses(times(10, () => attempt(email, known)));
    expect(withoutId(await attempt(email, known))).toEqual(withoutId(await attempt('nobody@example.com', from)));
  });

  it('from one address to all accounts: 50', async () => {
    const from = someAddress();
    expect(await statuses(times(80, (i) => attempt(`user${i}@example.com`, from)))).toEqual({ 401: 50, 429: 30 });
  });

  it('per IPv6 network, and per IPv4 address also when written as IPv6', async () => {
    const network = `2001:db8:${randomInt(65_536).toString(16)}:1`;
    const { email } = await makeUser(services[0]);
    expect(await statuses(times(20, (i) => attempt(email, `${network}::${i.toString(16)}`)))).toEqual({
      401: 10,
      429: 10,
    });
    const from = someAddress();
    const another = await makeUser(services[0]);
    expect(await statuses(times(20, (i) => attempt(another.email, i % 2 ? from : `::ffff:${from}`)))).toEqual({
      401: 10,
      429: 10,
    });
  });

  it('without regard to a port that a proxy adds to the address', async () => {
    const [ada, bob] = [await makeUser(services[0]), await makeUser(services[0])];
    const from = someAddress();
    expect(await statuses(times(20, (i) => attempt(ada.email, `${from}:${40_000 + i}`)))).toEqual({ 401: 10, 429: 10 });
    const network = `2001:db8:${randomInt(65_536).toString(16)}:2`;
    const written = (i: number): string => (i % 2 ? `${network}::${i}` : `[${network}::${i}]:${40_000 + i}`);
    expect(await statuses(times(20, (i) => attempt(bob.email, written(i))))).toEqual({ 401: 10, 429: 10 });
  });

  it('without regard to an address that the client itself claims', async () => {
    const { email } = await makeUser(services[0]);
    const from = someAddress();
    expect(await statuses(times(20, () => attempt(email, `${someAddress()}, ${from}`)))).toEqual({ 401: 10, 429: 10 });

    const direct = await startService({ database });
    const another = await makeUser(direct);
    const tries = times(20, () => {
      const body = { email: another.email, password: 'wrong horse battery staple' };
      return openBrowser(direct).request('POST', '/api/auth/sign-in/email', body); // from a made-up address each
    });
    expect(await statuses(tries)).toEqual({ 401: 10, 429: 10 });
    await direct.close();
  });

  it('from zero again after a successful sign-in', async () => {
    const { email } = await makeUser(services[0]);
    const from = someAddress();
    for (let round = 0; round < 3; round++) {
      expect(await statuses(times(9, () => attempt(email, from)))).toEqual({ 401: 9 });
      expect((await attempt(email, from, password)).status).toBe(200);
    }
  });

  it('from one address also after a sign-in from it: an account of one’s own is no way to guess on', async () => {
    const { email } = await makeUser(services[0]);
    const from = someAddress();
    const guess = (count: number, who: string) =>
      statuses(times(count, (i) => attempt(`${who}${i}@example.com`, from)));
    expect(await guess(49, 'somebody')).toEqual({ 401: 49 });
    expect((await attempt(email, from, password)).status).toBe(200);
    expect(await guess(5, 'anybody')).toEqual({ 429: 5 });
  });

  it('together with guesses of the old password in a session', async () => {
    const { email } = await makeUser(services[0]);
    const browser = openBrowser(services[0]);
    await browser.signIn(email);
    const guess = { currentPassword: 'wrong horse battery staple', newPassword: 'another horse, another battery' };
    const guesses = times(15, () => browser.request('POST', '/api/auth/change-password', guess));
    expect(await statuses(guesses)).toEqual({ 422: 10, 429: 5 });
  });
});

it('sign-ins from many addresses hold up nobody’s compressed response, and those that would wait too long are refused', async () => {
  const [service] = services;
  const integrator = await service.integrator();
  for (let count = 0; count < 5; count += 1) await makeCustomer(integrator);
  const list = (): Promise<Response> =>
    fetch(`${service.url}/api/v1/customers`, {
      headers: { authorization: `Bearer ${integrator.token}`, 'accept-encoding': 'gzip' },
    });
  const answered: number[] = [];
  const sign = async (index: number): Promise<void> => {
    const { status } = await openBrowser(service).request(
      'POST',
      '/api/auth/sign-in/email',
      { email: `nobody-${index}@example.com`, password: 'wrong horse battery staple' },
      { 'x-forwarded-for': `10.1.${Math.floor(index / 250)}.${index % 250}` },
    );
    answered.push(status);
  };
  const attempts = times(160, sign);
  await expect.poll(() => answered.includes(401)).toBe(true);
  expect((await list()).headers.get('content-encoding')).toBe('gzip');
  expect(answered.filter((status) => status === 401).length).toBeLessThan(75);
  await Promise.all(attempts);
  expect(new Set(answered)).toEqual(new Set([401, 503]));
});

it.each([
  ['one address', 1, 30],
  ['20 addresses', 20, 6],
])('attempts from %s refuse nobody else, and let others take their turns', async (_, addresses, each) => {
  const { email } = await makeUser(services[0]);
  const [service] = services;
  const network = `10.${randomInt(2, 256)}.${randomInt(256)}`;
  const sign = (from: string, body: object): Promise<Answer> =>
    openBrowser(service).request('POST', '/api/auth/sign-in/email', body, { 'x-forwarded-for': from });
  const answered: number[] = [];
  const flood = times(addresses * each, async (index) => {
    const from = `${network}.${index % addresses}`;
    answered.push((await sign(from, { email: `nobody-${index}@example.com`, password: 'wrong horse battery' })).status);
  });
  await expect.poll(() => answered.includes(401)).toBe(true);
  const before = answered.filter((status) => status === 401).length;
  expect((await sign(`10.1.255.${addresses}`, { email, password })).status).toBe(200);
  const meanwhile = answered.filter((status) => status === 401).length - before;
  expect(meanwhile).toBeLessThan(addresses + 10);
  await Promise.all(flood);
});
