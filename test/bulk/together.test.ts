import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeCustomer, makeProject } from '../graphql/books.ts';
import { type Answer, type Integrator, type Service } from '../harness.ts';
import { item } from '../rest/samples.ts';
import { doInBulk, toLines } from './operations.ts';
import { startWithWorker } from '../with-worker.ts';

// Lines that are written together, beside the same lines sent as single requests by another tenant.

let service: Service;
startWithWorker((started) => (service = started));

type Json = Record<string, unknown>;

/** A line, without what only its tenant has: `existing` stands for an id. */
interface Line {
  existing?: number;
  body: Json;
}

/** Few, so that most are taken: by rows that exist, or by lines before. */
const externalId = fc.constantFrom(null, 'E0', 'E1', 'N0', 'N1', 'N2', 'N3', 'N4', ' N4 ', 'N5', '', 7);
const fields = fc.record(
  {
    city: fc.constantFrom('Kiel', 'Bonn', null, 7),
    payment_terms_days: fc.constantFrom(14, 30, 999),
    electronic_address: fc.constantFrom('a@firma.example', null),
    nonsense: fc.constant(1),
  },
  { requiredKeys: [] },
);
const good = fc.record({ type: fc.constant('customer'), company_name: fc.string({ minLength: 1, maxLength: 5 }) });
const bad = fc.constantFrom<Json>({}, { type: 'customer' }, { type: 'nobody', company_name: 'A' });
const weighted = fc.oneof({ weight: 6, arbitrary: good }, { weight: 1, arbitrary: bad });
const optional = fc.option(externalId, { nil: undefined, freq: 2 });
const existing = fc.option(fc.nat(4), { nil: undefined, freq: 8 });
const plain = fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fields });

const toBody = ([external, ...parts]: [unknown, ...Json[]]): Json => ({
  ...(external !== undefined && { external_id: external }),
  ...Object.assign({}, ...parts),
});
const created = fc.tuple(optional, weighted, plain).map((parts) => ({ body: toBody(parts) }));
const lines: Record<string, fc.Arbitrary<Line>> = {
  create: created,
  update: fc.record({ existing, body: fc.tuple(optional, fields).map(toBody) }) as fc.Arbitrary<Line>,
  upsert: fc.tuple(externalId, weighted, plain).map((parts) => ({ body: toBody(parts) })),
  delete: fc.record({ existing, body: fc.constant({}) }) as fc.Arbitrary<Line>,
};

/** A tenant with five customers, and a project of one, which can't be deleted therefore. */
async function prepare(): Promise<{ who: Integrator; ids: string[] }> {
  const who = await service.integrator();
  const ids: string[] = [];
  for (const external of ['E0', 'E1', 'E2', null, null])
    ids.push(await makeCustomer(who, external === null ? {} : { externalId: external }));
  ids.push(await makeProject(who, { customerId: ids[1] }));
  return { who, ids };
}

/** Where a tenant's ids come from: the rows that were there, and the lines. */
const withoutIds = (value: unknown, ids: readonly string[]): unknown => {
  let text = JSON.stringify(value);
  for (const [at, id] of ids.entries()) text = text.replaceAll(id, `id ${at}`);
  return JSON.parse(text);
};

async function readBooks({ rest }: Integrator, ids: readonly string[]): Promise<unknown> {
  const rows = (await rest('GET', '/customers?per_page=100')).body.data as Json[];
  const events = (await rest('GET', '/events?per_page=100')).body.data as Json[];
  const changes = (await rest('GET', '/changes')).body.data as Json[];
  const times = new Set(['created_at', 'updated_at', 'changed_at', 'tenant_id']);
  const timeless = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (name, each: unknown) => (times.has(name) ? undefined : each)));
  return withoutIds(
    {
      rows: timeless(rows),
      events: events
        .filter(({ event }) => event !== 'bulk_operation.finished')
        .map(({ event, data }) => [event, timeless(data)]),
      changes: changes.map(({ resource, id, deleted, data }) => [resource, id, deleted, timeless(data)]),
    },
    ids,
  );
}

async function asSingle({ rest }: Integrator, action: string, body: Json, id: unknown): Promise<Answer> {
  if (action === 'create') return rest('POST', '/customers', body);
  if (action === 'update') return rest('PATCH', `/customers/${String(id)}`, body);
  if (action === 'delete') return rest('DELETE', `/customers/${String(id)}`);
  const { external_id: external } = body;
  const filter = new URLSearchParams({ external_id: String(external).trim() }).toString();
  const [found] = (await rest('GET', `/customers?${filter}`)).body.data as { id: string }[];
  return found ? rest('PATCH', `/customers/${found.id}`, body) : rest('POST', '/customers', body);
}

describe('a bulk operation', () => {
  it.each(Object.keys(lines))('to %s answers, writes, and records what the single requests do', async (action) => {
    const hasKey = ({ existing: at, body }: Line): boolean =>
      action === 'create' || (action === 'upsert' ? String(body['external_id'] ?? '').length > 1 : at !== undefined);
    const list = fc.array((lines[action] as fc.Arbitrary<Line>).filter(hasKey), { minLength: 2, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(list, async (all) => {
        const [bulk, single] = [await prepare(), await prepare()];
        const toId = (ids: string[], at: number | undefined): Json => (at === undefined ? {} : { id: ids[at] });
        const { results } = await doInBulk(
          bulk.who,
          { resource: 'customers', action },
          all.map(({ existing: at, body }) => ({ ...toId(bulk.ids, at), ...body })),
        );
        const expected: Json[] = [];
        for (const [at, line] of all.entries()) {
          const { id } = toId(single.ids, line.existing);
          const { status, body } = await asSingle(single.who, action, line.body, id);
          const { request_id: _, data, ...refusal } = { ...body } as Json;
          const answered = status < 300 ? { id: action === 'delete' ? id : (data as { id: string }).id } : refusal;
          expected.push({ line: at + 1, status, ...answered });
        }
        const idsOf = (before: string[], done: Json[]): string[] => [
          ...new Set([...before, ...done.flatMap(({ id }) => (id === undefined ? [] : [id as string]))]),
        ];
        const [ours, theirs] = [idsOf(bulk.ids, results), idsOf(single.ids, expected)];
        expect(withoutIds(results, ours)).toEqual(withoutIds(expected, theirs));
        expect(await readBooks(bulk.who, ours)).toEqual(await readBooks(single.who, theirs));
      }),
      { numRuns: 8 },
    );
  });

  it('writes invoices in the order of their lines: numbers, events, and the change feed', async () => {
    const who = await service.integrator();
    const customer = await makeCustomer(who);
    const body = { customer_id: customer, invoice_date: '2026-03-01', items: [item] };
    const all = [
      { ...body, status: 'issued' },
      body,
      { ...body, customer_id: '' },
      { ...body, status: 'issued' },
      body,
    ];
    const { results } = await doInBulk(who, { resource: 'invoices', action: 'create' }, all);
    expect(results.map(({ status }) => status)).toEqual([201, 201, 422, 201, 201]);
    const ids = results.flatMap(({ id }) => (id === undefined ? [] : [id]));
    const rows = (await who.rest('GET', '/invoices')).body.data as Json[];
    expect(rows.map(({ id }) => id)).toEqual(ids.toReversed());
    const [last = '', first = ''] = rows.flatMap(({ number }) => (number === null ? [] : [String(number)]));
    expect(Number(last.slice(-4))).toBe(Number(first.slice(-4)) + 1);
    const changes = (await who.rest('GET', '/changes')).body.data as Json[];
    expect(changes.filter(({ resource }) => resource === 'invoice').map(({ id }) => id)).toEqual(ids);
  });

  it('writes 1,000 lines of which a few are taken, each once', async () => {
    const who = await service.integrator();
    await makeCustomer(who, { externalId: 'C-500' });
    const all = Array.from({ length: 1000 }, (_, at) => ({
      type: 'customer',
      company_name: `Customer ${at}`,
      external_id: `C-${at === 700 ? 650 : at}`,
    }));
    const { operation, results } = await doInBulk(who, { resource: 'customers', action: 'create' }, toLines(all));
    expect(operation).toMatchObject({ succeeded_lines: 998, failed_lines: 2 });
    const refused = results.filter(({ status }) => status !== 201);
    expect(refused.map(({ line, details }) => [line, (details as Json[])[0]?.['code']])).toEqual([
      [501, 'taken'],
      [701, 'taken'],
    ]);
    expect(await who.db.customer.count()).toBe(999);
    expect(await who.db.event.count({ where: { type: 'customer.created' } })).toBe(999);
  });

  it('writes lines that look at other rows after one whose rows were refused meanwhile', async () => {
    const who = await service.integrator();
    const supplier = await makeCustomer(who, { type: 'SUPPLIER' });
    const all = Array.from({ length: 120 }, (_, at) => ({
      supplier_id: supplier,
      receipt_date: '2026-03-01',
      amount_gross: '119',
      external_id: `R-${at === 10 ? 5 : at}`,
    }));
    const { results } = await doInBulk(who, { resource: 'receipts', action: 'create' }, toLines(all));
    expect(results.flatMap(({ line, status }) => (status === 201 ? [] : [[line, status]]))).toEqual([[11, 422]]);
    expect(await who.db.receipt.count()).toBe(119);
    expect(await who.db.event.count({ where: { type: 'receipt.created' } })).toBe(119);
  });
});
