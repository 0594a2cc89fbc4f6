import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCustomer, makeProject } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { makeReferences, samples } from '../resources.ts';
import * as sample from '../rest/samples.ts';
import { work } from '../webhooks/receiver.ts';
import type { Worker } from '../../src/jobs/worker.ts';
import { doInBulk, readResults, untilEnded, upload } from './operations.ts';

let service: Service;
let worker: Worker;
let acme: Integrator;
beforeAll(async () => {
  service = await startService();
  worker = await work(service);
  acme = await service.integrator();
});
afterAll(async () => {
  await worker.stop();
  await service.close();
});

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
const time = expect.stringMatching(/^20\d\d-/) as string;
const customers = { resource: 'customers', action: 'create' };

describe('POST /bulk-operations', () => {
  it('answers 201 with the operation and its Location; a job does the lines', async () => {
    const { status, headers, body } = await upload(acme, customers, [sample.customer, sample.customer]);
    const { id } = body.data as { id: string };
    expect([status, headers.get('location')]).toEqual([201, `${service.url}/api/v1/bulk-operations/${id}`]);
    expect(body).toEqual({
      data: {
        id: uuid,
        resource: 'customers',
        action: 'create',
        status: 'pending',
        lines: 2,
        processed_lines: 0,
        succeeded_lines: 0,
        failed_lines: 0,
        error: null,
        created_at: time,
        started_at: null,
        finished_at: null,
        updated_at: time,
      },
    });
    expect(await untilEnded(acme, id)).toEqual({
      ...body.data,
      status: 'completed',
      processed_lines: 2,
      succeeded_lines: 2,
      started_at: time,
      finished_at: time,
      updated_at: time,
    });
    const results = await readResults(acme, id);
    expect(results).toEqual([1, 2].map((line) => ({ line, status: 201, id: uuid })));
    const { body: read } = await acme.rest('GET', `/customers/${results[0]?.['id'] as string}`);
    expect(read.data).toMatchObject(sample.customer);
  });

  it.each([
    ['customers', 'Customer'],
    ['projects', 'Project'],
    ['invoices', 'Invoice'],
    ['receipts', 'Receipt'],
    ['time-entries', 'TimeEntry'],
  ] as const)('creates %s as the single request does, with its event', async (resource, model) => {
    const who = await service.integrator();
    const { POST } = samples[model].bodies!(await makeReferences(who));
    const events = await who.db.event.count({ where: { type: { endsWith: '.created' } } });
    const { operation, results } = await doInBulk(who, { resource, action: 'create' }, [
      POST,
      { ...POST, nonsense: 1 },
    ]);
    expect(operation).toMatchObject({ resource, succeeded_lines: 1, failed_lines: 1, status: 'completed' });
    const single = await who.rest('POST', `/${resource}`, { ...POST, nonsense: 1 });
    const { request_id: _, ...refusal } = single.body;
    expect(results).toEqual([
      { line: 1, status: 201, id: uuid },
      { line: 2, status: 422, ...refusal },
    ]);
    expect(await who.db.event.count({ where: { type: { endsWith: '.created' } } })).toBe(events + 1);
  });

  it('names each parameter that is missing', async () => {
    const { status, body } = await acme.rest('POST', '/bulk-operations', '{}', { 'content-type': 'application/jsonl' });
    expect([status, body.errors]).toEqual([422, { resource: ['Required.'], action: ['Required.'] }]);
  });

  it('skips empty lines, which count, and takes a last line without a break', async () => {
    const line = JSON.stringify(sample.customer);
    const { operation, results } = await doInBulk(acme, customers, `\n${line}\r\n \t\r\n\n${line}`);
    expect([operation['lines'], results.map(({ line: number }) => number)]).toEqual([2, [2, 5]]);
  });

  it('changes and deletes what a line names by its id, and nothing of another tenant', async () => {
    const beta = await service.integrator();
    const [own, theirs] = [await makeCustomer(acme), await makeCustomer(beta)];
    const lines = [
      { id: own, city: 'Bonn' },
      { id: theirs, city: 'Bonn' },
      { id: 'x' },
      { city: 'Bonn' },
      { id: own, city: 7 },
    ];
    const { results } = await doInBulk(acme, { resource: 'customers', action: 'update' }, lines);
    expect(results).toEqual([
      { line: 1, status: 200, id: own },
      { line: 2, status: 404, message: 'Not found.' },
      { line: 3, status: 404, message: 'Not found.' },
      expect.objectContaining({ line: 4, status: 422, errors: { id: ['Required.'] } }),
      expect.objectContaining({ line: 5, status: 422, errors: { city: ['Must be a string.'] } }),
    ]);
    expect(await acme.db.customer.findFirst({ where: { id: own } })).toMatchObject({ city: 'Bonn' });
    const deleted = await doInBulk(acme, { resource: 'customers', action: 'delete' }, [
      { id: own },
      { id: own },
      { id: theirs },
    ]);
    expect(deleted.results).toEqual([
      { line: 1, status: 204, id: own },
      { line: 2, status: 404, message: 'Not found.' },
      { line: 3, status: 404, message: 'Not found.' },
    ]);
    expect(await acme.db.customer.count({ where: { id: own } })).toBe(0);
    expect(await beta.db.customer.count({ where: { id: theirs } })).toBe(1);
  });

  it('with upsert changes the one with the external id, or adds it', async () => {
    const id = await makeProject(acme, { externalId: 'P-1', name: 'Old' });
    const lines = [
      { external_id: 'P-1', name: 'New' },
      { external_id: 'P-2', name: 'Second' },
      { external_id: 'P-2', name: 'Second again' },
      { name: 'None' },
      { external_id: 'P-3' },
    ];
    const { results } = await doInBulk(acme, { resource: 'projects', action: 'upsert' }, lines);
    expect(results).toEqual([
      { line: 1, status: 200, id },
      { line: 2, status: 201, id: uuid },
      { line: 3, status: 200, id: results[1]?.['id'] },
      expect.objectContaining({ line: 4, status: 422, errors: { external_id: ['Required.'] } }),
      expect.objectContaining({ line: 5, status: 422, errors: { name: ['Required.'] } }),
    ]);
    const names = await acme.db.project.findMany({
      where: { externalId: { in: ['P-1', 'P-2'] } },
      orderBy: { id: 'asc' },
    });
    expect(names.map(({ name }) => name)).toEqual(['New', 'Second again']);
  });
});
