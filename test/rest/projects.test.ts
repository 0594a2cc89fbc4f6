import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import * as sample from './samples.ts';
import { accepts, characters, create, invalidFields, refusal, refuses } from './samples.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

const smallest: [string, object] = ['/projects', sample.project];

describe('POST /projects', () => {
  it('answers 201 with the whole project; active by default, in the tenant’s currency', async () => {
    const { status, headers, body } = await acme.rest('POST', ...smallest);
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${service.url}/api/v1/projects/${body.data.id}`);
    expect(body).toEqual({
      data: {
        id: sample.anId,
        customer_id: null,
        name: 'Umbau',
        description: null,
        hourly_rate_net: null,
        currency: 'EUR',
        budget_hours: null,
        start_date: null,
        end_date: null,
        status: 'active',
        tracked_minutes: 0,
        external_id: null,
        metadata: {},
        created_at: sample.aTime,
        updated_at: sample.aTime,
      },
    });
    expect((await acme.rest('GET', `/projects/${body.data.id}`)).body).toEqual(body);
  });

  it('accepts all its fields, and its answer as a body', async () => {
    const { id: customerId } = await create(acme, '/customers', sample.customer);
    const whole = {
      customer_id: customerId,
      name: 'Neubau',
      description: 'Mit Keller',
      hourly_rate_net: 87.1234,
      currency: 'CHF',
      budget_hours: 12.5,
      start_date: '2026-01-01',
      end_date: '2026-12-31',
      status: 'completed',
    };
    const read = await create(acme, '/projects', whole);
    expect(read).toMatchObject(whole);
    expect(await create(acme, '/projects', read)).toMatchObject(whole);
    const patched = await acme.rest('PATCH', `/projects/${read.id}`, read);
    expect({ status: patched.status, body: patched.body }).toEqual({
      status: 200,
      body: { data: { ...read, updated_at: sample.aTime } },
    });
  });

  it('requires a name of at most 255 characters; description ≤ 2000', async () => {
    expect(invalidFields(await acme.rest('POST', '/projects', {}))).toEqual(['name']);
    await accepts(acme, smallest, 'name', [characters(255)]);
    await refuses(acme, smallest, 'name', [characters(256), null, '', ' ', 5]);
    await accepts(acme, smallest, 'description', [null, characters(2000)]);
    await refuses(acme, smallest, 'description', [characters(2001), ['x']]);
  });

  it('hourly_rate_net and budget_hours: at least 0, at most 15 significant digits', async () => {
    for (const field of ['hourly_rate_net', 'budget_hours']) {
      await accepts(acme, smallest, field, [null, 0, 0.5, 99999999999.9999, 999999999999999]);
      await refuses(acme, smallest, field, [-0.01, '1000000000000000', '100000000000.0001', 'x', true]);
    }
  });

  it('rejects an end_date before start_date', async () => {
    const dated: [string, object] = ['/projects', { ...sample.project, start_date: '2026-03-01' }];
    await accepts(acme, dated, 'end_date', [null, '2026-03-01', '9999-12-31']);
    await refuses(acme, dated, 'end_date', ['2026-02-28', '2026-02-30', 'x']);
    await accepts(acme, smallest, 'end_date', ['0001-01-01']);
  });

  it('status: active (default), completed or archived; currency: ISO 4217; customer_id: of this tenant', async () => {
    await accepts(acme, smallest, 'status', ['active', 'completed', 'archived']);
    await refuses(acme, smallest, 'status', ['ACTIVE', 'done', 1]);
    await accepts(acme, smallest, 'currency', ['JPY']);
    await refuses(acme, smallest, 'currency', ['jpy', 'XXX']);
    const stranger = await create(await service.integrator(), '/customers', sample.customer);
    await refuses(acme, smallest, 'customer_id', [stranger.id, sample.unknownId, 'x', 1]);
  });
});

describe('GET /projects', () => {
  it('status narrows the list', async () => {
    const beta = await service.integrator();
    const made: Record<string, string> = {};
    for (const status of ['active', 'completed', 'archived']) {
      made[status] = (await create(beta, '/projects', { ...sample.project, status })).id;
    }
    for (const [status, id] of Object.entries(made)) {
      const { data } = (await beta.rest('GET', `/projects?status=${status}`)).body;
      expect(data).toEqual([expect.objectContaining({ id, status })]);
    }
    expect(invalidFields(await beta.rest('GET', '/projects?status=draft'))).toEqual(['status']);
  });

  it('tracked_minutes is the sum of the project’s time entries', async () => {
    const { id } = await create(acme, ...smallest);
    for (const duration_minutes of [1, 90, 1440]) {
      await create(acme, '/time-entries', { ...sample.timeEntry(id), duration_minutes });
    }
    expect((await acme.rest('GET', `/projects/${id}`)).body.data.tracked_minutes).toBe(1531);
    const { data } = (await acme.rest('GET', '/projects')).body;
    expect(data[0]).toMatchObject({ id, tracked_minutes: 1531 });
  });
});

describe('PATCH /projects/{id}', () => {
  it('changes only the fields present; null clears a nullable field', async () => {
    const { id: customerId } = await create(acme, '/customers', sample.customer);
    const optional = {
      customer_id: customerId,
      description: 'x',
      hourly_rate_net: 1,
      budget_hours: 2,
      start_date: '2026-01-01',
      end_date: '2026-02-01',
    };
    const before = await create(acme, '/projects', { ...sample.project, ...optional });
    for (const field of Object.keys(optional)) {
      const { status, body } = await acme.rest('PATCH', `/projects/${before.id}`, { [field]: null });
      expect({ status, value: body.data[field] }).toEqual({ status: 200, value: null });
    }
    const { body } = await acme.rest('PATCH', `/projects/${before.id}`, optional);
    expect(body).toEqual({ data: { ...before, updated_at: sample.aTime } });
    const nulls = await acme.rest('PATCH', `/projects/${before.id}`, { name: null, currency: null, status: null });
    expect(invalidFields(nulls)).toEqual(['currency', 'name', 'status']);
  });

  it('changes any status to any other', async () => {
    const { id } = await create(acme, ...smallest);
    for (const status of ['archived', 'completed', 'active', 'completed', 'archived', 'active', 'active']) {
      const { body } = await acme.rest('PATCH', `/projects/${id}`, { status });
      expect(body.data.status).toBe(status);
    }
  });

  it('compares a changed date with the unchanged one: end_date ≥ start_date', async () => {
    const dates = { start_date: '2026-03-01', end_date: '2026-03-31' };
    const { id } = await create(acme, '/projects', { ...sample.project, ...dates });
    expect(invalidFields(await acme.rest('PATCH', `/projects/${id}`, { end_date: '2026-02-28' }))).toEqual([
      'end_date',
    ]);
    expect(invalidFields(await acme.rest('PATCH', `/projects/${id}`, { start_date: '2026-04-01' }))).toHaveLength(1);
    expect((await acme.rest('GET', `/projects/${id}`)).body.data).toMatchObject(dates);
    const both = { start_date: '2026-04-01', end_date: '2026-04-01' };
    expect((await acme.rest('PATCH', `/projects/${id}`, both)).body.data).toMatchObject(both);
  });
});

describe('DELETE /projects/{id}', () => {
  it('answers 204, or 422 while others refer to the project, with their type in errors.id', async () => {
    const { id } = await create(acme, ...smallest);
    const entry = await create(acme, '/time-entries', sample.timeEntry(id));
    const receipt = await create(acme, '/receipts', { ...sample.receipt, project_id: id });
    const refused = async () => refusal(await acme.rest('DELETE', `/projects/${id}`), 422);
    expect(await refused()).toEqual({ id: [/time entr/i, /receipt/i].map((what) => expect.stringMatching(what)) });
    await acme.rest('DELETE', `/time-entries/${entry.id}`);
    expect(await refused()).toEqual({ id: [expect.stringMatching(/receipt/i)] });
    await acme.rest('DELETE', `/receipts/${receipt.id}`);
    const { status, text } = await acme.rest('DELETE', `/projects/${id}`);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    refusal(await acme.rest('DELETE', `/projects/${id}`), 404);
  });
});
