import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { accepts, characters, create, invalidFields, refusal, refuses } from './samples.ts';

let service: Service;
let acme: Integrator;
let projectId: string;
let smallest: [string, object];

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  projectId = (await create(acme, '/projects', { ...sample.project, hourly_rate_net: 87.5 })).id;
  smallest = ['/time-entries', sample.timeEntry(projectId)];
});
afterAll(() => service.close());

describe('POST /time-entries', () => {
  it('answers 201 with the whole entry: billable at the project’s rate by default, tracked by the token’s user', async () => {
    const { status, headers, body } = await acme.rest('POST', ...smallest);
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${service.url}/api/v1/time-entries/${body.data.id}`);
    expect(body).toEqual({
      data: {
        id: sample.anId,
        project_id: projectId,
        user_id: acme.userId,
        date: '2026-03-01',
        duration_minutes: 90,
        description: null,
        billable: true,
        hourly_rate_net: 87.5,
        invoice_id: null,
        billed: false,
        external_id: null,
        metadata: {},
        created_at: sample.aTime,
        updated_at: sample.aTime,
      },
    });
    expect((await acme.rest('GET', `/time-entries/${body.data.id}`)).body).toEqual(body);
    expect(await create(acme, '/time-entries', body.data)).toMatchObject({ duration_minutes: 90 });
  });

  it('requires project_id, date and duration_minutes', async () => {
    const required = ['date', 'duration_minutes', 'project_id'];
    expect(invalidFields(await acme.rest('POST', '/time-entries', {}))).toEqual(required);
    for (const field of required) await refuses(acme, smallest, field, [null, '']);
  });

  it('duration_minutes: 1 to 1440, whole', async () => {
    await accepts(acme, smallest, 'duration_minutes', [1, 1440]);
    const bad = [0, 1441, -1, 1.5, '90 min', true, [90], 99999999999, -99999999999];
    await refuses(acme, smallest, 'duration_minutes', bad);
  });

  it('description ≤ 5000; billable true or false, default true; hourly_rate_net ≥ 0, default the project’s', async () => {
    await accepts(acme, smallest, 'description', [null, characters(5000)]);
    await refuses(acme, smallest, 'description', [characters(5001)]);
    await accepts(acme, smallest, 'billable', [true, false]);
    await accepts(acme, smallest, 'billable', [null], () => true);
    await refuses(acme, smallest, 'billable', ['true', 'yes', 1, 0]);
    await accepts(acme, smallest, 'hourly_rate_net', [0, 0.0001, 120]);
    await accepts(acme, smallest, 'hourly_rate_net', [null], () => 87.5);
    await refuses(acme, smallest, 'hourly_rate_net', [-0.01, '1000000000000000', 'x']);
  });

  it('project_id: a project of this tenant', async () => {
    const foreign = await create(await service.integrator(), '/projects', sample.project);
    await refuses(acme, smallest, 'project_id', [foreign.id, sample.unknownId, 'x', 1]);
  });

  it('accepts time on a project in any status', async () => {
    for (const status of ['active', 'completed', 'archived']) {
      const { id } = await create(acme, '/projects', { ...sample.project, status });
      expect((await create(acme, '/time-entries', sample.timeEntry(id))).hourly_rate_net).toBeNull();
    }
  });
});

describe('GET /time-entries', () => {
  it('from and to are inclusive; answers 422 if from is after to', async () => {
    const beta = await service.integrator();
    const { id } = await create(beta, '/projects', sample.project);
    const days = ['2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03'];
    for (const date of days) await create(beta, '/time-entries', { ...sample.timeEntry(id), date });
    const dates = async (query: string) =>
      (await beta.rest('GET', `/time-entries${query}`)).body.data.map((row: { date: string }) => row.date).toReversed();
    expect(await dates('')).toEqual(days);
    expect(await dates('?from=2026-03-01')).toEqual(days.slice(1));
    expect(await dates('?to=2026-03-01')).toEqual(days.slice(0, 2));
    expect(await dates('?from=2026-03-01&to=2026-03-02')).toEqual(days.slice(1, 3));
    expect(await dates('?from=2026-03-01&to=2026-03-01')).toEqual(['2026-03-01']);
    expect(await dates('?from=0001-01-01&to=9999-12-31')).toEqual(days);
    for (const fault of invalidFields(await beta.rest('GET', '/time-entries?from=2026-03-02&to=2026-03-01'))) {
      expect(['from', 'to']).toContain(fault);
    }
    const bad = await beta.rest('GET', '/time-entries?from=2026-02-30&to=tomorrow');
    expect(invalidFields(bad)).toEqual(['from', 'to']);
  });
});

describe('a time entry', () => {
  it('is deleted with 204, and has no PATCH', async () => {
    const { id } = await create(acme, ...smallest);
    refusal(await acme.rest('PATCH', `/time-entries/${id}`, {}), 405);
    const { status, text } = await acme.rest('DELETE', `/time-entries/${id}`);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    refusal(await acme.rest('GET', `/time-entries/${id}`), 404);
  });

  it('on an invoice is billed, and can’t be deleted: 422, with the invoice in errors.id', async () => {
    const { id } = await create(acme, ...smallest);
    const { id: customerId } = await create(acme, '/customers', sample.customer);
    const { id: invoiceId } = await create(acme, '/invoices', sample.invoice(customerId));
    await acme.db.timeEntry.updateMany({ where: { id }, data: { invoiceId } });
    const billed = { id, invoice_id: invoiceId, billed: true };
    expect((await acme.rest('GET', `/time-entries/${id}`)).body.data).toMatchObject(billed);
    const errors = refusal(await acme.rest('DELETE', `/time-entries/${id}`), 422);
    expect(errors).toEqual({ id: [expect.stringMatching(/invoice/i)] });

    // It is free again after the draft is deleted.
    expect((await acme.rest('DELETE', `/invoices/${invoiceId}`)).status).toBe(204);
    const free = { id, invoice_id: null, billed: false };
    expect((await acme.rest('GET', `/time-entries/${id}`)).body.data).toMatchObject(free);
    expect((await acme.rest('DELETE', `/time-entries/${id}`)).status).toBe(204);
  });
});
