import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeInvoice } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { unknownId } from './samples.ts';

// A 404, 405, or 403 takes precedence over what is wrong with the body or the key (DECISIONS.md#d2-order-of-checks), whether the
// request has an Idempotency-Key or not.

let service: Service;
let acme: Integrator;
let reader: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  reader = await service.integrator({ name: 'Globex', abilities: ['customers:read'] });
});
afterAll(() => service.close());

const long = { company_name: 'x'.repeat(1_100_000) };
const invalid = { 'idempotency-key': '' };
const statusOf = async (who: Integrator, path: string, body?: object, headers?: Record<string, string>) =>
  (await who.rest('POST', path, body, headers)).status;

describe.each([
  ['without a key', undefined],
  ['with a key', { 'idempotency-key': 'a key' }],
  ['with a key that is not valid', invalid],
])('a body that is too long, %s', (_, headers) => {
  const refused = headers === invalid ? 422 : 413;

  it('is refused after an unknown address, a method that is not taken, and a missing ability', async () => {
    expect(await statusOf(acme, '/nothing', long, headers)).toBe(404);
    expect(await statusOf(acme, '/me', long, headers)).toBe(405);
    expect(await statusOf(reader, '/customers', long, headers)).toBe(403);
    expect(await statusOf(reader, '/customers/batch', long, headers)).toBe(403);
    expect(await statusOf(acme, `/invoices/${unknownId}/payments`, long, headers)).toBe(404);
    expect(await statusOf(acme, '/customers', long, headers)).toBe(refused);
    expect(await statusOf(acme, '/customers/batch', long, headers)).toBe(refused);
  });
});

it('a key that is not valid does nothing', async () => {
  const id = await makeInvoice(acme);
  expect(await statusOf(acme, `/invoices/${id}/issue`, undefined, invalid)).toBe(422);
  expect(await statusOf(acme, `/invoices/${unknownId}/issue`, undefined, invalid)).toBe(404);
  expect((await acme.rest('GET', `/invoices/${id}`)).body.data.status).toBe('draft');
});
