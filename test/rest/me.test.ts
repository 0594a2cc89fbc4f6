import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { asIntegrator, startService, type Service } from '../harness.ts';
import * as sample from './samples.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('GET /me', () => {
  it('answers user, tenant, and token in data', async () => {
    const acme = await service.integrator({ name: 'Acme KG', timezone: 'Europe/Berlin', currency: 'CHF' });
    const user = await service.client.user.findUniqueOrThrow({ where: { id: acme.userId } });
    const { status, body } = await acme.rest('GET', '/me');
    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        user: { id: acme.userId, name: user.name, email: user.email },
        tenant: {
          id: acme.tenantId,
          name: 'Acme KG',
          country: 'DE',
          default_currency: 'CHF',
          timezone: 'Europe/Berlin',
          test: false,
        },
        token: {
          id: acme.tokenId,
          name: expect.any(String),
          abilities: ['*'],
          created_at: sample.aTime,
          last_used_at: null,
          expires_at: null,
        },
      },
    });
  });

  it('shows the token’s abilities, last use, and expiry, and requires no ability', async () => {
    const acme = await service.integrator();
    const expiresAt = new Date(Date.now() + 3_600_000);
    const minted = await createToken(service.client, {
      tenantId: acme.tenantId,
      name: 'Warehouse',
      abilities: ['invoices:read', 'receipts:write'],
      expiresAt,
    });
    const limited = asIntegrator(service, { ...acme, token: minted.token, tokenId: minted.id });
    await limited.rest('GET', '/me');
    const lastUsed = async () => (await limited.rest('GET', '/me')).body.data.token.last_used_at;
    await expect.poll(lastUsed).toEqual(sample.aTime);
    const { status, body } = await limited.rest('GET', '/me');
    expect(status).toBe(200);
    expect(body.data.token).toEqual({
      id: minted.id,
      name: 'Warehouse',
      abilities: ['invoices:read', 'receipts:write'],
      created_at: sample.aTime,
      last_used_at: sample.aTime,
      expires_at: `${expiresAt.toISOString().slice(0, 19)}+00:00`,
    });
    expect(JSON.stringify(body)).not.toContain(limited.token);
  });
});
