import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { createWebhooks } from '../../src/webhooks/webhooks.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { create, invalidFields, refusal } from './samples.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  acme = await service.integrator();
});
afterAll(() => service.close());

const url = 'https://hooks.example.com/kontor';
const withAbilities = async (...abilities: string[]): Promise<Integrator> => {
  const { id, token } = await createToken(service.client, { tenantId: acme.tenantId, abilities });
  return asIntegrator(service, { ...acme, token, tokenId: id });
};
const secretOf = async (id: string): Promise<string> => {
  const { secret } = await acme.db.webhook.findFirstOrThrow({ where: { id } });
  return Buffer.from(secret).toString('base64');
};

const usual = {
  id: sample.anId,
  url,
  description: null,
  events: ['*'],
  active: true,
  consecutive_failures: 0,
  disabled_at: null,
  disabled_reason: null,
  former_secrets_until: [],
  last_success_at: null,
  last_failure_at: null,
  created_at: sample.aTime,
  updated_at: sample.aTime,
};
const aSecret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);

describe('webhooks over REST', () => {
  it('are created, listed, read, changed, and deleted', async () => {
    const created = await acme.rest('POST', '/webhooks', { url });
    expect(created).toMatchObject({ status: 201, body: { data: { ...usual, secret: aSecret } } });
    expect(Object.keys(created.body.data)).toEqual([...Object.keys(usual), 'secret']);
    const { id } = created.body.data;
    const path = `/webhooks/${id}`;
    expect(created.headers.get('location')).toMatch(new RegExp(`/api/v1${path}$`));

    expect((await acme.rest('GET', path)).body).toEqual({ data: usual });
    const changes = { description: 'Shop', events: ['invoice.paid'], active: false };
    const changed = await acme.rest('PATCH', path, changes);
    expect(changed.body).toEqual({ data: { ...usual, ...changes } });
    const { body } = await acme.rest('GET', '/webhooks');
    expect([body.data, body.meta.total]).toEqual([[{ ...usual, ...changes }], 1]);

    expect((await acme.rest('DELETE', path)).status).toBe(204);
    for (const method of ['GET', 'PATCH', 'DELETE'])
      refusal(await acme.rest(method, path, method === 'PATCH' ? {} : undefined), 404);
    refusal(await acme.rest('POST', `${path}/rotate-secret`), 404);
    expect((await acme.rest('GET', '/webhooks')).body.data).toEqual([]);
  });

  it('are listed in pages, newest first, also those changed since a time', async () => {
    const ids: string[] = [];
    for (const each of ['a', 'b', 'c'])
      ids.unshift((await create(acme, '/webhooks', { url, description: each })).id as string);
    const first = (await acme.rest('GET', '/webhooks?per_page=2')).body;
    expect(first.meta).toMatchObject({ total: 3, last_page: 2 });
    const next = new URL(first.links.next as string);
    const second = (await acme.rest('GET', `/webhooks${next.search}`)).body;
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
    await acme.db.webhook.updateMany({ where: { id: ids[2]! }, data: { updatedAt: new Date('2020-01-01') } });
    const since = (await acme.rest('GET', '/webhooks?updated_since=2020-01-02T00:00:00Z')).body;
    expect([since.data.length, since.meta.total]).toEqual([2, 2]);
  });

  it('show their secret to the creation and the rotation, and to nothing else', async () => {
    const { id, secret } = await create(acme, '/webhooks', { url });
    const rotated = await acme.rest('POST', `/webhooks/${id}/rotate-secret`);
    expect(rotated).toMatchObject({ status: 200, body: { data: { id, secret: aSecret } } });
    expect(rotated.body.data.secret).not.toBe(secret);
    expect(rotated.body.data.former_secrets_until).toEqual([sample.aTime]);
    const answers = [
      await acme.rest('GET', `/webhooks/${id}`),
      await acme.rest('GET', '/webhooks'),
      await acme.rest('PATCH', `/webhooks/${id}`, { description: 'x' }),
      await acme.rest('PATCH', `/webhooks/${id}`, {}, { 'if-match': '"1-x"' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 412]);
    for (const { text } of answers) expect(text).not.toMatch(/whsec_|"secret"/);
  });

  it('are refused where they can’t be valid, by the names of the request', async () => {
    const made = await create(acme, '/webhooks', { url });
    for (const [body, fields] of [
      [{ url: 'http://x' }, []],
      [{}, ['url']],
      [{ url: 'ftp://hooks.example.com' }, ['url']],
      [{ url, events: ['invoice.eaten'] }, ['events.0']],
      [{ url, events: [] }, ['events']],
      [{ url: '' }, ['url']],
      [{ url: ' ', events: [' '] }, ['events.0', 'url']],
      [{ url, secret: 'whsec_mine' }, []],
      [{ url, tenant_id: acme.tenantId, slot: 1 }, ['slot', 'tenant_id']],
    ] as const) {
      const answer = await acme.rest('POST', '/webhooks', body);
      expect([body, answer.status === 201 ? [] : invalidFields(answer)]).toEqual([body, fields]);
    }
    // An answer may be sent back, but sets no secret.
    const before = await secretOf(made.id);
    expect((await acme.rest('PATCH', `/webhooks/${made.id}`, { version: 7 })).status).toBe(422);
    const { secret: _, ...shown } = made;
    expect((await acme.rest('PATCH', `/webhooks/${made.id}`, shown)).status).toBe(200);
    expect(invalidFields(await acme.rest('PATCH', `/webhooks/${made.id}`, { secret: 'mine' }))).toEqual(['secret']);
    expect(await secretOf(made.id)).toBe(before);
    while ((await acme.rest('POST', '/webhooks', { url })).status === 201);
    expect(await acme.db.webhook.count({ where: { deletedAt: null } })).toBe(10);
    expect(invalidFields(await acme.rest('POST', '/webhooks', { url }))).toEqual(['body']);
  });
});

describe('a webhook’s address over REST', () => {
  it('must be public, https, and without credentials', async () => {
    const strict = await startService({ webhooks: createWebhooks({ secret: 'x'.repeat(32), allowInsecure: false }) });
    try {
      const who = await strict.integrator();
      const { id } = await create(who, '/webhooks', { url });
      for (const bad of [
        'http://hooks.example.com',
        'https://127.0.0.1/',
        'https://[::1]/',
        'https://[::ffff:10.0.0.1]/',
        'https://2130706433/',
        'https://0x7f.1/',
        'https://localhost/',
        'https://169.254.169.254/latest/meta-data',
        'https://user:password@hooks.example.com',
        'file:///etc/passwd',
        'https://',
        '',
      ]) {
        expect([bad, invalidFields(await who.rest('POST', '/webhooks', { url: bad }))]).toEqual([bad, ['url']]);
        expect([bad, invalidFields(await who.rest('PATCH', `/webhooks/${id}`, { url: bad }))]).toEqual([bad, ['url']]);
      }
    } finally {
      await strict.close();
    }
  });
});

describe('a change of a webhook over REST', () => {
  it('takes webhooks:write, and the abilities to read the resources of all its events', async () => {
    const { id } = await create(acme, '/webhooks', { url, events: ['invoice.paid'] });
    const before = await acme.db.webhook.findMany();
    const weak = await withAbilities('webhooks:write', 'webhooks:read', 'customers:read');
    for (const [method, path, body] of [
      ['POST', '/webhooks', { url }],
      ['POST', '/webhooks', { url, events: ['invoice.paid'] }],
      ['PATCH', `/webhooks/${id}`, { events: ['customer.created'] }],
      ['PATCH', `/webhooks/${id}`, { url }],
      ['POST', `/webhooks/${id}/rotate-secret`, {}],
      ['DELETE', `/webhooks/${id}`, undefined],
    ] as const)
      refusal(await weak.rest(method, path, body), 403);
    expect(await acme.db.webhook.findMany()).toEqual(before);
    expect((await weak.rest('GET', `/webhooks/${id}`)).status).toBe(200);
    expect((await weak.rest('POST', '/webhooks', { url, events: ['customer.created'] })).status).toBe(201);
  });

  it('is made once by several with one tag; results of deliveries don’t count as changes', async () => {
    const { id } = await create(acme, '/webhooks', { url });
    const path = `/webhooks/${id}`;
    const tag = (await acme.rest('GET', path)).headers.get('etag') ?? '';
    expect(tag).toMatch(/^"1-/);
    await acme.db.webhook.updateMany({ data: { consecutiveFailures: 3, lastFailureAt: new Date() } });
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((each) => acme.rest('PATCH', path, { description: `${each}` }, { 'if-match': tag })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412, 412]);
    const conflict = answers.find(({ status }) => status === 412);
    expect(conflict!.body.data).toEqual((await acme.rest('GET', path)).body.data);
    refusal412(await acme.rest('POST', `${path}/rotate-secret`, {}, { 'if-match': tag }));
    refusal412(await acme.rest('DELETE', path, undefined, { 'if-match': tag }));
    expect((await acme.rest('PATCH', path, { description: 'x' }, { 'if-match': '*' })).status).toBe(200);
  });
});

const refusal412 = ({ status, text }: { status: number; text: string }): void => {
  expect(status).toBe(412);
  expect(text).not.toContain('secret"');
};

describe('a creation or rotation with an Idempotency-Key', () => {
  it('is done once. Its answer is repeated to the same token only, and stored encrypted', async () => {
    const { id } = await create(acme, '/webhooks', { url });
    const other = await withAbilities('*');
    for (const [path, body] of [
      ['/webhooks', { url }],
      [`/webhooks/${id}/rotate-secret`, {}],
    ] as const) {
      const headers = { 'idempotency-key': randomUUID() };
      const first = await acme.rest('POST', path, body, headers);
      const again = await acme.rest('POST', path, body, headers);
      expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
      const theirs = await other.rest('POST', path, body, headers);
      expect(invalidFields(theirs)).toEqual(['Idempotency-Key']);
      expect(theirs.text).not.toContain('whsec_');
    }
    expect(await acme.db.webhook.count()).toBe(2);
    const stored = await acme.db.storedResponse.findMany();
    expect(stored.length).toBeGreaterThan(1);
    for (const { response } of stored) expect(Buffer.from(response).toString('latin1')).not.toContain('whsec_');
  });
});
