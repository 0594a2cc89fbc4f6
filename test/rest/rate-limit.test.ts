import { afterEach, describe, expect, it } from 'vitest';
import { createRateLimiter, memoryStore, postgresStore, type RateLimitStore } from '../../src/security/rate-limit.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { refusal } from './samples.ts';

const stores: [string, (pool: Service['pool']) => RateLimitStore][] = [
  ['memory', () => memoryStore()],
  ['PostgreSQL', (pool) => postgresStore(pool)],
];

let service: Service;
afterEach(() => service.close());

const limits = ({ headers }: Answer) => ({
  limit: headers.get('x-ratelimit-limit'),
  remaining: headers.get('x-ratelimit-remaining'),
  retryAfter: headers.get('retry-after'),
});
const remaining = async (who: Integrator) => Number(limits(await who.rest('GET', '/me')).remaining);

describe.each(stores)('the rate limit, counted in %s', (_name, store) => {
  const start = async (limit: number): Promise<Integrator> => {
    service = await startService({ limiter: (pool) => createRateLimiter({ limit, store: store(pool) }) });
    return service.integrator();
  };

  it('admits at most 60 requests in any 60 seconds per token: 60 of 200 concurrent ones', async () => {
    const acme = await start(60);
    const answers = await Promise.all(Array.from({ length: 200 }, () => acme.rest('GET', '/me')));
    const admitted = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([admitted.length, refused.length]).toEqual([60, 140]);
    const left = admitted.map((answer) => Number(limits(answer).remaining)).toSorted((a, b) => a - b);
    expect(left).toEqual(Array.from({ length: 60 }, (_, index) => index));

    // The limit is per token: another token of the tenant has its own.
    const other = await service.integrator();
    expect(limits(await other.rest('GET', '/me'))).toEqual({ limit: '60', remaining: '59', retryAfter: null });
  });

  it('sends X-RateLimit-Limit, -Remaining, and -Reset with every answer, and Retry-After with 429', async () => {
    const acme = await start(2);
    const before = Date.now() / 1000;
    const answers = [];
    for (let count = 0; count < 4; count++) answers.push(await acme.rest('GET', '/me'));
    expect(answers.map(limits)).toEqual([
      { limit: '2', remaining: '1', retryAfter: null },
      { limit: '2', remaining: '0', retryAfter: null },
      { limit: '2', remaining: '0', retryAfter: expect.stringMatching(/^(5\d|60)$/) },
      { limit: '2', remaining: '0', retryAfter: expect.stringMatching(/^(5\d|60)$/) },
    ]);
    for (const { headers } of answers) {
      // The IETF's headers say the same.
      expect(headers.get('ratelimit-policy')).toBe('"requests";q=2;w=60');
      const [, left, seconds] = /^"requests";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
      expect(left).toBe(headers.get('x-ratelimit-remaining'));
      expect(Number(seconds)).toBeGreaterThanOrEqual(58);
      expect(Number(seconds)).toBeLessThanOrEqual(60);
      const reset = headers.get('x-ratelimit-reset') ?? '';
      expect(reset).toMatch(/^\d+$/);
      expect(Number(reset)).toBeGreaterThanOrEqual(before + 58);
      expect(Number(reset)).toBeLessThanOrEqual(Date.now() / 1000 + 61);
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
    for (const answer of answers.slice(2)) refusal(answer, 429);
  });

  it('counts every admitted request: 200, 204, 404, 405, 413, 415, 422', async () => {
    const acme = await start(50);
    expect(await remaining(acme)).toBe(49);
    const text = { 'content-type': 'text/plain' };
    const answers = [
      await acme.rest('GET', '/customers'),
      await acme.rest('OPTIONS', '/customers'),
      await acme.rest('HEAD', '/customers'),
      await acme.rest('GET', '/nothing'),
      await acme.rest('GET', `/customers/${sample.unknownId}`),
      await acme.rest('PUT', '/customers', {}),
      await acme.rest('POST', '/customers', ' '.repeat(1024 * 1024 + 1)),
      await acme.rest('POST', '/customers', 'x', text),
      await acme.rest('POST', '/customers', {}),
      await acme.graphqlAnswer('{ me { user { id } } customers { totalCount } invoices { totalCount } }'),
      await acme.graphqlAnswer('{ nonsense }'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 204, 200, 404, 404, 405, 413, 415, 422, 200, 200]);
    // A request counts once, over REST and over GraphQL.
    expect(answers.map((answer) => Number(limits(answer).remaining))).toEqual(answers.map((_, index) => 48 - index));
    expect(await remaining(acme)).toBe(37);
  });

  it('doesn’t count 401 and 403 (no tenant), and sends no headers of the limit with them', async () => {
    const acme = await start(5);
    await service.client.apiToken.update({ where: { id: acme.tokenId }, data: { tenantId: null } });
    for (let count = 0; count < 10; count++) {
      for (const answer of [await acme.rest('GET', '/me'), await service.request('GET', '/api/v1/me')]) {
        expect(limits(answer)).toEqual({ limit: null, remaining: null, retryAfter: null });
      }
    }
    await service.client.apiToken.update({ where: { id: acme.tokenId }, data: { tenantId: acme.tenantId } });
    expect(await remaining(acme)).toBe(4);
  });

  it('neither counts nor runs rejected requests: after Retry-After a request always succeeds', async () => {
    const acme = await start(1);
    await acme.rest('POST', '/customers', sample.customer);
    for (let count = 0; count < 20; count++) refusal(await acme.rest('POST', '/customers', sample.customer), 429);
    const graphql = await acme.graphqlAnswer('{ me { user { id } } }');
    expect([graphql.status, limits(graphql).remaining]).toEqual([429, '0']);
    expect(Number(limits(graphql).retryAfter)).toBeLessThanOrEqual(60);
    expect(await acme.db.customer.count()).toBe(1);
  });
});

it('without a limit answers have none of its headers', async () => {
  service = await startService();
  const acme = await service.integrator();
  expect(limits(await acme.rest('GET', '/me'))).toEqual({ limit: null, remaining: null, retryAfter: null });
});
