import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { create, refusal } from './samples.ts';

let service: Service;
let acme: Integrator;
let customerId: string;

beforeAll(async () => {
  service = await startService();
  service.clock.now = new Date('2026-03-10T12:00:00Z');
  acme = await service.integrator();
  customerId = (await create(acme, '/customers', sample.customer)).id;
});
afterAll(() => service.close());

type Fields = Record<string, unknown>;

/** An issued invoice, as REST answers it. */
const issued = (items: object[] = [sample.item], more: Fields = {}) =>
  create(acme, '/invoices', { ...sample.invoice(customerId), items, status: 'issued', ...more });
const credit = (invoice: { id: string }, more: Fields = {}) =>
  create(acme, '/credit-notes', { invoice_id: invoice.id, ...more });
const get = async (path: string) => (await acme.rest('GET', path)).body.data;
const invoiceNow = ({ id }: { id: string }) => get(`/invoices/${id}`);
const refused = async (invoice: { id: string }, more: Fields) =>
  refusal(await acme.rest('POST', '/credit-notes', { invoice_id: invoice.id, ...more }), 422);

/** One hundred, at this rate. */
const line = (vatRate: number, more: Fields = {}) => ({ ...sample.item, vat_rate: vatRate, ...more });

describe('POST /credit-notes', () => {
  it('answers 201 with the whole credit note: of all of the invoice, of which nothing is due then', async () => {
    const invoice = await issued([line(19, { quantity: 2, unit: 'h', description: 'x', discount_percent: 50 })]);
    const { status, headers, body } = await acme.rest('POST', '/credit-notes', { invoice_id: invoice.id });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${service.url}/api/v1/credit-notes/${body.data.id}`);
    const { id: invoiceItemId, ...credited } = invoice.items[0];
    expect(body).toEqual({
      data: {
        id: sample.anId,
        number: 'CN-2026-0001',
        invoice_id: invoice.id,
        invoice_number: invoice.number,
        customer_id: customerId,
        credit_note_date: '2026-03-10',
        reason: null,
        is_cancellation: false,
        currency: 'EUR',
        items: [{ ...credited, id: sample.anId, invoice_item_id: invoiceItemId }],
        total_net: 100,
        total_vat: 19,
        total_gross: 119,
        vat_breakdown: [{ vat_rate: 19, net: 100, vat: 19 }],
        amount_refunded: 0,
        amount_due: 0,
        exchange_rate: null,
        exchange_rate_date: null,
        exchange_rate_source: null,
        exchange_currency: null,
        external_id: null,
        metadata: {},
        created_at: sample.aTime,
        updated_at: sample.aTime,
      },
      warnings: [],
    });
    expect((await acme.rest('GET', `/credit-notes/${body.data.id}`)).body).toEqual({ data: body.data });
    expect(await invoiceNow(invoice)).toEqual({
      ...invoice,
      status: 'paid',
      amount_credited: 119,
      amount_due: 0,
      paid_at: sample.aTime,
      updated_at: sample.aTime,
    });
  });

  it('quantities of lines: what is left can be credited later, and is due until then', async () => {
    const invoice = await issued([line(19, { quantity: 3 }), line(7)]);
    const [first, second] = invoice.items;
    const items = [
      { invoice_item_id: second.id, quantity: 0.5 },
      { invoice_item_id: first.id, quantity: 1 },
    ];
    expect(await credit(invoice, { items, reason: 'Returned' })).toMatchObject({
      reason: 'Returned',
      items: [
        { invoice_item_id: second.id, position: 1, quantity: 0.5, line_total_net: 50 },
        { invoice_item_id: first.id, position: 2, quantity: 1, line_total_net: 100 },
      ],
      total_net: 150,
      total_vat: 22.5,
      vat_breakdown: [
        { vat_rate: 7, net: 50, vat: 3.5 },
        { vat_rate: 19, net: 100, vat: 19 },
      ],
    });
    expect(await invoiceNow(invoice)).toMatchObject({ status: 'issued', amount_credited: 172.5, amount_due: 291.5 });
    expect(await credit(invoice)).toMatchObject({ total_net: 250, total_vat: 41.5, total_gross: 291.5 });
    expect(await invoiceNow(invoice)).toMatchObject({ status: 'paid', amount_credited: 464, amount_due: 0 });
    expect(await refused(invoice, {})).toEqual({ invoice_id: ['Nothing is left of this invoice.'] });
  });

  it('pieces together are exactly the invoice, and its rest has the VAT of its net', async () => {
    const invoice = await issued([line(19, { quantity: 3, unit_price_net: 0.335 })]); // 1.01 net, 0.19 VAT
    const items = [{ invoice_item_id: invoice.items[0].id, quantity: 1 }];
    const pieces = [
      await credit(invoice, { items }),
      await credit(invoice, { items }),
      await credit(invoice, { items }),
    ];
    expect(pieces.map(({ total_net: net, total_vat: vat }) => [net, vat])).toEqual([
      [0.34, 0.06], // 0.67 is left, with a VAT of 0.13
      [0.33, 0.07], // 0.34, 0.06
      [0.34, 0.06],
    ]);
    expect(await invoiceNow(invoice)).toMatchObject({ total_gross: 1.2, amount_credited: 1.2, amount_due: 0 });
  });

  it.each(['', ' \t '])(
    'an amount with an empty reason, "%s", has the title of one without a reason',
    async (reason) => {
      const invoice = await issued();
      const amounts = [{ vat_rate: 19, net: 10 }];
      const { items } = await credit(invoice, { amounts });
      expect(items[0].title).not.toBe('');
      expect(await credit(invoice, { amounts, reason })).toMatchObject({
        reason: '',
        items: [{ title: items[0].title }],
      });
      // So has the rest of the invoice.
      expect(await credit(invoice, { reason })).toMatchObject({ items: [{ title: items[0].title }] });
    },
  );

  it('net amounts of VAT rates make a line each, with the reason as its title', async () => {
    const invoice = await issued([line(19), line(0, { vat_category: 'E', exemption_reason: 'x' }), line(0)]);
    const amounts = [
      { vat_rate: 19, net: 10.01 },
      { vat_rate: 0, vat_category: 'E', net: 5 },
    ];
    const amountLine = { invoice_item_id: null, title: 'Discount', quantity: 1, unit: null, unit_code: 'C62' };
    expect(await credit(invoice, { amounts, reason: 'Discount' })).toMatchObject({
      items: [
        { ...amountLine, unit_price_net: 10.01, line_total_net: 10.01, vat_category: 'S', exemption_reason: null },
        { ...amountLine, unit_price_net: 5, line_total_net: 5, vat_category: 'E', exemption_reason: 'x' },
      ],
      vat_breakdown: [
        { vat_rate: 0, net: 5, vat: 0 },
        { vat_rate: 19, net: 10.01, vat: 1.9 },
      ],
      total_gross: 16.91,
    });
    // The rest: by line where only lines were credited, else as an amount.
    const rest = await credit(invoice);
    expect(rest.items).toMatchObject([
      { invoice_item_id: invoice.items[2].id, line_total_net: 100 },
      { invoice_item_id: null, title: 'Rechnungskorrektur', vat_category: 'E', line_total_net: 95 },
      { invoice_item_id: null, title: 'Rechnungskorrektur', vat_category: 'S', line_total_net: 89.99 },
    ]);
    expect(await invoiceNow(invoice)).toMatchObject({ amount_credited: invoice.total_gross });
  });

  it('a deduction is credited with the lines that it reduces', async () => {
    const invoice = await issued([line(19), line(19, { quantity: -1, unit_price_net: 20 })]); // 80 net
    const [whole, deduction] = invoice.items;
    expect(await refused(invoice, { items: [{ invoice_item_id: whole.id, quantity: 1 }] })).toEqual({
      body: [
        'At 19 %, must not be more than the 80 EUR net left.',
        'Must not be more than the 95.2 EUR left of the invoice.',
      ],
    });
    expect(await refused(invoice, { items: [{ invoice_item_id: deduction.id, quantity: -1 }] })).toEqual({
      body: [
        "At 19 %, a deduction can't be credited without the lines that it reduces.",
        "The credit note's total must be more than zero.",
      ],
    });
    const items = [
      { invoice_item_id: whole.id, quantity: 0.5 },
      { invoice_item_id: deduction.id, quantity: -0.5 },
    ];
    expect(await credit(invoice, { items })).toMatchObject({ total_net: 40, total_gross: 47.6 });
  });

  it('lines and amounts count against the same net sum', async () => {
    const invoice = await issued([line(19, { quantity: 10, unit_price_net: 10 })]);
    const [{ id }] = invoice.items;
    await credit(invoice, { amounts: [{ vat_rate: 19, net: 30 }], items: [{ invoice_item_id: id, quantity: 5 }] });
    expect(await refused(invoice, { items: [{ invoice_item_id: id, quantity: 3 }] })).toHaveProperty('body');
    expect(await refused(invoice, { amounts: [{ vat_rate: 19, net: 20.01 }] })).toEqual({
      'amounts.0.net': ['Must not be more than the 20 EUR left.'],
    });
    expect(await credit(invoice, { items: [{ invoice_item_id: id, quantity: 2 }] })).toMatchObject({ total_net: 20 });
    expect(await refused(invoice, { items: [{ invoice_item_id: id, quantity: 1 }] })).toEqual({
      invoice_id: ['Nothing is left of this invoice.'],
    });
  });

  it('an invoice of zero can be credited once, as a whole', async () => {
    const invoice = await issued([line(19), line(0, { unit_price_net: -119 })]);
    expect(invoice).toMatchObject({ status: 'paid', total_gross: 0 });
    const [{ id }, { id: deduction }] = invoice.items;
    expect(await refused(invoice, { items: [{ invoice_item_id: id, quantity: 1 }] })).toHaveProperty('body');
    const half = [
      { invoice_item_id: id, quantity: 0.5 },
      { invoice_item_id: deduction, quantity: 0.5 },
    ];
    expect(await refused(invoice, { items: half })).toEqual({
      body: ["The credit note's total must be more than zero."],
    });
    expect(await credit(invoice)).toMatchObject({ total_net: -19, total_vat: 19, total_gross: 0 });
    expect(await refused(invoice, {})).toEqual({ invoice_id: ['Nothing is left of this invoice.'] });
  });

  it('so can an invoice whose lines cost nothing', async () => {
    const invoice = await issued([line(19, { unit_price_net: 0 })]);
    expect(await credit(invoice)).toMatchObject({ items: [{ quantity: 1 }], total_gross: 0 });
    expect(await refused(invoice, {})).toEqual({ invoice_id: ['Nothing is left of this invoice.'] });
  });

  it('refuses what is not allowed, all of it at once', async () => {
    const invoice = await issued([line(19, { quantity: 2 }), line(0, { vat_category: 'G' }), line(0)]);
    const [{ id }] = invoice.items;
    expect(await refused({ id: sample.unknownId }, { items: [] })).toEqual({
      invoice_id: ['There is no such invoice.'],
      items: ['Must have 1 to 500 items.'],
    });
    const items = [
      { invoice_item_id: id, quantity: 3 },
      { invoice_item_id: id, quantity: -1 },
      { invoice_item_id: sample.unknownId, quantity: 1 },
      { invoice_item_id: id, quantity: 0 },
    ];
    const amounts = [
      { vat_rate: 19, net: 1.001 },
      { vat_rate: 19, net: -1 },
      { vat_rate: 7, net: 1 },
      { vat_rate: 0, net: 1 },
      { vat_rate: 0, vat_category: 'K', net: 1 },
      { vat_rate: 0, vat_category: 'Z', net: 101 },
    ];
    expect(await refused(invoice, { credit_note_date: '2026-02-28', items, amounts })).toEqual({
      credit_note_date: ['Must not be before the invoice date.'],
      'items.0.quantity': ['Must not be more than the 2 left of this line.'],
      'items.1.invoice_item_id': ['An earlier item has the same line.'],
      'items.1.quantity': ['Must be positive, as the line is.'],
      'items.2.invoice_item_id': ['The invoice has no such line.'],
      'items.3.invoice_item_id': ['An earlier item has the same line.'],
      'items.3.quantity': ['Must not be zero.'],
      'amounts.0.net': ['Must not have more than 2 decimals in this currency.'],
      'amounts.1.vat_rate': ['An earlier amount has the same rate and category.'],
      'amounts.1.net': ['Must be more than zero.'],
      'amounts.2.vat_rate': ['The invoice has no line with this rate.'],
      'amounts.3.vat_category': ['Required: the invoice has several with this rate.'],
      'amounts.4.vat_rate': ['The invoice has no line with this rate and category.'],
      'amounts.5.net': ['Must not be more than the 100 EUR left.'],
    });
    const only = 'Only an issued or paid invoice can be credited.';
    const draft = await issued([sample.item], { status: 'draft' });
    expect(await refused(draft, {})).toEqual({ invoice_id: [only] });
  });

  it('numbers follow each other within the year of the date, which is not before the invoice', async () => {
    const ofDate = async (date?: string, invoiceDate = '2024-12-31') =>
      (
        await credit(await issued([sample.item], { invoice_date: invoiceDate, due_date: '9999-12-31' }), {
          ...(date && { credit_note_date: date }),
        })
      ).number;
    expect([await ofDate('2025-01-01'), await ofDate('2024-12-31'), await ofDate('2025-12-31')]).toEqual([
      'CN-2025-0001',
      'CN-2024-0001',
      'CN-2025-0002',
    ]);
    const year = new Date().getUTCFullYear() + 1;
    expect(await ofDate(undefined, `${year}-01-01`)).toBe(`CN-${year}-0001`);
  });
});

describe('the balance of an invoice', () => {
  it('what was paid of the credited amount is to be refunded, and at most that', async () => {
    const invoice = await issued();
    await acme.rest('POST', `/invoices/${invoice.id}/payments`, { amount: 100 });
    const first = await credit(invoice, { amounts: [{ vat_rate: 19, net: 50 }] }); // 59.50
    expect(first.amount_due).toBe(40.5);
    expect(await invoiceNow(invoice)).toMatchObject({ status: 'paid', amount_paid: 100, amount_due: 0 });
    const second = await credit(invoice);
    expect(second).toMatchObject({ total_gross: 59.5, amount_due: 59.5 });
    expect((await get(`/credit-notes/${first.id}`)).amount_due).toBe(59.5);
    const { invoice: shown } = await acme.graphql(
      `{ invoice(id: "${invoice.id}") { amountToRefund creditNotes { nodes { id } } } }`,
    );
    expect(shown).toEqual({ amountToRefund: '100', creditNotes: { nodes: [{ id: second.id }, { id: first.id }] } });
  });

  it('a payment is at most what is left, and an undone payment is due again only as far as it is', async () => {
    const invoice = await issued();
    await credit(invoice, { amounts: [{ vat_rate: 19, net: 50 }] });
    const tooMuch = await acme.rest('POST', `/invoices/${invoice.id}/payments`, { amount: 59.51 });
    expect(refusal(tooMuch, 422)).toEqual({ amount: ['Must not be more than the 59.5 EUR due.'] });
    await acme.rest('POST', `/invoices/${invoice.id}/payments`, { amount: 9.5 });
    await acme.rest('POST', `/invoices/${invoice.id}/payments`);
    const undo = async (amount: string) => {
      const { invoice: paid } = await acme.graphql(
        `{ invoice(id: "${invoice.id}") { payments { nodes { id amount } } } }`,
      );
      const { id } = paid.payments.nodes.find((payment: { amount: string }) => payment.amount === amount);
      await acme.graphql(`mutation { reversePayment(id: "${id}", reason: "Wrong") { id } }`);
    };
    expect(await invoiceNow(invoice)).toMatchObject({ status: 'paid', amount_paid: 59.5, amount_due: 0 });
    await credit(invoice, { amounts: [{ vat_rate: 19, net: 8.4 }] }); // 10.00
    await undo('9.5');
    expect(await invoiceNow(invoice)).toMatchObject({ status: 'paid', amount_paid: 50, amount_due: 0 });
    await undo('50');
    expect(await invoiceNow(invoice)).toMatchObject({ status: 'issued', amount_due: 49.5, paid_at: null });
  });

  it('an invoice that is credited as a whole stays paid when its payment is undone: nothing is due again', async () => {
    const invoice = await issued([sample.item], { status: 'paid' });
    const { amount_due: toRefund } = await credit(invoice);
    expect(toRefund).toBe(119);
    const { invoice: paid } = await acme.graphql(`{ invoice(id: "${invoice.id}") { payments { nodes { id } } } }`);
    const [{ id }] = paid.payments.nodes;
    expect((await acme.rest('POST', `/payments/${id}/reverse`, { reason: 'Wrong' })).status).toBe(200);
    expect(await invoiceNow(invoice)).toMatchObject({
      status: 'paid',
      amount_paid: 0,
      amount_due: 0,
      paid_at: sample.aTime,
    });
  });

  it('a refund is at most what is to be refunded, and can be undone', async () => {
    const invoice = await issued([sample.item], { status: 'paid' });
    const { id } = await credit(invoice, { amounts: [{ vat_rate: 19, net: 50 }] });
    const refund = (body: object) => acme.rest('POST', `/credit-notes/${id}/refunds`, body);
    const { body } = await refund({ amount: 9.5, paid_on: '2026-03-05' });
    expect(body.data).toMatchObject({ amount_refunded: 9.5, amount_due: 50 });
    expect(await invoiceNow(invoice)).toMatchObject({ status: 'paid', amount_refunded: 9.5, amount_due: 0 });
    expect(refusal(await refund({ amount: 50.01 }), 422)).toEqual({
      amount: ['Must not be more than the 50 EUR due.'],
    });
    expect(refusal(await refund({ amount: 0.001 }), 422)).toHaveProperty('amount');
    expect(refusal(await refund({ amount: 0 }), 422)).toEqual({ amount: ['Must be more than zero.'] });
    expect((await refund({})).body.data).toMatchObject({ amount_refunded: 59.5, amount_due: 0 });
    expect(refusal(await refund({}), 422)).toEqual({ status: ['Nothing is to be refunded of this credit note.'] });

    const fields = 'id amount paidOn invoiceId creditNoteId creditNote { id }';
    const { creditNote } = await acme.graphql(`{ creditNote(id: "${id}") { refunds { nodes { ${fields} } } } }`);
    const of = { id: sample.anId, invoiceId: null, creditNoteId: id, creditNote: { id } };
    expect(creditNote.refunds.nodes).toEqual([
      { ...of, amount: '50', paidOn: '2026-03-10' },
      { ...of, amount: '9.5', paidOn: '2026-03-05' },
    ]);
    // When the payment is undone as well, all that is refunded is due again. Then the refund is undone, too.
    const { invoice: paid } = await acme.graphql(`{ invoice(id: "${invoice.id}") { payments { nodes { id } } } }`);
    const undo = (payment: string) =>
      acme.graphql(`mutation { reversePayment(id: "${payment}", reason: "Wrong") { id } }`);
    await undo(paid.payments.nodes[0].id);
    expect(await invoiceNow(invoice)).toMatchObject({ status: 'issued', amount_due: 119 });
    const cancelled = await acme.rest('POST', `/invoices/${invoice.id}/cancel`);
    expect(refusal(cancelled, 422)).toHaveProperty('status');
    await undo(creditNote.refunds.nodes[0].id);
    expect(await invoiceNow(invoice)).toMatchObject({ status: 'issued', amount_refunded: 9.5, amount_due: 69 });
    expect(await get(`/credit-notes/${id}`)).toMatchObject({ amount_refunded: 9.5, amount_due: 0 });
    await acme.rest('POST', `/invoices/${invoice.id}/payments`, { amount: 60 });
    await undo(creditNote.refunds.nodes[1].id);
    expect(await invoiceNow(invoice)).toMatchObject({ status: 'paid', amount_refunded: 0, amount_due: 0 });
    expect(await get(`/credit-notes/${id}`)).toMatchObject({ amount_refunded: 0, amount_due: 0.5 });
  });

  it('cancelling makes a credit note of all that is left', async () => {
    const invoice = await issued([line(19, { quantity: 2 })], { invoice_date: '2026-03-20' });
    await credit(invoice, { items: [{ invoice_item_id: invoice.items[0].id, quantity: 0.5 }] });
    const answer = await acme.rest('POST', `/invoices/${invoice.id}/cancel`);
    expect(answer.body.data).toMatchObject({ status: 'cancelled', amount_credited: 238, amount_due: 0 });
    const { body } = await acme.rest('GET', `/credit-notes?invoice_id=${invoice.id}`);
    expect(body.data).toMatchObject([
      { is_cancellation: true, credit_note_date: '2026-03-20', reason: null, total_gross: 178.5, amount_due: 0 },
      { is_cancellation: false, total_gross: 59.5 },
    ]);
    expect(await refused(invoice, {})).toEqual({
      invoice_id: ['Only an issued or paid invoice can be credited.'],
    });
  });
});

describe('GET /credit-notes', () => {
  it('filters by invoice, customer, dates, and words of the number, the reason, and the customer’s name', async () => {
    const other = await service.integrator();
    const customer = await create(other, '/customers', { ...sample.customer, company_name: 'Löwen' });
    const made: Record<string, string> = {};
    for (const [date, reason] of [
      ['2026-03-01', 'Rabatt'],
      ['2026-03-02', 'Rückgabe'],
    ] as const) {
      const body = {
        ...sample.invoice(
          date === '2026-03-01' ? customer.id : (await create(other, '/customers', sample.customer)).id,
        ),
        status: 'issued',
      };
      const invoice = await create(other, '/invoices', body);
      const { id } = await create(other, '/credit-notes', { invoice_id: invoice.id, credit_note_date: date, reason });
      made[reason] = id;
    }
    const [first, second] = [made['Rabatt'], made['Rückgabe']];
    const ids = async (query: string) =>
      (await other.rest('GET', `/credit-notes?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual([second, first]);
    expect(await ids(`customer_id=${customer.id}`)).toEqual([first]);
    expect(await ids('from=2026-03-02')).toEqual([second]);
    expect(await ids('to=2026-03-01')).toEqual([first]);
    expect(await ids('q=ruckgabe')).toEqual([second]);
    expect(await ids('q=cn-2026-0001')).toEqual([first]);
    expect(await ids('q=lowen')).toEqual([first]);
    expect(await ids('updated_since=2026-01-01T00:00:00Z')).toEqual([second, first]);
  });
});

it('the change feed has a credit note again when what is to be refunded of it changes', async () => {
  const invoice = await issued();
  const { id } = await credit(invoice, { amounts: [{ vat_rate: 19, net: 50 }] });
  const { meta } = (await acme.rest('GET', '/changes?since=now')).body;
  await acme.rest('POST', `/invoices/${invoice.id}/payments`, { amount: 1 });
  const { data } = (await acme.rest('GET', `/changes?since=${meta.cursor}`)).body;
  expect(data.map((change: { resource: string; id: string }) => [change.resource, change.id]).toSorted()).toEqual([
    ['credit_note', id],
    ['invoice', invoice.id],
    ['payment', expect.any(String)],
  ]);
});
