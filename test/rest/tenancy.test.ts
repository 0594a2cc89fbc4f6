import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../rest-shim/routes.ts';
import { delegateName } from '../../prisma/client.ts';
import { resources } from '../../schema/resource-list.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { makeEach } from '../resources.ts';
import * as sample from './samples.ts';
import { create, refusal } from './samples.ts';

let service: Service;
let acme: Integrator;
let stranger: Integrator;
/** The ids of Acme's resources, by collection. */
let made: Record<string, string>;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  stranger = await service.integrator();
  made = await makeEach(acme, 'Geheim');
});
afterAll(() => service.close());

/** Everything a caller can compare, without request_id and the headers that differ per request. */
const comparable = ({ status, headers, text }: Answer) => ({
  status,
  headers: [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'),
  text: text.replaceAll(headers.get('x-request-id') ?? '', 'REQUEST'),
});

const books = async () =>
  Promise.all(
    [
      'customer',
      'invoice',
      'invoiceItem',
      'receipt',
      'project',
      'timeEntry',
      'bankTransaction',
      'event',
      'webhook',
    ].map((model) => acme.db[model as 'customer'].findMany({ orderBy: { id: 'asc' } })),
  );

describe('a resource that belongs to another tenant is answered as if it did not exist', () => {
  const withId = routes.filter(([, path]) => path.includes(':id'));

  it.each(withId.map(([method, path]) => [method, path] as const))(
    '%s %s: byte for byte like an unknown id',
    async (method, path) => {
      const before = await books();
      const id = made[path.split('/')[1]!]!;
      for (const body of method === 'PATCH' ? [{}, { name: 'x' }, { zip: 1 }, [], 'x'] : [undefined]) {
        const foreign = await stranger.rest(method, path.replace(':id', id), body);
        const unknown = await stranger.rest(method, path.replace(':id', sample.unknownId), body);
        refusal(foreign, 404);
        expect(comparable(foreign)).toEqual(comparable(unknown));
      }
      expect(await books()).toEqual(before);
    },
  );

  it.each([
    ['/invoices', 'customer_id', 'customers', sample.invoice(sample.unknownId)],
    ['/receipts', 'supplier_id', 'customers', sample.receipt],
    ['/receipts', 'project_id', 'projects', sample.receipt],
    ['/projects', 'customer_id', 'customers', sample.project],
    ['/time-entries', 'project_id', 'projects', sample.timeEntry(sample.unknownId)],
  ])('POST %s with its id as %s: byte for byte like an unknown id', async (path, field, collection, body) => {
    const foreign = await stranger.rest('POST', path, { ...body, [field]: made[collection] });
    const unknown = await stranger.rest('POST', path, { ...body, [field]: sample.unknownId });
    expect(Object.keys(refusal(foreign, 422))).toEqual([field]);
    expect(comparable(foreign)).toEqual(comparable(unknown));
  });

  it('PATCH /projects/{id} with its id as customer_id: byte for byte like an unknown id', async () => {
    const { id } = await create(stranger, '/projects', sample.project);
    const foreign = await stranger.rest('PATCH', `/projects/${id}`, { customer_id: made['customers'] });
    const unknown = await stranger.rest('PATCH', `/projects/${id}`, { customer_id: sample.unknownId });
    expect(Object.keys(refusal(foreign, 422))).toEqual(['customer_id']);
    expect(comparable(foreign)).toEqual(comparable(unknown));
    await stranger.rest('DELETE', `/projects/${id}`);
  });

  it.each(resources)(
    'GET /$path lists and counts none of it, whatever the filter',
    async ({ model, path: collection }) => {
      const rows = acme.db[delegateName(model)] as { count(): Promise<number> };
      expect((await acme.rest('GET', `/${collection}`)).body.meta.total).toBe(await rows.count());
      expect(await rows.count()).toBeGreaterThan(0);
      const filters = [
        '',
        '?q=geheim',
        '?type=supplier',
        '?from=2026-01-01',
        '?page=2',
        `?customer_id=${made['customers']}`,
      ];
      for (const query of filters) {
        const { data, meta } = (await stranger.rest('GET', `/${collection}${query}`)).body;
        expect([query, data, meta.total]).toEqual([query, [], 0]);
      }
    },
  );

  it('the tenant can’t be chosen by header, query, or body', async () => {
    const headers = { 'x-tenant-id': acme.tenantId, 'tenant-id': acme.tenantId };
    const { body } = await stranger.rest('GET', `/customers?tenant_id=${acme.tenantId}`, undefined, headers);
    expect(body.meta.total).toBe(0);
    const answer = await stranger.rest('POST', '/customers', { ...sample.customer, tenant_id: acme.tenantId }, headers);
    expect(Object.keys(refusal(answer, 422))).toEqual(['tenant_id']);
    expect((await stranger.rest('GET', '/me', undefined, headers)).body.data.tenant.id).toBe(stranger.tenantId);
  });
});
