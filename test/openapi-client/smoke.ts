import createClient from 'openapi-fetch';
import type { components, paths, webhooks } from './generated.ts';

// Run by test/openapi/client.system.test.ts. What the types must refuse is marked: were it accepted, tsc would say so.

declare const process: { env: Record<string, string | undefined> };

const { API = '', TOKEN = '' } = process.env;
const client = createClient<paths>({ baseUrl: API, headers: { Authorization: `Bearer ${TOKEN}` } });

function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what}: nothing came`);
  return value;
}

function same(found: unknown, expected: unknown, what: string): void {
  if (found !== expected) throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
}

const me = must((await client.GET('/me')).data, 'me').data;
same(me.token?.abilities[0], '*', 'abilities');

const created = await client.POST('/customers', {
  body: { type: 'customer', company_name: 'Bäckerei Sonnenschein GmbH', country: 'DE' },
});
const customer = must(created.data, 'customer').data;
same(created.response.status, 201, 'created');
same(created.response.headers.get('location')?.endsWith(customer.id), true, 'Location');

const refused = await client.POST('/invoices', {
  body: { customer_id: customer.id, invoice_date: '2026-02-30', items: [] },
});
same(refused.response.status, 422, 'refused');
const fault = must(refused.error, 'errors');
if (!('errors' in fault)) throw new Error('422 has errors');
same(Object.keys(fault.errors).toSorted().join(), 'invoice_date,items', 'errors');

// A decimal as a number, and as text.
const invoice = must(
  (
    await client.POST('/invoices', {
      body: {
        customer_id: customer.id,
        invoice_date: '2026-01-31',
        status: 'issued',
        items: [
          { title: 'Web design', quantity: 8, unit: 'h', unit_price_net: 95, vat_rate: 19 },
          { title: 'Hosting', quantity: '0.5', unit_price_net: '12.5', vat_rate: '19' },
        ],
      },
    })
  ).data,
  'invoice',
).data;
same(invoice.total_net, 766.25, 'total_net');
same(invoice.status, 'issued', 'status'); // an open enum: any text

const page = must(
  (await client.GET('/invoices', { params: { query: { status: 'issued', customer_id: customer.id, per_page: 1 } } }))
    .data,
  'page',
);
same(page.data[0]?.id, invoice.id, 'the one of the page');
same(page.meta.total, 1, 'total');
same(page.links.next, null, 'next');

// A resource that was read can be sent back. An answer's enums are open, and a request's are not.
const changed = await client.PATCH('/customers/{id}', {
  params: { path: { id: customer.id } },
  body: { ...customer, type: 'customer', required_e_invoice: null, city: null },
});
same(must(changed.data, 'changed').data.city, null, 'city');

const kept = await client.DELETE('/customers/{id}', { params: { path: { id: customer.id } } });
same(kept.response.status, 422, 'what an invoice refers to');
const other = must((await client.POST('/customers', { body: { type: 'supplier', company_name: 'x' } })).data, 'other');
const deleted = await client.DELETE('/customers/{id}', { params: { path: { id: other.data.id } } });
same(deleted.response.status, 204, 'deleted');
const gone = await client.GET('/customers/{id}', { params: { path: { id: other.data.id } } });
same(gone.response.status, 404, 'gone');
same(must(gone.error, 'error').request_id, gone.response.headers.get('x-request-id'), 'request_id');

/** The code of a receiver of webhooks. */
type Paid = webhooks['invoice.paid']['post']['requestBody']['content']['application/json'];
export const paidAmount = ({ event, data }: Paid): [event: 'invoice.paid', amount: number] => [
  event,
  data.invoice.total_gross,
];
export type Invoice = components['schemas']['Invoice'];

/** Never called: what the types refuse. */
export async function refusedByTypes(): Promise<void> {
  // @ts-expect-error a filter that there isn't
  await client.GET('/invoices', { params: { query: { status: 'overdue' } } });
  // @ts-expect-error a state that no invoice is created in
  await client.POST('/invoices', { body: { customer_id: '', invoice_date: '', items: [], status: 'cancelled' } });
  // @ts-expect-error a field that is required
  await client.POST('/customers', { body: { type: 'customer' } });
  // @ts-expect-error a field that is not known
  await client.POST('/customers', { body: { type: 'customer', company_name: 'x', nick_name: 'x' } });
  // @ts-expect-error null for what can't be cleared
  await client.PATCH('/customers/{id}', { params: { path: { id: '' } }, body: { company_name: null } });
  // @ts-expect-error a method that the address doesn't take
  await client.PATCH('/invoices/{id}', { params: { path: { id: '' } }, body: {} });
  // @ts-expect-error what may be null
  customer.email.toUpperCase();
}
