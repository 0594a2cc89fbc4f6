import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService, type Service } from '../harness.ts';
import { connectClient, use, type Json } from './client.ts';

// A client that knows nothing but /llms.txt and what the server at the address in it says: tools, their schemas, resources. Each test
// is a task as a user would write it, and ends with what the client would tell the user.

let service: Service;
let client: Client;

/** A client's own check: it calls only tools that are listed, with arguments that their schemas know. */
const known = new Map<string, Set<string>>();
const call = async (name: string, args: Record<string, unknown> = {}): Promise<Json> => {
  for (const argument of Object.keys(args))
    expect([name, argument, known.get(name)?.has(argument)]).toEqual([name, argument, true]);
  return use(client, name, args);
};
const query = async (text: string, variables = {}): Promise<Json> =>
  (await call('graphql_query', { query: text, variables })).data;

/** All rows of a list, page by page. */
async function all(name: string, filters: Record<string, unknown> = {}): Promise<Json[]> {
  const rows: Json[] = [];
  for (let page = 1, last = 1; page <= last; page += 1) {
    const { data, meta } = await call(name, { ...filters, page, per_page: 50 });
    rows.push(...data);
    last = meta.last_page;
  }
  return rows;
}

const find = async (company: string): Promise<Json> => (await call('listCustomers', { q: company })).data[0];
const invoiceOf = async (company: string): Promise<Json> =>
  (await call('listInvoices', { customer_id: (await find(company)).id })).data[0];

const consulting = { title: 'Consulting', quantity: 1, vat_rate: 19 };
const customer = (company_name: string): object => ({ type: 'customer', company_name });

beforeAll(async () => {
  service = await startService();
  const { token, rest } = await service.integrator();
  const ids: string[] = [];
  for (const name of ['Adler AG', 'Berger KG', 'Celik GmbH'])
    ids.push((await rest('POST', '/customers', customer(name))).body.data.id);
  for (const [at, net] of [
    [0, 100],
    [1, 400],
    [1, 300],
    [2, 50],
  ] as const) {
    const items = [{ ...consulting, unit_price_net: net }];
    const body = { customer_id: ids[at], invoice_date: '2026-03-01', due_date: '2026-03-15', items, status: 'issued' };
    await rest('POST', '/invoices', body);
  }
  const text = await (await fetch(`${service.url}/llms.txt`)).text();
  const [, address = ''] = /MCP at (\S+?)\.?\s/.exec(text) ?? [];
  client = await connectClient({ url: address }, token);
  for (const { name, inputSchema } of (await client.listTools()).tools)
    known.set(name, new Set(Object.keys(inputSchema.properties ?? {})));
});
afterAll(async () => {
  await client.close();
  await service.close();
});

it('1. Who owes us most?', async () => {
  const owed = new Map<string, number>();
  for (const { customer_id, amount_due } of await all('listInvoices', { status: 'issued' }))
    owed.set(customer_id, (owed.get(customer_id) ?? 0) + amount_due);
  const [[id, amount] = ['', 0]] = [...owed].toSorted(([, a], [, b]) => b - a);
  const { data } = await call('getCustomer', { id });
  expect(`${data.company_name}: ${amount}`).toBe('Berger KG: 833');
});

it('2. The same, of a thousand invoices: have the service add them up', async () => {
  const { invoicesAggregate } = await query(
    `{ invoicesAggregate(groupBy: [CUSTOMER], orderBy: { field: AMOUNT_DUE, direction: DESC }, first: 1) {
      customer { companyName } count sums { amountDue } currency } }`,
  );
  expect(invoicesAggregate).toEqual([
    { customer: { companyName: 'Berger KG' }, count: 2, sums: { amountDue: '833' }, currency: 'EUR' },
  ]);
});

it('3. We have a new customer: Dörfler GmbH in Graz, and a project Relaunch for it at 90 an hour', async () => {
  const made = await call('createCustomer', {
    ...customer('Dörfler GmbH'),
    city: 'Graz',
    country: 'AT',
    idempotency_key: 'task-3',
  });
  const project = { name: 'Relaunch', customer_id: made.data.id, hourly_rate_net: 90 };
  const { data } = await call('createProject', project);
  expect(data).toMatchObject({ customer_id: (await find('Dörfler')).id, hourly_rate_net: 90, status: 'active' });
});

it('4. I worked on Relaunch on Monday for 2 hours, and on Tuesday for 90 minutes', async () => {
  const { id: project_id } = (await all('listProjects')).find(({ name }) => name === 'Relaunch');
  const items = [
    { project_id, date: '2026-03-02', duration_minutes: 120 },
    { project_id, date: '2026-03-03', duration_minutes: 90 },
  ];
  const { results } = await call('createManyTimeEntries', { items, atomic: true });
  expect(results.map(({ status }: Json) => status)).toEqual([201, 201]);
});

it('5. Bill the hours of project Relaunch', async () => {
  const { id } = (await all('listProjects')).find(({ name }) => name === 'Relaunch');
  const { data } = await call('graphql_mutation', {
    query:
      'mutation ($id: UUID!) { billProject(projectId: $id, vatRate: "20") { id totalNet totalGross items { quantity } } }',
    variables: { id },
    idempotency_key: 'task-5',
  });
  expect(data.billProject).toMatchObject({ totalNet: '315', totalGross: '378' });
  const issued = await call('issueInvoice', { id: data.billProject.id });
  expect(issued.data).toMatchObject({
    status: 'issued',
    amount_due: 378,
    number: expect.stringMatching(/^\d{4}-\d{4}$/),
  });
});

it('6. Celik has paid', async () => {
  const { id } = await invoiceOf('Celik');
  expect((await call('payInvoice', { id })).data).toMatchObject({ status: 'paid', amount_due: 0 });
});

it('7. We made a mistake: cancel the invoice of Adler', async () => {
  const { id } = await invoiceOf('Adler');
  expect((await call('cancelInvoice', { id })).data).toMatchObject({ status: 'cancelled', amount_due: 0 });
  expect((await call('listCreditNotes', { invoice_id: id })).meta.total).toBe(1);
});

it('8. Send me the PDF of the last invoice', async () => {
  const { data } = await call('listInvoices', { per_page: 1 });
  const { content } = await client.callTool({ name: 'getInvoicePdf', arguments: { id: data[0].id } });
  const [part] = content as Json[];
  const uri = part.uri ?? part.resource.uri;
  expect(uri).toBe(`${service.url}/api/v1/invoices/${data[0].id}/pdf`);
  if (part.resource) expect(Buffer.from(part.resource.blob, 'base64').subarray(0, 5).toString()).toBe('%PDF-');
  else expect(part).toMatchObject({ type: 'resource_link', mimeType: 'application/pdf' });
});

it('9. Book the receipt of Lampe AG over 119, of 1 March', async () => {
  const { data: supplier } = await call('createCustomer', { type: 'supplier', company_name: 'Lampe AG' });
  const draft = { supplier_id: supplier.id, receipt_date: '2026-03-01', amount_gross: '119.00', vat_rate: 19 };
  const { data } = await call('createReceipt', draft);
  expect((await call('bookReceipt', { id: data.id })).data).toMatchObject({ status: 'booked', amount_gross: 119 });
});

it('10. How do we check the signature of a webhook? And what has changed since you began?', async () => {
  const { resources } = await client.listResources();
  const { uri } = resources.find(({ name }) => name === 'webhooks.md')!;
  const { contents } = await client.readResource({ uri });
  expect((contents[0] as { text: string }).text).toContain('HMAC');
  const { data, meta } = await call('listChanges', { resource: 'invoice,customer', limit: 100 });
  expect(meta.has_more).toBe(false);
  expect(
    data
      .map(({ data: { status } }: Json) => status)
      .filter(Boolean)
      .toSorted(),
  ).toEqual(['cancelled', 'issued', 'issued', 'issued', 'paid']);
});
