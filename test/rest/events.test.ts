import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { item, makeCustomer, makeInvoice, makeReceipt } from '../graphql/books.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import { invalidFields, refusal } from './samples.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
});

const withAbilities = async (...abilities: string[]): Promise<Integrator> => {
  const { token, id } = await createToken(service.client, { tenantId: acme.tenantId, abilities });
  return asIntegrator(service, { ...acme, token, tokenId: id });
};

interface Listed {
  id: string;
  event: string;
}
const list = async (query = '', who = acme): Promise<Listed[]> => {
  const { status, body } = await who.rest('GET', `/events${query}`);
  expect([query, status]).toEqual([query, 200]);
  return body.data;
};
const typesOf = async (query = '', who = acme) => (await list(query, who)).map(({ event }) => event);

describe('GET /events', () => {
  it('answers each event as webhooks are sent it, after its id, byte for byte, newest first', async () => {
    await makeInvoice(acme, { items: [{ ...item, quantity: '0.1', unitPriceNet: '1190.5' }], subject: 'é€🦆"\\' });
    const { rows } = await service.pool.query<{ id: string; body: string }>(
      'select id, body from events where tenant_id = $1 order by id desc',
      [acme.tenantId],
    );
    const { text, body, headers } = await acme.rest('GET', '/events');
    const written = rows.map((row) => `{"id":"${row.id}",${row.body.slice(1)}`);
    expect(text).toMatch(/^\{"data":\[/);
    expect(text.slice('{"data":['.length, text.indexOf('],"links"'))).toBe(written.join(','));
    expect(text).toContain('"unit_price_net":1190.5,');
    expect(headers.get('content-type')).toBe('application/json');
    expect(Object.keys(body.data[0])).toEqual(['id', 'event', 'tenant_id', 'created_at', 'data']);
    expect(body.meta).toEqual({ current_page: 1, per_page: 25, total: 2, last_page: 1, from: 1, to: 2 });
  });

  it('never parses a stored body', async () => {
    const body = '{"event":"invoice.paid","data":{"amount": 1.10e0 ,"big":12345678901234567890.1234567890}}';
    await acme.db.event.create({ data: { type: 'invoice.paid', body } });
    expect((await acme.rest('GET', '/events')).text).toContain(`",${body.slice(1)}]`);
  });

  it('is paged like other lists', async () => {
    for (let count = 0; count < 5; count++) await makeCustomer(acme);
    const all = (await list()).map(({ id }) => id);
    const seen: string[] = [];
    let next: string | null = '/api/v1/events?per_page=2';
    while (next) {
      const { pathname, search } = new URL(next, service.url);
      const { body } = await acme.rest('GET', (pathname + search).slice('/api/v1'.length));
      seen.push(...body.data.map(({ id }: Listed) => id));
      next = body.links.next;
      await makeCustomer(acme); // newer than the first page
    }
    expect(seen).toEqual(all);
    expect(all).toHaveLength(5);
  });

  it('narrows by type and by resource', async () => {
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    await makeInvoice(acme, { status: 'ISSUED' });
    expect(await typesOf('?type=invoice.issued')).toEqual(['invoice.issued', 'invoice.issued']);
    expect(await typesOf(`?resource_id=${id}`)).toEqual(['invoice.issued', 'invoice.created']);
    expect(await typesOf(`?resource_id=${id}&type=invoice.created`)).toEqual(['invoice.created']);
    expect(await typesOf('?type=receipt.paid')).toEqual([]);
    expect(invalidFields(await acme.rest('GET', '/events?type=invoice.eaten&resource_id=x'))).toEqual([
      'resource_id',
      'type',
    ]);
    for (const blank of ['', '%20'])
      expect(invalidFields(await acme.rest('GET', `/events?type=${blank}`))).toEqual(['type']);
  });

  it('narrows by time: from this time on, and before that', async () => {
    for (const time of ['2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.999Z', '2026-03-01T10:00:01Z']) {
      service.clock.now = new Date(time);
      await makeReceipt(acme);
    }
    service.clock.now = undefined;
    const count = async (query: string) => (await list(query)).length;
    expect(await count('?from=2026-03-01T10:00:00Z&to=2026-03-01T10:00:01Z')).toBe(2);
    expect(await count('?from=2026-03-01T10:00:01Z')).toBe(1);
    expect(await count('?to=2026-03-01T10:00:00Z')).toBe(0);
    // An event's own time can be sent as it was answered: a plus need not be escaped.
    expect(await count('?from=2026-03-01T10:00:01+00:00')).toBe(1);
    expect(await count('?from=2026-03-01T10:00:01%2B00:00')).toBe(1);
    expect(await count('?from=2026-03-01T12:00:01%2B02:00')).toBe(1);
    for (const from of [
      'yesterday',
      '2026-03-01',
      '0000-01-01T00:00:00Z',
      '-000001-01-01T00:00:00Z',
      '+010000-01-01T00:00:00Z',
    ])
      expect(invalidFields(await acme.rest('GET', `/events?from=${encodeURIComponent(from)}`))).toEqual(['from']);
    expect(invalidFields(await acme.rest('GET', '/events?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z'))).toEqual([
      'from',
      'to',
    ]);
  });

  it('has only types that the token may read', async () => {
    await makeInvoice(acme, { status: 'ISSUED' });
    await makeReceipt(acme);
    const reader = await withAbilities('webhooks:read', 'invoices:read');
    expect((await typesOf('', reader)).toSorted()).toEqual(['invoice.created', 'invoice.issued']);
    expect((await reader.rest('GET', '/events')).body.meta.total).toBe(2);
    refusal(await reader.rest('GET', '/events?type=receipt.created'), 403);
    refusal(await (await withAbilities('invoices:read')).rest('GET', '/events'), 403);
  });

  it('has no event of another tenant', async () => {
    await makeCustomer(acme);
    const [{ id }] = (await list()) as [Listed];
    const globex = await service.integrator();
    expect(await list('', globex)).toEqual([]);
    const { resourceId } = (await acme.db.event.findFirst({ where: { id } }))!;
    expect(await list(`?resource_id=${resourceId}`, globex)).toEqual([]);
  });

  it('answers the same through GraphQL', async () => {
    await makeInvoice(acme);
    const { events } = await acme.graphql(
      '{ events(from: "2020-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z", type: "invoice.created") { nodes { json } } }',
    );
    const { text } = await acme.rest('GET', '/events?type=invoice.created');
    expect(text).toContain(`{"data":[${events.nodes[0].json}],`);
  });
});
