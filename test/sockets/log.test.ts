import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { BoundedLog } from '../../src/observability/bounded-log.ts';
import { startService, type Answer } from '../harness.ts';
import { fromOurPage } from '../identity/browser.ts';
import { head, last, sendRaw } from '../rest/raw.ts';
import { until } from '../webhooks/receiver.ts';

// Whoever has no token can't fill the disk by the log.

/** Lines that there may be of what began then: a hundred at once, ten a second, and one a second with the omitted ones. */
const bound = (begun: number): number => 101 + ((performance.now() - begun) / 1000) * (10 + 1);
const requestLines = (log: string[]): string[] => log.filter((line) => line.includes('"msg":"request"'));

it('requests that are not admitted get a bounded number of lines, and one with the number of omitted lines', async () => {
  const service = await startService();
  onTestFinished(service.close);
  const acme = await service.integrator();
  const count = 1500;
  const begun = performance.now();
  const get = (path: string, ...more: string[]): string =>
    [`GET ${path} HTTP/1.1`, 'Host: x', ...more, '', ''].join('\r\n');
  const kinds = [get('/a'), get('/api/v1/me'), get('/graphql?query={me{user{id}}}'), get('/health/live'), get('/')];
  for (const kind of kinds)
    await sendRaw(service, kind.repeat(count / kinds.length - 1) + kind.replace('\r\n\r\n', `\r\n${last}\r\n\r\n`));
  expect(requestLines(service.log).length).toBeLessThan(bound(begun));
  // Who was admitted has a line for each request.
  const before = requestLines(service.log).length;
  const own = head(acme, 'GET /api/v1/me');
  await sendRaw(service, own.repeat(199) + head(acme, 'GET /api/v1/me', last));
  const mine = service.log.filter((line) => line.includes('"path":"/api/v1/me"') && line.includes('"status":200'));
  await until(() => requestLines(service.log).length >= before + 200 && mine.length > 0, 'the lines of the admitted');
  await until(() => service.log.some((line) => line.includes('lines left out')), 'the line of what was left out');
  const [told] = service.log.filter((line) => line.includes('lines left out')).map((line) => JSON.parse(line));
  expect(told.leftOut).toBeGreaterThan(0);
});

it('invalid HTTP gets a bounded number of lines', async () => {
  const service = await startService();
  onTestFinished(service.close);
  const begun = performance.now();
  for (let round = 0; round < 10; round += 1)
    await Promise.all(Array.from({ length: 40 }, () => sendRaw(service, 'rubbish\r\n\r\n')));
  expect(service.log.filter((line) => line.includes('malformed')).length).toBeLessThan(bound(begun));
});

it('errors of unauthenticated requests get a bounded number of lines, and one with the number of omitted lines', async () => {
  const service = await startService();
  onTestFinished(service.close);
  const { token } = await service.integrator();
  await service.pool.query('drop schema public cascade');
  const authorization = `Bearer ${token}`;
  const session = { ...fromOurPage, cookie: `kontor=${'A'.repeat(43)}` };
  const login = { email: 'nobody@example.com', password: 'wrong' };
  const kinds: (() => Promise<Answer>)[] = [
    () => service.request('GET', '/api/v1/me', { headers: { authorization } }),
    () =>
      service.request('POST', '/graphql', { body: { query: '{ me { user { id } } }' }, headers: { authorization } }),
    () => service.request('POST', '/graphql', { body: { query: '{ me { user { id } } }' }, headers: session }),
    () => service.request('GET', '/api/auth/get-session', { headers: session }),
    () => service.request('POST', '/api/auth/sign-in/email', { body: login, headers: session }),
  ];
  const begun = performance.now();
  const statuses = new Set<number>();
  for (let round = 0; round < 60; round += 1)
    for (const { status } of await Promise.all(kinds.map((ask) => ask()))) statuses.add(status);
  expect([...statuses]).toEqual([500]);
  const errors = (): { msg: string; leftOut?: number }[] =>
    service.log.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
  await until(() => errors().some(({ msg }) => msg === 'lines left out'), 'the line of what was left out');
  expect(errors().length).toBeLessThan(bound(begun));
  expect(errors().length, 'the lines of their requests take no room from them').toBeGreaterThan(100);
});

it('no line’s length depends on what a client sends', async () => {
  const service = await startService();
  onTestFinished(service.close);
  const long = 'x'.repeat(15_000);
  await sendRaw(service, `GET /${long} HTTP/1.1\r\nHost: x\r\nUser-Agent: ${long.slice(0, 500)}\r\n${last}\r\n\r\n`);
  await sendRaw(service, `GET /api/v1/${long}?q=x HTTP/1.1\r\nHost: x\r\n${last}\r\n\r\n`);
  const body = JSON.stringify({ email: `${long}@example.com`, password: long });
  await service.request('POST', '/api/auth/sign-in/email', {
    body,
    headers: { 'x-forwarded-for': long.slice(0, 8000) },
  });
  await until(() => requestLines(service.log).length === 3, 'their lines');
  expect(Math.max(...service.log.map((line) => line.length))).toBeLessThan(600);
});

it('the bound is a burst of a hundred lines, and ten a second after that', () => {
  let now = 0;
  const lines: string[] = [];
  const log = new BoundedLog(pino({}, { write: (line: string) => void lines.push(line) }), () => now);
  const flood = (): number => {
    const before = lines.length;
    for (let count = 0; count < 1000; count += 1) log.info({}, 'x');
    return lines.length - before;
  };
  expect(flood()).toBe(100);
  now = 1000;
  expect(flood()).toBe(10);
  now = 3000;
  expect(flood()).toBe(20);
  now = 1_000_000;
  expect(flood()).toBe(100);
});
