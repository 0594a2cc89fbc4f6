import { grantable } from '../../schema/graphql/ability.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { mintToken } from '../../src/identity/token.ts';
import { createRateLimiter, memoryStore } from '../../src/security/rate-limit.ts';
import { routes } from '../../rest-shim/routes.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import { collections, makeDelivery, makeEach } from '../resources.ts';
import { makeTestTenant } from '../test-tenants/make.ts';
import * as sample from './samples.ts';
import { create, invalidFields, refusal } from './samples.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

const withToken = async (options: { abilities?: string[]; expiresAt?: Date } = {}): Promise<Integrator> => {
  const { id, token } = await createToken(service.client, { tenantId: acme.tenantId, ...options });
  return asIntegrator(service, { ...acme, token, tokenId: id });
};
const endpoints = routes.map(([method, path]) => [method, path.replace(':id', sample.unknownId)] as const);

describe('every error', () => {
  it('has a request_id, which is new each time and equals the X-Request-Id header', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => acme.rest('GET', '/nothing')));
    for (const answer of answers) refusal(answer, 404);
    expect(new Set(answers.map(({ body }) => body.request_id)).size).toBe(5);
    const { headers } = await acme.rest('GET', '/me', undefined, { 'x-request-id': 'mine' });
    expect(headers.get('x-request-id')).not.toBe('mine');
  });

  it('is JSON', async () => {
    const answers = [
      await service.request('GET', '/api/v1/me'),
      await acme.rest('GET', '/nothing'),
      await acme.rest('PUT', '/customers'),
      await acme.rest('POST', '/customers', 'x', { 'content-type': 'text/plain' }),
      await acme.rest('POST', '/customers', {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 405, 415, 422]);
    for (const { headers } of answers) expect(headers.get('content-type')).toMatch(/^application\/json\b/);
  });
});

/** The scopes of what is no resource. */
const scopes: Record<string, string> = {
  'test-clock': 'test-tenants',
  events: 'webhooks',
  deliveries: 'webhooks',
  'audit-log': 'audit',
  anchors: 'audit',
};

describe('401 and 403', () => {
  it.each(endpoints)('answers 401 to a missing or invalid token: %s %s', async (method, path) => {
    const revoked = await withToken();
    await service.client.apiToken.update({ where: { id: revoked.tokenId }, data: { revokedAt: new Date() } });
    const expired = await withToken();
    await service.client.apiToken.update({ where: { id: expired.tokenId }, data: { expiresAt: new Date() } });
    const tokens = [revoked.token, expired.token, mintToken().value, acme.token.slice(0, -1), 'x'];
    for (const value of [
      undefined,
      '',
      'Bearer',
      acme.token,
      `Basic ${acme.token}`,
      ...tokens.map((each) => `Bearer ${each}`),
    ]) {
      const answer = await service.request(
        method,
        `/api/v1${path}`,
        value === undefined ? {} : { headers: { authorization: value } },
      );
      expect([value, answer.status]).toEqual([value, 401]);
      refusal(answer, 401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it.each(endpoints)('answers 403 to a token without a tenant: %s %s', async (method, path) => {
    const { id, token } = await createToken(service.client, { tenantId: acme.tenantId });
    await service.client.apiToken.update({ where: { id }, data: { tenantId: null } });
    refusal(await service.request(method, `/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } }), 403);
  });

  it('answers 403 to a request beyond the token’s abilities', async () => {
    const made: Record<string, string> = { ...(await makeEach(acme)), deliveries: await makeDelivery(acme) };
    made['test-tenants'] = await makeTestTenant(service, acme);

    const limited = await withToken();
    const withAbilities = async (abilities: string[]): Promise<Integrator> => {
      await service.client.apiToken.update({ where: { id: limited.tokenId }, data: { abilities } });
      return limited;
    };

    // Deletions last: the other requests need the rows.
    const isDeletion = ([method]: (typeof routes)[number]): number => Number(method === 'DELETE');
    for (const [method, path] of routes.toSorted((a, b) => isDeletion(a) - isDeletion(b))) {
      const [, collection = ''] = path.split('/');
      if (['me', 'changes', 'reports', 'period-locks'].includes(collection)) continue; // each has tests of its own
      if (`${method} ${path}` === 'POST /bulk-operations') continue; // JSON Lines: test/bulk/
      if (path === '/exports/:id/file') continue; // test/exports/
      if (path.includes('/attachments')) continue; // test/attachments/
      if (collection === 'test-helpers') continue; // test/test-tenants/
      const at = path.replace(':id', made[collection]!).replace(/xml$/, 'xml?format=factur-x');
      const scope = collections.find((each) => each.path === collection)?.scope;
      // A customer's credit is money of invoices.
      const resource = path.includes('/:id/credit') ? 'invoices' : (scopes[collection] ?? scope ?? collection);
      const action = method === 'GET' ? 'read' : 'write';
      const other = action === 'read' ? 'write' : 'read';
      const elsewhere = resource === 'customers' ? 'invoices' : 'customers';
      const others = [other, `${resource}:${other}`, `${elsewhere}:${action}`].filter((each) =>
        grantable.includes(each),
      );
      const without = await withAbilities(others);
      refusal(await without.rest(method, at, method === 'GET' ? undefined : { nonsense: 1 }), 403);
      // Who has events sent must be able to read their resources.
      // And payments say what is paid of receipts, too.
      const shown =
        { webhooks: ['read'], invoices: collection === 'payments' ? ['receipts:read'] : [] }[resource] ?? [];
      for (const abilities of [[action], [`${resource}:${action}`], ['*']]) {
        // An allowed request passes the ability check. The invalid bodies keep this test from writing.
        const answer = await (
          await withAbilities([...abilities, ...shown])
        ).rest(method, at, ['POST', 'PUT', 'PATCH'].includes(method) ? [] : undefined);
        const isDraftsXml = at.includes('/xml');
        const read = at.endsWith('/proof') ? 404 : 200; // neither a draft nor a new document has one
        const expected = { GET: isDraftsXml ? 422 : read, POST: 422, PUT: 422, PATCH: 422, DELETE: answer.status };
        expect([method, at, abilities, answer.status]).toEqual([method, at, abilities, expected[method]]);
        expect(answer.status).not.toBe(403);
        if (method === 'DELETE') break;
      }
    }
  });
});

describe('404 and 405', () => {
  it('answers 404 to an unknown path', async () => {
    for (const path of [
      '',
      '/',
      '/nothing',
      '/customer',
      '/customers/x/y',
      `/customers/${sample.unknownId}/invoices`,
      '/me/x',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE']) refusal(await acme.rest(method, path), 404);
    }
    refusal(
      await service.request('GET', '/api/v2/customers', { headers: { authorization: `Bearer ${acme.token}` } }),
      404,
    );
    refusal(await service.request('GET', '/nothing', { headers: { accept: 'application/json' } }), 404);
  });

  it.each(endpoints.filter(([, path]) => path.includes(sample.unknownId)))(
    'a malformed or unknown id is not found: %s %s',
    async (method, path) => {
      const body = method === 'PATCH' ? { nonsense: 1 } : undefined;
      const unknown = refusal(await acme.rest(method, path, body), 404);
      const malformed = [
        '1',
        '0',
        'null',
        '-1',
        '%00',
        '%zz',
        sample.unknownId.slice(1),
        `${sample.unknownId}0`,
        `{${sample.unknownId}}`,
        `${sample.unknownId}%20`,
      ];
      for (const id of malformed) {
        expect(refusal(await acme.rest(method, path.replace(sample.unknownId, id), body), 404)).toEqual(unknown);
      }
    },
  );

  it('answers 405 with the path’s methods in Allow', async () => {
    for (const path of new Set(endpoints.map(([, each]) => each))) {
      const takes = endpoints.filter(([, each]) => each === path).map(([method]) => method as string);
      const allowed = [...takes, ...(takes.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted();
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (takes.includes(method)) continue;
        const answer = await acme.rest(method, path);
        refusal(answer, 405);
        expect(answer.headers.get('allow')?.split(', ').toSorted()).toEqual(allowed);
      }
    }
  });
});

describe('the order of checks: 401, 403 (no tenant), 429, 404/405, 403 (ability), 413/415, 422', () => {
  it('each status takes precedence over the next', async () => {
    const limited = await startService({ limiter: () => createRateLimiter({ limit: 1, store: memoryStore() }) });
    try {
      const limitedAcme = await limited.integrator();
      const orphan = await limited.integrator();
      await limited.client.apiToken.update({ where: { id: orphan.tokenId }, data: { tenantId: null } });
      await limitedAcme.rest('GET', '/me');
      refusal(await limited.request('GET', '/api/v1/nothing'), 401);
      for (let times = 0; times < 3; times++) refusal(await orphan.rest('GET', '/nothing'), 403);
      refusal(await limitedAcme.rest('GET', '/nothing'), 429);
    } finally {
      await limited.close();
    }

    const reader = await withToken({ abilities: ['customers:read'] });
    const { id } = await create(acme, '/customers', sample.customer);
    const text = { 'content-type': 'text/plain' };
    refusal(await reader.rest('POST', '/nothing', 'x', text), 404);
    refusal(await reader.rest('PUT', '/customers', 'x', text), 405);
    refusal(await reader.rest('PATCH', '/customers/1', 'x', text), 404);
    refusal(await reader.rest('PATCH', `/customers/${sample.unknownId}`, 'x', text), 404);
    refusal(await reader.rest('DELETE', `/customers/${sample.unknownId}`), 404);
    refusal(await reader.rest('GET', `/invoices/${sample.unknownId}`), 404);
    refusal(await reader.rest('PATCH', `/customers/${id}`, 'x', text), 403);
    refusal(await reader.rest('POST', '/customers', 'x'.repeat(1024 * 1024 + 1)), 403);
    refusal(await acme.rest('PATCH', `/customers/${sample.unknownId}`, 'x', text), 404);
    refusal(await acme.rest('PATCH', `/customers/${sample.unknownId}`, 'x'.repeat(1024 * 1024 + 1)), 404);
    refusal(await acme.rest('PATCH', `/customers/${sample.unknownId}`, { zip: 1 }), 404);
    refusal(await acme.rest('PATCH', `/customers/${id}`, '{', text), 415);
    refusal(await acme.rest('PATCH', `/customers/${id}`, 'x'.repeat(1024 * 1024 + 1)), 413);
    expect(invalidFields(await acme.rest('PATCH', `/customers/${id}`, { zip: 1 }))).toEqual(['zip']);
  });
});
