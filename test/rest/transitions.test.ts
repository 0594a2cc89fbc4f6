import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../rest-shim/routes.ts';
import { eventsDuring, makeBankTransaction, makeCreditNote, makeInvoice, makeReceipt } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { samples } from '../resources.ts';
import * as sample from './samples.ts';
import { invalidFields, refusal } from './samples.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

const read = async (path: string) => (await acme.rest('GET', path)).body.data;
const issued = () => makeInvoice(acme, { status: 'ISSUED' });
const booked = () => makeReceipt(acme, { status: 'BOOKED' });

/** Every transition, with a row that allows it and what the resource is like afterwards. */
const transitions = [
  ['invoices', 'issue', () => makeInvoice(acme), { status: 'issued', number: expect.stringMatching(/^2026-\d{4}$/) }],
  ['invoices', 'cancel', issued, { status: 'cancelled', amount_due: 0 }],
  ['invoices', 'payments', issued, { status: 'paid', amount_paid: 119, amount_due: 0 }],
  ['credit-notes', 'refunds', () => makeCreditNote(acme), { amount_refunded: 119, amount_due: 0 }],
  ['receipts', 'book', () => makeReceipt(acme), { status: 'booked' }],
  ['receipts', 'payments', booked, { status: 'paid', paid_at: sample.aTime }],
] as const;

it('this file has every transition', () => {
  const paths = transitions.map(([collection, transition]) => `/${collection}/:id/${transition}`);
  // These answer other bodies: settlement/pay.test.ts, payments/ledger.test.ts, receipts/reversal.test.ts, webhooks.test.ts, deliveries.test.ts, bulk/, attachments/
  const others = [
    '/customers/:id/credit-refunds',
    '/receipts/:id/attachments',
    '/receipts/:id/reverse',
    '/payments/:id/reverse',
    '/webhooks/:id/rotate-secret',
    '/webhooks/:id/ping',
    '/deliveries/:id/redeliver',
    '/bulk-operations/:id/cancel',
    '/exports/:id/cancel',
    '/test-helpers/webhooks/:id/failures',
    '/test-tenants/:id/reset',
  ];
  expect([...paths, ...others].toSorted()).toEqual(
    routes
      .filter(([method, path]) => method === 'POST' && path.includes(':id/'))
      .map(([, path]) => path)
      .toSorted(),
  );
});

describe('a transition', () => {
  it.each(transitions)(
    'POST /%s/{id}/%s answers 200 with the resource',
    async (collection, transition, make, after) => {
      const id = await make();
      const answer = await acme.rest('POST', `/${collection}/${id}/${transition}`);
      expect(answer).toMatchObject({ status: 200, body: { data: { id, ...after } } });
      expect(answer.headers.get('location')).toBeNull();
      const { warnings: _, ...body } = answer.body;
      expect(body).toEqual({ data: await read(`/${collection}/${id}`) });
    },
  );

  it.each(transitions)('POST /%s/{id}/%s takes an empty object as no body', async (collection, transition, make) => {
    const path = `/${collection}/${await make()}/${transition}`;
    expect(invalidFields(await acme.rest('POST', path, []))).toEqual(['body']);
    expect(invalidFields(await acme.rest('POST', path, { status: 'paid' }))).toEqual(['status']);
    refusal(await acme.rest('POST', path, 'x', { 'content-type': 'text/plain' }), 415);
    expect((await acme.rest('POST', path, {})).status).toBe(200);
  });

  it.each(transitions)(
    'POST /%s/{id}/%s is done once for each Idempotency-Key',
    async (collection, transition, make) => {
      const path = `/${collection}/${await make()}/${transition}`;
      const headers = { 'idempotency-key': randomUUID() };
      const [first, ...others] = await Promise.all([1, 2, 3].map(() => acme.rest('POST', path, {}, headers)));
      expect(first!.status).toBe(200);
      for (const other of others) expect(other.text).toBe(first!.text);
      expect(others.some(({ headers: sent }) => sent.get('idempotent-replayed') === 'true')).toBe(true);
      expect(invalidFields(await acme.rest('POST', path, {}))).toEqual(['status']);
    },
  );
});

describe('POST /invoices/{id}/payments and /receipts/{id}/payments', () => {
  it.each([
    ['invoices', issued],
    ['receipts', booked],
  ] as const)('/%s: take an amount and a day, as a number or as text', async (collection, make) => {
    const id = await make();
    const path = `/${collection}/${id}/payments`;
    const pay = (body: object) => acme.rest('POST', path, body);
    const one = collection === 'invoices' ? 'invoice' : 'receipt';
    const types = (
      await eventsDuring(service, acme, async () => {
        expect((await pay({ amount: 19.5, paid_on: '2026-03-05' })).status).toBe(200);
        expect((await pay({ amount: '0.1' })).status).toBe(200);
        expect((await pay({ amount: null })).status).toBe(200);
      })
    ).map(({ type }) => type);
    expect(types).toEqual([
      `${one}.payment_recorded`,
      'payment.recorded',
      `${one}.payment_recorded`,
      'payment.recorded',
      `${one}.payment_recorded`,
      `${one}.paid`,
      'payment.recorded',
    ]);
    const { row } = await acme.graphql(`{ row: ${one}(id: "${id}") { payments { nodes { amount paidOn } } } }`);
    expect(row.payments.nodes).toEqual([
      { amount: '99.4', paidOn: expect.any(String) },
      { amount: '0.1', paidOn: expect.any(String) },
      { amount: '19.5', paidOn: '2026-03-05' },
    ]);
    expect((await read(`/${collection}/${id}`)).status).toBe('paid');
  });

  it('name every wrong field as the request does', async () => {
    const path = `/invoices/${await issued()}/payments`;
    expect(invalidFields(await acme.rest('POST', path, { amount: 'x', paid_on: '2026-02-30', paidOn: 1 }))).toEqual([
      'amount',
      'paidOn',
      'paid_on',
    ]);
    for (const amount of [0, -1, 119.01, 0.001, 1e15])
      expect([amount, invalidFields(await acme.rest('POST', path, { amount }))]).toEqual([amount, ['amount']]);
    expect(await acme.db.payment.count({ where: { invoiceId: path.split('/')[2]! } })).toBe(0);
  });

  it('of 20 payments at once that pay all, one is recorded', async () => {
    const path = `/invoices/${await issued()}/payments`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => acme.rest('POST', path)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(19);
  });
});

describe('what REST v1 rules out', () => {
  const denied = async (method: string, path: string, allow: string) => {
    const answer = await acme.rest(method, path, {});
    refusal(answer, 405);
    expect([path, answer.headers.get('allow')]).toEqual([path, allow]);
  };

  it('an invoice can’t be changed', async () => {
    for (const method of ['PATCH', 'PUT'])
      await denied(method, `/invoices/${await makeInvoice(acme)}`, 'GET, HEAD, DELETE, OPTIONS');
    expect(routes.filter(([method, path]) => method === 'PATCH' && path.startsWith('/invoices'))).toEqual([]);
  });

  it('bank transactions are read only', async () => {
    const id = await makeBankTransaction(acme);
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE']) {
      await denied(method, '/bank-transactions', 'GET, HEAD, OPTIONS');
      await denied(method, `/bank-transactions/${id}`, 'GET, HEAD, OPTIONS');
    }
    expect(routes.filter(([method, path]) => method !== 'GET' && path.startsWith('/bank-transactions'))).toEqual([]);
  });

  it('the event log is read only', async () => {
    for (const method of ['POST', 'PATCH', 'DELETE']) await denied(method, '/events', 'GET, HEAD, OPTIONS');
  });

  it('a transition can’t be read, and nothing is below it', async () => {
    const id = await samples.Invoice.make(acme);
    for (const method of ['GET', 'HEAD', 'PATCH', 'DELETE']) {
      const answer = await acme.rest(method, `/invoices/${id}/issue`, method === 'PATCH' ? {} : undefined);
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'POST, OPTIONS']);
    }
    for (const path of [`/invoices/${id}/book`, `/invoices/${id}/issue/now`, `/receipts/${id}/issue`])
      refusal(await acme.rest('POST', path), 404);
  });
});
