import { Webhook as StandardWebhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { createWebhook, startReceiver, status, until, work, type Receiver } from './receiver.ts';

let service: Service;
let stop: () => Promise<void>;
let acme: Integrator;
const receivers: Receiver[] = [];

beforeAll(async () => {
  service = await startService();
  ({ stop } = await work(service, { timeoutMs: 3000 }));
});
beforeEach(async () => {
  acme = await service.integrator();
});
afterAll(async () => {
  await stop();
  for (const receiver of receivers) await receiver.close();
  await service.close();
});

async function receive(...answer: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...answer);
  receivers.push(receiver);
  return receiver;
}

async function paidInvoice(): Promise<string> {
  const customer = await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Buyer' });
  const invoice = await acme.rest('POST', '/invoices', {
    customer_id: customer.body.data.id,
    invoice_date: '2026-01-31',
    status: 'paid',
    items: [{ title: 'Work', quantity: 1, unit_price_net: 100, vat_rate: 19 }],
  });
  return invoice.body.data.id as string;
}

const deliveries = async (webhookId: string) =>
  (
    await acme.graphql(
      `query ($webhookId: UUID!) { deliveries(webhookId: $webhookId, first: 10) { nodes {
        id state kind attemptCount event { id type body } attempts { number status error requestHeaders { name value } responseBody } } } }`,
      { webhookId },
    )
  ).deliveries.nodes;

describe('a delivery', () => {
  it('is a POST with the documented headers, the documented body, and a signature that verifies', async () => {
    const receiver = await receive();
    const { id, secret } = await createWebhook(acme, { url: `${receiver.url}/hook?x=1`, events: ['invoice.paid'] });
    const invoiceId = await paidInvoice();
    await until(() => receiver.requests.length === 1, 'the delivery');
    const [{ path, headers, body } = { path: '', headers: {}, body: '' }] = receiver.requests;

    expect(path).toBe('/hook?x=1');
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'service-webhook/1.0',
      'x-service-event': 'invoice.paid',
      'x-service-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
      'x-service-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-service-attempt': '1',
    });
    const invoice = (await acme.rest('GET', `/invoices/${invoiceId}`)).text;
    expect(body).toMatch(
      /^\{"event":"invoice\.paid","tenant_id":"[0-9a-f-]{36}","created_at":"[^"]+\+00:00","data":\{"invoice":/,
    );
    expect(JSON.parse(body)).toEqual({
      event: 'invoice.paid',
      tenant_id: acme.tenantId,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      data: { invoice: JSON.parse(invoice).data },
    });
    // To the byte: REST's own text, between the event's braces.
    expect(body).toContain(invoice.slice('{"data":'.length, -1));
    expect(() => new StandardWebhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();

    await until(async () => (await deliveries(id))[0].state === 'DELIVERED', 'the log');
    expect(await deliveries(id)).toEqual([
      {
        id: headers['x-service-delivery' as never],
        state: 'DELIVERED',
        kind: 'EVENT',
        attemptCount: 1,
        event: { id: headers['webhook-id' as never], type: 'invoice.paid', body },
        attempts: [{ number: 1, status: 200, error: null, requestHeaders: expect.any(Array), responseBody: 'ok' }],
      },
    ]);
  });

  it('goes to each webhook that selected the event or all events', async () => {
    const [paid, all, other] = await Promise.all([receive(), receive(), receive()]);
    await createWebhook(acme, { url: paid.url, events: ['invoice.paid', 'invoice.issued'] });
    await createWebhook(acme, { url: all.url });
    await createWebhook(acme, { url: other.url, events: ['customer.deleted'] });
    await paidInvoice();
    await until(() => all.requests.length === 6 && paid.requests.length === 2, 'the deliveries');
    const events = (receiver: Receiver): unknown[] =>
      receiver.requests.map(({ headers }) => headers['x-service-event']).toSorted();
    expect(events(all)).toEqual([
      'customer.created',
      'invoice.created',
      'invoice.issued',
      'invoice.paid',
      'invoice.payment_recorded',
      'payment.recorded',
    ]);
    expect(events(paid)).toEqual(['invoice.issued', 'invoice.paid']);
    expect(other.requests).toEqual([]);
  });

  it('is retried at most 5 times unless answered 2xx, with the same id and bytes and a counted attempt', async () => {
    const receiver = await receive(status(500));
    const { id } = await createWebhook(acme, { url: receiver.url, events: ['customer.created'] });
    await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Buyer' });
    await until(async () => (await deliveries(id))[0]?.state === 'FAILED', 'the failure');
    expect(receiver.requests.map(({ headers }) => headers['x-service-attempt'])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
    ]);
    expect(new Set(receiver.requests.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
    const [{ attempts }] = await deliveries(id);
    expect(attempts.map((attempt: { status: number }) => attempt.status)).toEqual([500, 500, 500, 500, 500, 500]);
  });

  it.each([200, 201, 202, 204, 299])('succeeds when answered %i', async (code) => {
    const receiver = await receive(status(code));
    const { id } = await createWebhook(acme, { url: receiver.url, events: ['customer.created'] });
    await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Buyer' });
    await until(async () => (await deliveries(id))[0]?.state === 'DELIVERED', 'the delivery');
    expect(receiver.requests).toHaveLength(1);
  });

  it('follows no redirect, and is retried', async () => {
    const target = await receive();
    const receiver = await receive((response, _request, index) => {
      if (index === 0) response.writeHead(307, { location: target.url }).end();
      else response.end();
    });
    const { id } = await createWebhook(acme, { url: receiver.url, events: ['customer.created'] });
    await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Buyer' });
    await until(async () => (await deliveries(id))[0]?.state === 'DELIVERED', 'the delivery');
    expect(receiver.requests).toHaveLength(2);
    expect(target.requests).toEqual([]);
  });

  it('that times out fails, with the reason in the delivery log', async () => {
    const receiver = await receive((response, _request, index) => {
      if (index > 0) response.end();
    });
    const { id } = await createWebhook(acme, { url: receiver.url, events: ['customer.created'] });
    await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Buyer' });
    await until(async () => (await deliveries(id))[0]?.state === 'DELIVERED', 'the second attempt');
    const [{ attempts }] = await deliveries(id);
    expect(attempts).toMatchObject([
      { number: 1, status: null, error: expect.stringContaining('timed out') },
      { number: 2, status: 200, error: null },
    ]);
  });

  it('is not made for a change that is rolled back', async () => {
    const receiver = await receive();
    await createWebhook(acme, { url: receiver.url });
    const refused = await acme.rest('POST', '/customers', { type: 'customer' });
    expect(refused.status).toBe(422);
    const customer = await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Buyer' });
    await until(() => receiver.requests.length > 0, 'the delivery');
    expect(receiver.requests.map(({ body }) => JSON.parse(body).data.customer.id)).toEqual([customer.body.data.id]);
  });
});

describe('webhook.ping', () => {
  it('is sent with the message pong, also to an inactive webhook and to one for other events', async () => {
    const receiver = await receive();
    const { id } = await createWebhook(acme, { url: receiver.url, events: ['invoice.paid'] });
    await acme.graphql('mutation ($id: UUID!) { updateWebhook(id: $id, input: { active: false }) { id } }', { id });
    await acme.graphql('mutation ($id: UUID!) { pingWebhook(id: $id) { id } }', { id });
    await until(() => receiver.requests.length === 1, 'the ping');
    expect(receiver.requests[0]?.headers['x-service-event']).toBe('webhook.ping');
    expect(JSON.parse(receiver.requests[0]?.body ?? '')).toEqual({
      event: 'webhook.ping',
      tenant_id: acme.tenantId,
      created_at: expect.any(String),
      data: { message: 'pong' },
    });
  });
});
