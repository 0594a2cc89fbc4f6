import { getNamedType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken, createUser } from '../../src/identity/index.ts';
import { asIntegrator, startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { signedIn } from '../identity/browser.ts';
import { refusal } from '../rest/samples.ts';

// A secret that is answered only once must be replayed only to whoever asked for it (CONTRACT.md#idempotency).

let service: Service;
let acme: Integrator;
/** A token of another user of the same tenant, with the same abilities. */
let colleague: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  const email = 'colleague@example.com';
  const { id: userId } = await createUser(service.client, { email, tenantId: acme.tenantId });
  const { id, token } = await createToken(service.client, { tenantId: acme.tenantId, userEmail: email });
  colleague = asIntegrator(service, { ...acme, userId, token, tokenId: id });
});
afterAll(() => service.close());

type Send = (body: object, key: string) => Promise<Answer>;
const withToken =
  ({ token }: Integrator): Send =>
  (body, key) =>
    service.request('POST', '/graphql', {
      body,
      headers: { authorization: `Bearer ${token}`, 'idempotency-key': key },
    });
const inSession = async (): Promise<Send> => {
  const { browser } = await signedIn(service, acme.tenantId);
  return (body, key) => browser.request('POST', '/graphql', body, { 'idempotency-key': key });
};

const webhook = { url: 'http://127.0.0.1:1/', events: ['*'] };
const makeWebhook = async (): Promise<string> => (await acme.rest('POST', '/webhooks', webhook)).body.data.id;

/** Each mutation that answers a secret once: how it is asked for, and where the secret is. */
const secrets: Record<string, { isInSession?: true; ask: () => Promise<string> | string; field: string }> = {
  createApiToken: { isInSession: true, ask: () => 'createApiToken(input: { name: "A" }) { value }', field: 'value' },
  inviteMember: { isInSession: true, ask: () => 'inviteMember(email: "b@example.com") { link }', field: 'link' },
  createTestTenant: { ask: () => 'createTestTenant(input: { name: "Test" }) { token }', field: 'token' },
  createWebhook: {
    ask: () => 'createWebhook(input: { url: "http://127.0.0.1:1/", events: ["*"] }) { secret }',
    field: 'secret',
  },
  rotateWebhookSecret: {
    ask: async () => `rotateWebhookSecret(id: "${await makeWebhook()}") { secret }`,
    field: 'secret',
  },
};

describe('A secret that is answered once', () => {
  it('is of a mutation that is tested here', () => {
    const mutations = Object.values(service.domain.schema.getMutationType()?.getFields() ?? {});
    const found = mutations.filter(({ type }) => /only once/.test(getNamedType(type).description ?? ''));
    expect(found.map(({ name }) => name).toSorted()).toEqual(Object.keys(secrets).toSorted());
  });

  it.each(Object.entries(secrets))('by %s is replayed to whoever asked, and to nobody else', async (name, secret) => {
    const body = { query: `mutation { ${await secret.ask()} }` };
    const own = secret.isInSession ? await inSession() : withToken(acme);
    const first = await own(body, name);
    const value = first.body.data[name][secret.field] as string;
    expect(value.length).toBeGreaterThan(20);
    for (const other of [withToken(colleague), await inSession()]) {
      const refused = await other(body, name);
      expect(refused.text).not.toContain(value);
      expect(refused.status).toBe(422);
    }
    const again = await own(body, name);
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
  });

  it.each([
    ['/test-tenants', { name: 'Another test' }, 'token'],
    ['/webhooks', webhook, 'secret'],
  ])('by POST %s is replayed to no other token', async (path, body, field) => {
    const send = (who: Integrator) => who.rest('POST', path, body, { 'idempotency-key': '1' });
    const first = await send(acme);
    expect([first.status, first.body.data[field]]).toEqual([201, expect.any(String)]);
    const refused = await send(colleague);
    expect(refused.text).not.toContain(first.body.data[field]);
    expect(refusal(refused, 422)).toEqual({ 'Idempotency-Key': ['Was used with another token.'] });
    expect((await send(acme)).text).toBe(first.text);
  });
});
