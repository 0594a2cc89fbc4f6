import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { gateway, onEachServer, runScript, startService, type Integrator, type Service } from '../harness.ts';
import { isOverhead, listen } from '../isolation/statements.ts';

let service: Service;
let acme: Integrator;
let customerId: string;
let supplierId: string;
let projectId: string;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator({ currency: 'TND' });
  const create = async (path: string, body: object): Promise<string> =>
    (await acme.rest('POST', path, body)).body.data.id;
  customerId = await create('/customers', { type: 'customer', company_name: 'x' });
  supplierId = await create('/customers', { type: 'supplier', company_name: 'x' });
  projectId = await create('/projects', { name: 'x', hourly_rate_net: '95.5' });
});

const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((any) => /^[^\0]*\S[^\0]*$/u.test(any));
const day = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((any) => any.toISOString().slice(0, 10));
const amount = fc.integer({ min: 0, max: 99_999 }).map((thousandths) => (thousandths / 1000).toFixed(3));
const sometimes = <T>(value: fc.Arbitrary<T>) => fc.option(value);
const vatRate = fc.constantFrom('0', '7', '7.70', '19');

const item = fc.record(
  {
    title: text,
    quantity: fc.constantFrom('0.1', '1.0', '2.5', '10000'),
    unit: sometimes(text),
    unit_price_net: amount,
    vat_rate: vatRate,
  },
  { requiredKeys: ['title', 'quantity', 'unit_price_net', 'vat_rate'] },
);

/** By path: what is created there, and the resource's name. */
const creations: Record<string, [resource: string, body: () => fc.Arbitrary<object>]> = {
  '/customers': [
    'customer',
    () =>
      fc.record(
        {
          type: fc.constantFrom('customer', 'supplier'),
          company_name: text,
          city: sometimes(text),
          vat_id: sometimes(text),
          country: fc.constantFrom('DE', null),
        },
        { requiredKeys: ['type', 'company_name'] },
      ),
  ],
  '/invoices': [
    'invoice',
    () =>
      fc.record(
        {
          customer_id: fc.constant(customerId),
          invoice_date: day.filter((any) => any <= new Date().toISOString().slice(0, 10)), // in any status
          subject: sometimes(text),
          currency: fc.constantFrom('EUR', 'JPY', 'TND', null),
          status: fc.constantFrom('draft', 'issued', 'paid', null),
          items: fc.array(item, { minLength: 1, maxLength: 4 }),
        },
        { requiredKeys: ['customer_id', 'invoice_date', 'items'] },
      ),
  ],
  '/receipts': [
    'receipt',
    () =>
      fc.record(
        {
          receipt_date: day,
          due_date: sometimes(day),
          amount_gross: amount,
          vat_rate: sometimes(vatRate),
          supplier_id: fc.constantFrom(supplierId, null),
          project_id: fc.constantFrom(projectId, null),
          category: sometimes(text),
          status: fc.constantFrom('draft', 'booked', null),
        },
        { requiredKeys: ['receipt_date', 'amount_gross'] },
      ),
  ],
  '/projects': [
    'project',
    () =>
      fc.record(
        {
          name: text,
          customer_id: fc.constantFrom(customerId, null),
          budget_hours: sometimes(amount),
          hourly_rate_net: sometimes(amount),
          status: fc.constantFrom('active', 'archived', null),
          start_date: sometimes(day),
        },
        { requiredKeys: ['name'] },
      ),
  ],
  '/time-entries': [
    'time_entry',
    () =>
      fc.record(
        {
          project_id: fc.constant(projectId),
          date: day,
          duration_minutes: fc.integer({ min: 1, max: 1440 }),
          billable: fc.constantFrom(true, false, null),
          hourly_rate_net: sometimes(amount),
          description: sometimes(text),
        },
        { requiredKeys: ['project_id', 'date', 'duration_minutes'] },
      ),
  ],
};

describe('the answer to a creation, its event, and a later read have the same bytes, without reading the row again', () => {
  it.each(Object.entries(creations))('POST %s', async (path, [resource, body]) => {
    await fc.assert(
      fc.asyncProperty(body(), async (sent) => {
        const answer = await acme.rest('POST', path, sent);
        expect(answer.status).toBe(201);
        const { id } = answer.body.data;
        const { text: read } = await acme.rest('GET', `${path}/${id}`);
        const { data: _, ...beside } = answer.body;
        // Warnings belong to the answer alone.
        const written =
          'warnings' in beside ? answer.text.slice(0, answer.text.indexOf(',"warnings":')) + '}' : answer.text;
        expect(written).toBe(read);
        const { rows } = await service.pool.query<{ body: string }>(
          'select body from events where tenant_id = $1 and resource_id = $2 order by id',
          [acme.tenantId, id],
        );
        const last = rows.at(-1)?.body ?? '';
        expect(last.slice(last.indexOf('"data":{') + '"data":'.length)).toBe(
          `{"${resource}":${read.slice('{"data":'.length)}}`,
        );
      }),
      { numRuns: 12 },
    );
  });
});

/** Writing statements during `work`. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const heard: string[] = [];
  const silence = listen(({ text: each }) => void heard.push(each));
  await work();
  silence();
  return heard.filter(
    (each) =>
      /\b(insert|update|begin|commit|savepoint)\b/i.test(each) && !isOverhead(each) && !each.includes('api_tokens'),
  );
}

/** Whether what is created relies on a row that it refers to, and has to keep that row's lock until it is committed. */
const locksAnother = (path: string, body: object = {}): boolean =>
  path === '/time-entries' || (path === '/receipts' && 'supplier_id' in body && body.supplier_id !== null);

describe('a creation and its event are one statement; only a lock needs a transaction', () => {
  it.each(Object.keys(creations))('POST %s', async (path) => {
    const [body] = fc.sample(creations[path]?.[1]() ?? fc.object(), 1);
    const written = await statementsOf(async () => {
      expect((await acme.rest('POST', path, { ...body, status: undefined })).status).toBe(201);
    });
    const insertion = expect.stringMatching(/^with .* insert into "public"."events"/);
    const begin = gateway.distributed ? [] : ['BEGIN']; // where it says whose the transaction is
    expect(written).toEqual(locksAnother(path, body) ? [...begin, insertion, 'COMMIT'] : [insertion]);
  });
});

describe('a single statement', () => {
  const customer = { type: 'customer', company_name: 'x' };

  it.each([
    [5, 'deadlock detected', '40P01', 201],
    [6, 'deadlock detected', '40P01', 503],
    [1, 'could not find valid entry for shard 102008', 'XX000', 201], // of Citus, while it moves the tenant
    [1, 'could not find the shard', 'XX000', 500],
  ])(
    'is made again where PostgreSQL ends it for another transaction, at most five times: %d times “%s”',
    async (times, message, code, status) => {
      await onEachServer(service, 'create sequence attempts');
      await runScript(
        service,
        `
      create function fail() returns trigger language plpgsql security definer as $$
      begin
        if nextval('attempts') <= ${times} then raise exception '${message}' using errcode = '${code}'; end if;
        return new;
      end $$;
      create trigger fail after insert on customers for each row execute function fail()`,
      );
      const before = await acme.db.event.count();
      const answer = await acme.rest('POST', '/customers', customer);
      await service.pool.query('drop function fail cascade');
      await onEachServer(service, 'drop sequence attempts');
      expect(answer.status).toBe(status);
      expect((await acme.db.event.count()) - before).toBe(status === 201 ? 1 : 0);
    },
  );

  it.each([
    ['alone', {}],
    ['as a part of what an Idempotency-Key makes one', { 'Idempotency-Key': 'once' }],
  ])(
    'is refused as a fault of the field, where what it refers to goes after it was checked: %s',
    async (_how, headers) => {
      const other = await service.pool.connect();
      await other.query('begin');
      await other.query('delete from customers where tenant_id = $1 and id = $2', [acme.tenantId, customerId]);
      const answering = acme.rest('POST', '/projects', { name: 'x', customer_id: customerId }, headers);
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      while ((await onEachServer(service, waiting)).length === 0) await sleep(10);
      await other.query('commit');
      other.release();
      const { status, body } = await answering;
      expect([status, body.errors]).toEqual([422, { customer_id: ['There is no such customer.'] }]);
    },
  );
});
