import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventTypes } from '../../../schema/events/events.ts';
import { createToken } from '../../../src/identity/index.ts';
import { asIntegrator, gateway, runScript, startService, type Integrator, type Service } from '../../harness.ts';
import {
  readBooks,
  eventsDuring,
  listEvents,
  fannedOut,
  item,
  makeCustomer,
  makeInvoice,
  makeProject,
  makeReceipt,
  makeTimeEntry,
  refusal,
} from '../books.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
});

const changing = (fields: string) => `input: { ${fields} }`;

describe('`data` is keyed by the resource, the REST v1 representation at the moment of the event', () => {
  it.each([
    ['customer', '/customers', makeCustomer, 'Customer', changing('city: "Bonn"')],
    ['project', '/projects', makeProject, 'Project', changing('status: ARCHIVED')],
    ['receipt', '/receipts', makeReceipt, 'Receipt', changing('category: "x"')],
    ['time_entry', '/time-entries', makeTimeEntry, 'TimeEntry', changing('description: "x"')],
    ['invoice', '/invoices', makeInvoice, 'Invoice', changing('subject: "x"')],
  ] as const)('%s: created, updated, deleted', async (resource, path, make, type, change) => {
    let id = '';
    const rest = async () => (await acme.rest('GET', `${path}/${id}`)).body.data;
    const only = async (work: () => Promise<unknown>) => {
      const events = await eventsDuring(service, acme, work);
      return events
        .filter((event) => event.type.startsWith(`${resource}.`))
        .map(({ type: name, body }) => [name, body]);
    };
    const event = (name: string, data: unknown) => [
      name,
      {
        event: name,
        tenant_id: acme.tenantId,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
        data: { [resource]: data },
      },
    ];
    const created = await only(async () => (id = await make(acme)));
    expect(created).toEqual([event(`${resource}.created`, await rest())]);
    const updated = await only(() => acme.graphql(`mutation { update${type}(id: "${id}", ${change}) { id } }`));
    expect(updated).toEqual([event(`${resource}.updated`, await rest())]);
    const last = await rest();
    const deleted = await only(() => acme.graphql(`mutation { delete${type}(id: "${id}") { id } }`));
    expect(deleted).toEqual([event(`${resource}.deleted`, last)]);
  });

  it('the body has the contract’s order of keys, and decimals as REST writes them', async () => {
    await makeInvoice(acme, { items: [{ ...item, quantity: '0.1', unitPriceNet: '1190.5' }] });
    const { rows } = await service.pool.query(
      `select body from events where tenant_id = $1 and type = 'invoice.created'`,
      [acme.tenantId],
    );
    expect(rows[0].body).toMatch(
      /^\{"event":"invoice\.created","tenant_id":"[^"]+","created_at":"[^"]+","data":\{"invoice":\{"id":/,
    );
    expect(rows[0].body).toContain('"quantity":0.1,');
    expect(rows[0].body).toContain('"unit_price_net":1190.5,');
  });

  it('an event has the data of REST, also if its caller can’t read it', async () => {
    const { token, id: tokenId } = await createToken(service.client, { tenantId: acme.tenantId, abilities: ['write'] });
    const writer = asIntegrator(service, { ...acme, token, tokenId });
    const [event] = await eventsDuring(service, acme, () => makeCustomer(writer, { city: 'Bonn' }));
    expect(event!.body.data.customer.city).toBe('Bonn');
  });
});

it('every written event has a listed type', async () => {
  await makeInvoice(acme, { status: 'PAID' });
  for (const { type } of await listEvents(service, acme)) expect(eventTypes).toContain(type);
});

/** Makes every insertion into a table fail during `work`. */
async function whileRefusing(table: string, work: () => Promise<void>): Promise<void> {
  await runScript(
    service,
    `
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'on purpose'; end $$;
    create trigger refuse before insert on ${table} for each row execute function refuse()`,
  );
  try {
    await work();
  } finally {
    await service.pool.query('drop function refuse cascade');
  }
}

describe('events are transactional', () => {
  it('every committed event has exactly one job', async () => {
    await makeInvoice(acme, { status: 'PAID' });
    await makeTimeEntry(acme);
    const events = await listEvents(service, acme);
    expect(events.length).toBe(8);
    expect(await fannedOut(service, acme)).toEqual(events.map(({ id }) => id));
  });

  it.each([
    ['the last step of a mutation', 'payments'],
    ['the event itself', 'events'],
    ['the job of the event', gateway.distributed ? 'outbox' : 'graphile_worker._private_jobs'],
  ])('a rollback leaves neither event nor job: %s fails', async (_what, table) => {
    const customerId = await makeCustomer(acme);
    const [before, jobs] = [await readBooks(service, acme), await fannedOut(service, acme)];
    await whileRefusing(table, async () => {
      const create = 'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id } }';
      const input = { customerId, invoiceDate: '2026-01-01', status: 'PAID', items: [item] };
      expect(refusal(await acme.graphqlAnswer(create, { input })).code).toBe('INTERNAL_SERVER_ERROR');
    });
    expect(await readBooks(service, acme)).toEqual(before);
    expect(await fannedOut(service, acme)).toEqual(jobs);
    // The invoice's number is not lost either.
    const id = await makeInvoice(acme, { customerId, status: 'ISSUED' });
    expect((await acme.graphql(`{ invoice(id: "${id}") { number } }`)).invoice.number).toBe('2026-0001');
  });
});
