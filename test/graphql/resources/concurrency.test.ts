import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { onEachServer, runScript, startService, type Answer, type Integrator, type Service } from '../../harness.ts';
import { listEvents, fannedOut, item, makeCustomer, makeInvoice, makePayment, makeReceipt, refusal } from '../books.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
});

const mutation = {
  createInvoice: 'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { number } }',
  issue: 'mutation ($id: UUID!) { issueInvoice(id: $id) { number } }',
  update: 'mutation ($id: UUID!, $input: UpdateInvoiceInput!) { updateInvoice(id: $id, input: $input) { id } }',
  remove: 'mutation ($id: UUID!) { deleteInvoice(id: $id) { id } }',
  cancel: 'mutation ($id: UUID!) { cancelInvoice(id: $id) { id } }',
  pay: 'mutation ($id: UUID!, $amount: Decimal) { payInvoice(id: $id, amount: $amount) { id } }',
  undo: 'mutation ($id: UUID!) { reversePayment(id: $id, reason: "Wrong") { id } }',
};

const succeeded = ({ body }: Answer): boolean => body.errors === undefined;
const codesOf = (answers: Answer[]): string[] =>
  answers.filter((each) => !succeeded(each)).map((each) => refusal(each).code);

describe('invoice numbers are gapless and never reused per tenant and year', () => {
  it('with 50 concurrent issuers over two years and two tenants, some of which fail after taking a number', async () => {
    await runScript(
      service,
      `
      create function fail_on_purpose() returns trigger language plpgsql as $$
      begin
        if new.type = 'invoice.issued' and new.body like '%"subject":"doomed"%' then raise exception 'on purpose'; end if;
        return new;
      end $$;
      create trigger fail_on_purpose before insert on events for each row execute function fail_on_purpose()`,
    );
    const globex = await service.integrator();
    const work: (() => Promise<Answer>)[] = [];
    for (const who of [acme, globex]) {
      const customerId = await makeCustomer(who);
      for (let count = 0; count < 25; count++) {
        const subject = count % 5 === 0 ? 'doomed' : 'fine';
        const input = { customerId, invoiceDate: `${2025 + (count % 2)}-06-30`, items: [item], subject };
        if (count % 3 === 0) {
          const id = await makeInvoice(who, input);
          work.push(() => who.graphqlAnswer(mutation.issue, { id }));
        } else {
          const status = count % 3 === 1 ? 'ISSUED' : 'PAID';
          work.push(() => who.graphqlAnswer(mutation.createInvoice, { input: { ...input, status } }));
        }
      }
    }
    const answers = await Promise.all(work.map((each) => each()));
    await service.pool.query('drop function fail_on_purpose cascade');
    expect(codesOf(answers)).toEqual(Array.from({ length: 10 }, () => 'INTERNAL_SERVER_ERROR'));

    for (const who of [acme, globex]) {
      const expected: string[] = [];
      for (const year of [2025, 2026]) {
        const issued = await who.db.invoice.count({ where: { subject: 'fine', number: { startsWith: `${year}-` } } });
        expect(issued).toBe(10);
        for (let last = 1; last <= issued; last++) expected.push(`${year}-${String(last).padStart(4, '0')}`);
      }
      const numbered = await who.db.invoice.findMany({ where: { number: { not: null } } });
      expect(numbered.map(({ number }) => number).toSorted()).toEqual(expected);
      expect(numbered.every(({ subject }) => subject === 'fine')).toBe(true);
      const events = (await listEvents(service, who)).filter(({ type }) => type === 'invoice.issued');
      expect(events.map(({ body }) => body.data.invoice.number).toSorted()).toEqual(expected);
    }
  });
});

describe('payments never exceed the total', () => {
  it('eleven of 20 concurrent payments of 10.00 are accepted for 119.00', async () => {
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => acme.graphqlAnswer(mutation.pay, { id, amount: '10' })),
    );
    expect(answers.filter(succeeded)).toHaveLength(11);
    expect(codesOf(answers)).toEqual(Array.from({ length: 9 }, () => 'VALIDATION_FAILED'));
    const { invoice } = await acme.graphql(
      'query ($id: UUID!) { invoice(id: $id) { amountPaid payments { nodes { amount } } } }',
      { id },
    );
    expect(invoice).toEqual({
      amountPaid: '110',
      payments: { nodes: Array.from({ length: 11 }, () => ({ amount: '10' })) },
    });
  });

  it('one of 20 concurrent full payments succeeds, and one of 20 concurrent undos', async () => {
    const id = await makeInvoice(acme, { status: 'ISSUED' });
    const payments = await Promise.all(Array.from({ length: 20 }, () => acme.graphqlAnswer(mutation.pay, { id })));
    expect(payments.filter(succeeded)).toHaveLength(1);
    const { invoice } = await acme.graphql(
      'query ($id: UUID!) { invoice(id: $id) { status payments { nodes { id } } } }',
      {
        id,
      },
    );
    expect(invoice).toMatchObject({ status: 'PAID', payments: { nodes: [{ id: expect.any(String) }] } });
    const undone = await Promise.all(
      Array.from({ length: 20 }, () => acme.graphqlAnswer(mutation.undo, invoice.payments.nodes[0])),
    );
    expect(undone.filter(succeeded)).toHaveLength(1);
    expect(codesOf(undone)).not.toContain('INTERNAL_SERVER_ERROR');
    expect(await acme.db.invoice.findFirst({ where: { id } })).toMatchObject({ status: 'ISSUED', paidAt: null });
    const events = (await listEvents(service, acme)).map(({ type }) => type).slice(3);
    expect(events).toEqual([
      'invoice.payment_recorded',
      'invoice.paid',
      'payment.recorded',
      'invoice.payment_reverted',
      'payment.recorded',
      'payment.reversed',
    ]);
  });
});

it('concurrent issue, update and delete of one draft leave either a whole issued invoice or nothing', async () => {
  for (let round = 0; round < 15; round++) {
    const id = await makeInvoice(acme);
    const input = { items: [{ ...item, title: 'Changed', unitPriceNet: '50' }, item] };
    const answers = await Promise.all([
      acme.graphqlAnswer(mutation.update, { id, input }),
      acme.graphqlAnswer(round % 2 ? mutation.issue : mutation.remove, { id }),
      acme.graphqlAnswer(mutation.update, { id, input: { subject: 'Changed' } }),
      acme.graphqlAnswer(round % 2 ? mutation.remove : mutation.issue, { id }),
    ]);
    for (const code of codesOf(answers)) expect(['VALIDATION_FAILED', 'NOT_FOUND']).toContain(code);
    const events = (await listEvents(service, acme))
      .filter(({ body }) => body.data.invoice?.id === id)
      .map(({ type }) => type);
    const updates = answers.filter((answer, index) => index % 2 === 0 && succeeded(answer));
    expect(events.filter((type) => type === 'invoice.updated')).toHaveLength(updates.length);
    const withoutUpdates = events.filter((type) => type !== 'invoice.updated');
    const { body, status } = await acme.rest('GET', `/invoices/${id}`);
    if (status === 404) {
      expect(withoutUpdates).toEqual(['invoice.created', 'invoice.deleted']);
      expect(await acme.db.invoiceItem.count({ where: { invoiceId: id } })).toBe(0);
    } else {
      expect(withoutUpdates).toEqual(['invoice.created', 'invoice.issued']);
      expect(body.data.number).toMatch(/^2026-/);
      expect(body.data.total_net).toBe(body.data.items.length === 2 ? 150 : 100);
      expect(body.data.items.map((each: { position: number }) => each.position)).toEqual(
        body.data.items.length === 2 ? [1, 2] : [1],
      );
    }
  }
});

it('a transaction that PostgreSQL ends to break a deadlock is retried, and emits no event twice', async () => {
  const id = await makeReceipt(acme);
  await onEachServer(service, 'create sequence attempts; grant usage on sequence attempts to kontor_books');
  await runScript(
    service,
    `
    create function deadlock() returns trigger language plpgsql as $$
    begin
      if new.status = 'booked' and nextval('attempts') < 3 then raise exception 'deadlock' using errcode = '40P01'; end if;
      return new;
    end $$;
    create trigger deadlock after update on receipts for each row execute function deadlock()`,
  );
  await acme.graphql('mutation ($id: UUID!) { bookReceipt(id: $id) { id } }', { id });
  await service.pool.query('drop function deadlock cascade');
  expect((await listEvents(service, acme)).map(({ type }) => type)).toEqual(['receipt.created', 'receipt.booked']);
});

it('any concurrent mutations cause no internal error, and the books add up', async () => {
  const customerIds = await Promise.all(Array.from({ length: 5 }, () => makeCustomer(acme)));
  // The others may be deleted before they get their first invoice. These two can't be deleted.
  for (const customerId of customerIds.slice(1, 3)) await makeInvoice(acme, { customerId, status: 'ISSUED' });
  const drafts = await Promise.all(Array.from({ length: 4 }, () => makeInvoice(acme, { customerId: customerIds[0] })));
  const issued = await Promise.all(
    Array.from({ length: 4 }, () => makeInvoice(acme, { customerId: customerIds[0], status: 'ISSUED' })),
  );
  const payments = await Promise.all(issued.map((id) => makePayment(acme, id, '1')));
  const random = fc.sample(fc.record({ kind: fc.nat(8), row: fc.nat(3) }), { numRuns: 250, seed: 42 });
  const input = { invoiceDate: '2026-01-01', items: [item], status: 'ISSUED' };
  const operations: ((row: number) => [string, object])[] = [
    (row) => [mutation.createInvoice, { input: { ...input, customerId: customerIds[1 + row] } }],
    (row) => [mutation.issue, { id: drafts[row] }],
    (row) => [mutation.update, { id: drafts[row], input: { subject: 'x', customerId: customerIds[1] } }],
    (row) => [mutation.remove, { id: drafts[row] }],
    (row) => [mutation.cancel, { id: [...drafts, ...issued][row * 2] }],
    (row) => [mutation.pay, { id: issued[row], amount: '1.5' }],
    (row) => [mutation.undo, { id: payments[row] }],
    (row) => ['mutation ($id: UUID!) { deleteCustomer(id: $id) { id } }', { id: customerIds[1 + row] }],
    (row) => [
      'mutation ($id: UUID!) { updateCustomer(id: $id, input: { city: "x" }) { id } }',
      { id: customerIds[1 + row] },
    ],
  ];
  const answers: Answer[] = [];
  for (let start = 0; start < random.length; start += 25) {
    const together = random
      .slice(start, start + 25)
      .map(({ kind, row }) => acme.graphqlAnswer(...operations[kind]!(row)));
    answers.push(...(await Promise.all(together)));
  }
  expect(answers.filter(succeeded).length).toBeGreaterThan(50);
  expect(new Set(codesOf(answers))).toEqual(new Set(['VALIDATION_FAILED', 'NOT_FOUND']));

  for (const invoice of await acme.db.invoice.findMany({ include: { payments: true, items: true } })) {
    const paid = invoice.payments.reduce((sum, { amount }) => sum + Number(amount), 0);
    expect(Number(invoice.amountPaid)).toBe(paid);
    expect(Number(invoice.totalNet)).toBe(
      invoice.items.reduce((sum, { lineTotalNet }) => sum + Number(lineTotalNet), 0),
    );
  }
  const written = (await listEvents(service, acme)).map(({ id }) => id);
  expect((await fannedOut(service, acme)).toSorted()).toEqual(written.toSorted());
});
