import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Service } from '../harness.ts';
import { openBrowser, someone } from './browser.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const whoami = '{ me { user { id email } tenant { id } tenants { id name } token { id } } }';

describe('signing in', () => {
  it('with e-mail and password starts a session, which opens GraphQL', async () => {
    const { userId, email, tenantId } = await someone(service);
    const browser = openBrowser(service);
    const answer = await browser.signIn(` ${email.toUpperCase()} `);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      user: { id: userId, name: 'Ada', email },
      session: { id: expect.any(String), createdAt: expect.any(String), expiresAt: expect.any(String) },
    });
    expect((await browser.request('GET', '/api/auth/get-session')).body).toEqual(answer.body);
    const { body } = await browser.graphql(whoami);
    expect(body).toEqual({
      data: {
        me: {
          user: { id: userId, email },
          tenant: { id: tenantId },
          tenants: [{ id: tenantId, name: 'Acme' }],
          token: null,
        },
      },
    });
  });
});
