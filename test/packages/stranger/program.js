import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  etagOf,
  Kontor,
  NotFoundError,
  PreconditionFailedError,
  ValidationError,
  verifyWebhook,
  warningsOf,
  WebhookVerificationError,
} from '@kontor/sdk';

// A program as somebody writes it who has only /docs and the package. It takes an address and a token, and ends with 0 if each
// answer is what it relies on.

const baseUrl = process.env.KONTOR ?? '';
const kontor = new Kontor({ baseUrl, token: process.env.TOKEN ?? '' });
assert.equal((await kontor.me()).tenant.name, 'Acme');

// A receiver of webhooks.
let secret = '';
const events = [];
const receiver = createServer(async (request, response) => {
  try {
    const body = await buffer(request);
    const event = await verifyWebhook(body, request.headers, secret);
    await assert.rejects(verifyWebhook(`${body} `, request.headers, secret), WebhookVerificationError);
    await assert.rejects(verifyWebhook(body, request.headers, 'whsec_b3RoZXI='), WebhookVerificationError);
    events.push(event);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
const url = `http://127.0.0.1:${receiver.address().port}/kontor`;
const webhook = await kontor.webhooks.create({ url, events: ['invoice.issued', 'invoice.paid'] });
({ secret } = webhook);

// Customers: created once for one key, read, changed, and refused.
const sunny = { type: 'customer', company_name: 'Bäckerei Sonnenschein GmbH', country: 'DE' };
const customer = await kontor.customers.create(sunny, { idempotencyKey: 'order-4711' });
assert.equal((await kontor.customers.create(sunny, { idempotencyKey: 'order-4711' })).id, customer.id);
const read = await kontor.customers.get(customer.id);
assert.deepEqual([read.company_name, read.country, read.city], ['Bäckerei Sonnenschein GmbH', 'DE', null]);
await kontor.customers.update(customer.id, { city: 'Köln' }, { ifMatch: etagOf(read) });
await assert.rejects(kontor.customers.update(customer.id, { city: 'Ulm' }, { ifMatch: etagOf(read) }), (error) => {
  assert.ok(error instanceof PreconditionFailedError);
  assert.equal(error.current.city, 'Köln');
  return true;
});
await assert.rejects(kontor.customers.create({ type: 'customer', company_name: '' }), (error) => {
  assert.ok(error instanceof ValidationError);
  assert.equal(error.status, 422);
  assert.deepEqual(
    error.details.map(({ field, code }) => [field, code]),
    [['company_name', 'required']],
  );
  return true;
});
await assert.rejects(kontor.customers.get(crypto.randomUUID()), NotFoundError);

// An invoice: a draft, issued, paid in two parts, and its documents.
const invoice = await kontor.invoices.create({
  customer_id: customer.id,
  invoice_date: '2026-01-31',
  items: [{ title: 'Layout', quantity: '4.5', unit: 'h', unit_price_net: '85', vat_rate: '19' }],
});
assert.deepEqual([invoice.status, invoice.number, invoice.total_gross], ['draft', null, 455.18]);
const issued = await kontor.invoices.issue(invoice.id);
assert.equal(issued.status, 'issued');
assert.match(issued.number, /^2026-\d{4}$/);
assert.ok(warningsOf(issued).every(({ code, message }) => code && message));
const part = await kontor.invoices.pay(invoice.id, { amount: '55.18', paid_on: '2026-02-10' });
assert.deepEqual([part.status, part.amount_due], ['issued', 400]);
const paid = await kontor.invoices.pay(invoice.id, { paid_on: '2026-02-11' });
assert.deepEqual([paid.status, paid.amount_due], ['paid', 0]);
await assert.rejects(kontor.invoices.delete(invoice.id));
const pdf = await kontor.invoices.getPdf(invoice.id);
assert.equal(await pdf.slice(0, 5).text(), '%PDF-');

// The events, in their order.
const seen = [];
for await (const { resource, action, data } of kontor.changes.follow({ signal: AbortSignal.timeout(60_000) })) {
  if (resource !== 'invoice') continue;
  seen.push(action);
  if (data?.status === 'paid') break;
}
assert.ok(seen.length > 0);
const { meta } = await kontor.changes.list({ since: 'now' });
await kontor.customers.update(customer.id, { city: 'Bonn' });
const later = await kontor.changes.list({ since: meta.cursor, wait: 30 });
assert.deepEqual(
  later.data.map(({ resource, id, data }) => [resource, id, data.city]),
  [['customer', customer.id, 'Bonn']],
);

// Many at once.
const projects = ['Website', '', 'Catalogue'].map((name) => ({ name, customer_id: customer.id }));
const run = kontor.bulkOperations.run('projects', 'create', projects);
const statuses = [];
for await (const { line, status } of run) statuses[line - 1] = status;
assert.deepEqual(statuses, [201, 422, 201]);
assert.equal((await run).succeeded_lines, 2);
const names = [];
for await (const { name } of kontor.projects.list({ per_page: 1 })) names.push(name);
assert.deepEqual(names.toSorted(), ['Catalogue', 'Website']);
const page = await kontor.customers.list({ q: 'bäckerei', per_page: 10 });
assert.deepEqual([page.data.length, page.meta.total], [1, 1]);
const { data } = await kontor.request('GET', '/customers', { query: { q: 'Sonnenschein' } });
assert.equal(data.length, 1);

// A file of them.
const { id: exported, rows } = await kontor.exports.run({ type: 'list', resource: 'projects' });
assert.equal(rows, 2);
let file = '';
for await (const bytes of kontor.exports.readFile(exported)) file += Buffer.from(bytes).toString();
assert.match(file, /Catalogue/);

// In a test tenant, a bank pays, and time passes.
const { id: testId, token } = await kontor.testTenants.create({ name: 'Tests' });
const test = new Kontor({ baseUrl, token });
const tested = await test.customers.create(sunny);
const due = await test.invoices.create({
  customer_id: tested.id,
  invoice_date: '2026-01-31',
  status: 'issued',
  items: [{ title: 'Layout', quantity: 1, unit_price_net: 100, vat_rate: 19 }],
});
await test.testHelpers.simulateBankTransaction({ invoice_id: due.id });
assert.equal((await test.invoices.get(due.id)).status, 'paid');
const { now } = await test.testClock.get();
const tomorrow = new Date(Date.parse(now) + 86_400_000).toISOString();
assert.ok(Date.parse((await test.testClock.set({ now: tomorrow })).now) >= Date.parse(tomorrow) - 1000);
await kontor.testTenants.delete(testId);

// Both events have come, signed.
const types = () => events.map(({ event }) => event).toSorted();
for (let tries = 0; tries < 300 && types().length < 2; tries += 1) await new Promise((done) => setTimeout(done, 100));
assert.deepEqual(types(), ['invoice.issued', 'invoice.paid']);
for (const { event, data: of } of events) assert.deepEqual([event, of.invoice.number], [event, issued.number]);
await kontor.webhooks.delete(webhook.id);
receiver.closeAllConnections();
receiver.close();
process.stdout.write('done\n');
