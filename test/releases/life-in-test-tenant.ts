import * as sample from '../rest/samples.ts';
import { company } from '../documents/parties.ts';
import type { Ask, Made, Rest } from './life.ts';

/** Sends the requests that only test tenants allow, in one that is made for them. */
export async function liveInTestTenant(rest: Rest, ask: Ask): Promise<Made> {
  const { body: made } = await rest('POST', '/test-tenants', { name: 'Tests' });
  const { id, token } = made.data as { id: string; token: string };
  const test = (method: string, path: string, body?: object, under = '/api/v1') =>
    ask({
      as: 'nobody',
      method,
      path: `${under}${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(body && { body: JSON.parse(JSON.stringify(body)) }),
    });
  await rest('GET', '/test-tenants');
  await rest('GET', `/test-tenants/${id}`);
  await test('GET', '/me');

  await test('GET', '/test-clock');
  await test('POST', '/test-clock', { now: '2026-03-10T09:30:00Z' });
  await test('POST', '/test-clock', { now: '2026-03-01T09:30:00Z' });
  await rest('POST', '/test-clock', { now: '2026-03-10T09:30:00Z' });
  const query = 'mutation ($input: UpdateCompanyInput!) { updateCompany(input: $input) { legalName } }';
  await test('POST', '/graphql', { query, variables: { input: company } }, '');
  const { body: customer } = await test('POST', '/customers', sample.customer);
  const { body: invoice } = await test('POST', '/invoices', { ...sample.invoice(customer.data.id), status: 'issued' });
  await test('POST', '/test-helpers/bank-transactions', { invoice_id: invoice.data.id });
  await test('POST', '/test-helpers/bank-transactions', { amount: 1, reference: 'x' });
  await rest('POST', '/test-helpers/bank-transactions', { amount: 1 });
  const { body: hook } = await test('POST', '/webhooks', { url: 'https://hooks.example.com/x', events: ['*'] });
  const failures = `/test-helpers/webhooks/${hook.data.id}/failures`;
  await test('POST', failures, { failure: 'too_many_requests', attempts: 1, retry_after: 30 });
  await test('GET', '/events?type=invoice.paid');

  await rest('POST', `/test-tenants/${id}/reset`);
  await test('GET', '/customers');
  const { body: second } = await rest('POST', '/test-tenants', { name: 'More tests' });
  await rest('DELETE', `/test-tenants/${second.data.id}`);
  await rest('GET', `/test-tenants/${second.data.id}`);
  return { 'test-tenants': id };
}
