import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JobHelpers } from 'graphile-worker';
import { overdue } from '../../src/jobs/overdue.ts';
import { makeCustomer, makeDelivery, makeInvoice } from '../graphql/books.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';

// The clock of a test tenant: DECISIONS.md#d160-test-tenants

let service: Service;
let acme: Integrator;
let test: Integrator;
let beside: Integrator;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
  [test, beside] = [await makeTest(), await makeTest()];
});

async function makeTest(): Promise<Integrator> {
  const { body } = await acme.rest('POST', '/test-tenants', { name: 'Test' });
  return asIntegrator(service, { ...acme, tenantId: body.data.id, token: body.data.token });
}

const dayMs = 86_400_000;
const later = (ms: number): string => new Date(Date.now() + ms).toISOString();
const set = (who: Integrator, now: unknown) => who.rest('POST', '/test-clock', { now });
const timeOf = async (who: Integrator): Promise<number> =>
  Date.parse((await who.rest('GET', '/test-clock')).body.data.now);
const day = (offset: number): string => new Date(Date.now() + offset * dayMs).toISOString().slice(0, 10);

describe('the clock of a test tenant', () => {
  it('is set forward, goes on from there, and is nobody else’s', async () => {
    const to = Date.parse(later(40 * dayMs));
    expect((await set(test, new Date(to).toISOString())).status).toBe(200);
    expect(await timeOf(test)).toBeGreaterThanOrEqual(Math.floor(to / 1000) * 1000);
    for (const who of [acme, beside]) expect(await timeOf(who)).toBeLessThan(Date.now() + 1000);
    const { createdAt } = await test.db.customer.findUniqueOrThrow({
      where: { tenantId_id: { tenantId: test.tenantId, id: await makeCustomer(test) } },
    });
    expect(createdAt.getTime()).toBeLessThan(Date.now() + 1000);
  });

  it('is never set back, nor further than 10 years ahead, nor to what is no time', async () => {
    await set(test, later(40 * dayMs));
    for (const [now, code] of [
      [later(39 * dayMs), 'in_the_past'],
      [later(-dayMs), 'in_the_past'],
      [later(3654 * dayMs), 'day_out_of_range'],
      ['9999-12-31T23:59:59Z', 'day_out_of_range'],
      ['+275760-09-13T00:00:00Z', 'invalid_format'],
      ['tomorrow', 'invalid_format'],
      [12, 'invalid_format'],
      [null, 'not_nullable'],
    ] as const) {
      const { status, body } = await set(test, now);
      expect([now, status, body.details]).toEqual([now, 422, [expect.objectContaining({ field: 'now', code })]]);
    }
    expect((await timeOf(test)) / dayMs).toBeCloseTo(Date.now() / dayMs + 40, 1);
  });

  it('is set by the latest of those who set it at once', async () => {
    const answers = await Promise.all([9, 3, 7, 5].map((days) => set(test, later(days * dayMs))));
    expect(answers[0]?.status).toBe(200);
    expect((await timeOf(test)) / dayMs).toBeCloseTo(Date.now() / dayMs + 9, 1);
  });

  it('of a business can’t be set', async () => {
    const { status, body } = await set(acme, later(dayMs));
    expect([status, body.details]).toEqual([
      422,
      [expect.objectContaining({ code: 'wrong_state', message: 'Only a test tenant has a clock that can be set.' })],
    ]);
    expect((await service.client.tenant.findUniqueOrThrow({ where: { id: acme.tenantId } })).clockAheadMs).toBe(0);
  });

  it('says what today is: for defaults, locks, and what is overdue', async () => {
    const lock = { series: 'all', locked_until: day(35), kind: 'soft' };
    expect((await test.rest('PUT', '/period-locks', lock)).status).toBe(422);
    const ids = new Map<Integrator, string>();
    for (const who of [test, beside]) ids.set(who, await makeInvoice(who, { status: 'ISSUED', dueDate: day(10) }));
    await set(test, later(40 * dayMs));
    const { rows } = await service.pool.query(
      `select task_identifier as task from graphile_worker.jobs where flags ? $1 and task_identifier = 'overdue'`,
      [test.tenantId],
    );
    expect(rows).toEqual([{ task: 'overdue' }]);
    const helpers = { logger: { info: () => {} }, abortSignal: new AbortController().signal };
    await overdue(service.client, service.domain)({ tenantId: test.tenantId }, helpers as unknown as JobHelpers);
    for (const who of [test, beside]) {
      const { body } = await who.rest('GET', `/invoices/${ids.get(who)}`);
      const { body: events } = await who.rest('GET', '/events?type=invoice.overdue');
      expect([body.data.is_overdue, events.data.length]).toEqual(who === test ? [true, 1] : [false, 0]);
    }
    await test.rest('POST', `/invoices/${ids.get(test)}/payments`);
    expect((await test.rest('GET', '/payments')).body.data).toMatchObject([{ paid_on: day(40) }]);
    expect((await test.rest('PUT', '/period-locks', lock)).status).toBe(200);
    expect((await beside.rest('PUT', '/period-locks', lock)).status).toBe(422);
  });

  it('has retries of webhooks come earlier, and those of nobody else', async () => {
    const planned = new Map<Integrator, string>();
    for (const who of [test, beside]) {
      const { id } = await makeDelivery(who);
      planned.set(who, id);
      const data = { state: 'WAITING', finishedAt: null, nextAttemptAt: new Date(Date.now() + 3 * 3_600_000) } as const;
      await who.db.delivery.updateMany({ where: { id }, data });
    }
    const hoursUntil = async (who: Integrator): Promise<number> => {
      const { nextAttemptAt } = await who.db.delivery.findFirstOrThrow({ where: { id: planned.get(who)! } });
      return Math.ceil((nextAttemptAt!.getTime() - Date.now()) / 3_600_000) || 0;
    };
    await set(test, later(2 * 3_600_000));
    expect([await hoursUntil(test), await hoursUntil(beside)]).toEqual([1, 3]);
    await set(test, later(dayMs));
    expect([await hoursUntil(test), await hoursUntil(beside)]).toEqual([0, 3]);
    const countDue = async (): Promise<number> => {
      const { rows } = await service.pool.query<{ due: number }>(
        `select count(*)::int as due from graphile_worker.jobs
         where flags ? $1 and task_identifier = 'deliver' and run_at <= now()`,
        [test.tenantId],
      );
      return rows[0]?.due ?? NaN;
    };
    await expect.poll(countDue).toBeGreaterThan(0); // on a cluster, jobs come by the outbox
  });

  it('is the real one again after a reset', async () => {
    await set(test, later(40 * dayMs));
    await test.rest('POST', `/test-tenants/${test.tenantId}/reset`);
    expect(await timeOf(test)).toBeLessThan(Date.now() + 1000);
  });
});
