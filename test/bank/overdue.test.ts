import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emitOverdue } from '../../schema/resources/invoice/overdue.ts';
import { overdue } from '../../src/jobs/overdue.ts';
import { runScript, startService, type Integrator, type Service } from '../harness.ts';
import { runJob } from '../jobs/run-job.ts';
import { eventsDuring, listEvents, fannedOut, makeCustomer, makeInvoice, makePayment } from '../graphql/books.ts';
import { withHolder } from '../../prisma/client.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
beforeEach(() => {
  service.clock.now = undefined;
});
afterAll(() => service.close());

const at = (time: string): void => {
  service.clock.now = new Date(time);
};
/** The daily job, for one tenant. */
async function run(who: Integrator): Promise<number> {
  const tenant = await service.client.tenant.findUniqueOrThrow({ where: { id: who.tenantId } });
  const user = { id: who.userId, name: 'Kontor', email: '' };
  return emitOverdue(service.domain.contextFor({ user, tenant: withHolder(tenant), token: null }));
}
const due = (who: Integrator, dueDate: string, more: object = {}) =>
  makeInvoice(who, { invoiceDate: '2026-03-01', dueDate, status: 'ISSUED', ...more });
const told = async (who: Integrator): Promise<string[]> =>
  (await listEvents(service, who))
    .filter(({ type }) => type === 'invoice.overdue')
    .map(({ body }) => body.data.invoice.id);

describe('invoice.overdue: once per invoice, by the tenant’s day', () => {
  it.each([
    // The last moment of the day it is due, and the first of the next.
    ['UTC', '2026-03-15T23:59:59.999Z', '2026-03-16T00:00:00Z'],
    ['Pacific/Kiritimati', '2026-03-15T09:59:59.999Z', '2026-03-15T10:00:00Z'], // UTC+14
    ['Pacific/Pago_Pago', '2026-03-16T10:59:59.999Z', '2026-03-16T11:00:00Z'], // UTC-11
    ['Europe/Berlin', '2026-03-15T22:59:59.999Z', '2026-03-15T23:00:00Z'],
    ['Asia/Kathmandu', '2026-03-15T18:14:59.999Z', '2026-03-15T18:15:00Z'], // UTC+5:45
  ])('in %s', async (timezone, lastMoment, nextDay) => {
    const acme = await service.integrator({ timezone });
    const id = await due(acme, '2026-03-15');
    at(lastMoment);
    expect(await run(acme)).toBe(0);
    expect((await acme.rest('GET', `/invoices/${id}`)).body.data.is_overdue).toBe(false);
    at(nextDay);
    let count = 0;
    const events = await eventsDuring(service, acme, async () => (count = await run(acme)));
    expect(count).toBe(1);
    const read = (await acme.rest('GET', `/invoices/${id}`)).body.data;
    expect(read.is_overdue).toBe(true);
    expect(events.map(({ type, body }) => [type, body.data])).toEqual([['invoice.overdue', { invoice: read }]]);
    expect(await fannedOut(service, acme)).toContain(events[0]!.id);
  });

  it('also on the day that summer time begins', async () => {
    const acme = await service.integrator({ timezone: 'Europe/Berlin' });
    await due(acme, '2026-03-29');
    at('2026-03-29T21:59:59.999Z');
    expect(await run(acme)).toBe(0);
    at('2026-03-29T22:00:00Z'); // midnight is an hour earlier that evening
    expect(await run(acme)).toBe(1);
  });

  it('for part-paid invoices, but not for paid, draft, or cancelled ones', async () => {
    const acme = await service.integrator();
    await due(acme, '2026-03-15', { status: 'PAID' });
    await due(acme, '2026-03-15', { status: 'DRAFT' });
    const cancelled = await due(acme, '2026-03-15');
    await acme.graphql('mutation ($id: UUID!) { cancelInvoice(id: $id) { id } }', { id: cancelled });
    const partPaid = await due(acme, '2026-03-15');
    await makePayment(acme, partPaid, '1');
    at('2026-04-01T00:00:00Z');
    expect(await run(acme)).toBe(1);
    expect(await told(acme)).toEqual([partPaid]);
  });

  it('not again at the next run, nor when a payment is undone later', async () => {
    const acme = await service.integrator();
    const id = await due(acme, '2026-03-15');
    at('2026-04-01T00:00:00Z');
    expect([await run(acme), await run(acme)]).toEqual([1, 0]);
    const payment = await makePayment(acme, id);
    await acme.graphql('mutation ($id: UUID!) { reversePayment(id: $id, reason: "Wrong") { id } }', { id: payment });
    at('2026-04-02T00:00:00Z');
    expect(await run(acme)).toBe(0);
    expect(await told(acme)).toEqual([id]);
  });

  it('not twice by concurrent workers', async () => {
    const acme = await service.integrator();
    const first = await due(acme, '2026-03-15', { customerId: await makeCustomer(acme) });
    const made = { id: true, number: true, metadata: true, amountDue: true, amountToRefund: true } as const;
    const row = await acme.db.invoice.findFirstOrThrow({ where: { id: first }, omit: made });
    // More than a batch.
    await acme.db.invoice.createMany({
      data: Array.from({ length: 119 }, (_, at_) => ({ ...row, number: `2026-1${at_}` })),
    });
    at('2026-04-01T00:00:00Z');
    const counts = await Promise.all([run(acme), run(acme), run(acme)]);
    expect(counts.reduce((sum, count) => sum + count)).toBe(120);
    const ids = await told(acme);
    expect(ids).toHaveLength(120);
    expect(new Set(ids).size).toBe(120);
  });

  it('at the next run if the event can’t be written', async () => {
    const acme = await service.integrator();
    const id = await due(acme, '2026-03-15');
    at('2026-04-01T00:00:00Z');
    await runScript(
      service,
      `
      create function fail() returns trigger language plpgsql as $$ begin raise exception 'on purpose'; end $$;
      create trigger fail before insert on events for each row when (new.type = 'invoice.overdue') execute function fail()`,
    );
    await expect(run(acme)).rejects.toThrow('on purpose');
    await service.pool.query('drop function fail cascade');
    expect(await run(acme)).toBe(1);
    expect(await told(acme)).toEqual([id]);
  });
});

it('the job covers all tenants that are not closed, each by its own day', async () => {
  const east = await service.integrator({ timezone: 'Pacific/Kiritimati' });
  const west = await service.integrator({ timezone: 'Pacific/Pago_Pago' });
  const closed = await service.integrator({ timezone: 'Pacific/Kiritimati' });
  const ids = new Map<Integrator, string>();
  for (const who of [east, west, closed]) ids.set(who, await due(who, '2026-05-01'));
  await service.client.tenant.update({ where: { id: closed.tenantId }, data: { closedAt: new Date() } });
  const job = async (): Promise<void> => {
    await runJob(overdue(service.client, service.domain));
  };
  at('2026-05-01T12:00:00Z');
  await job();
  expect([await told(east), await told(west)]).toEqual([[ids.get(east)], []]);
  at('2026-05-02T12:00:00Z');
  await job();
  expect([await told(east), await told(west), await told(closed)]).toEqual([[ids.get(east)], [ids.get(west)], []]);
});
