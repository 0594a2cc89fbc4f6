import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createUser } from '../../src/identity/index.ts';
import {
  asIntegrator,
  holdLock,
  onEachServer,
  runScript,
  startService,
  type Answer,
  type Integrator,
  type Service,
} from '../harness.ts';
import { listen } from '../isolation/statements.ts';
import { readBooks, eventsDuring, makeCustomer, makeProject, makeTimeEntry, refusal } from '../graphql/books.ts';

let service: Service;
let acme: Integrator;
let customerId: string;

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  service.clock.now = undefined;
  acme = await service.integrator();
  customerId = await makeCustomer(acme, { language: 'en' });
});
afterAll(() => service.close());

const document = `mutation (
  $projectId: UUID!, $vatRate: Decimal!, $until: Date, $invoiceDate: Date, $groupBy: BilledTimeGrouping
) {
  billed: billProject(
    projectId: $projectId, vatRate: $vatRate, until: $until, invoiceDate: $invoiceDate, groupBy: $groupBy
  ) { id }
}`;
const billAnswer = (projectId: string, more: object = {}): Promise<Answer> =>
  acme.graphqlAnswer(document, { projectId, vatRate: '19', ...more });
const bill = async (projectId: string, more: object = {}): Promise<string> =>
  (await acme.graphql(document, { projectId, vatRate: '19', ...more })).billed.id;
const project = (more: object = {}) => makeProject(acme, { customerId, hourlyRateNet: '90', ...more });
const track = (projectId: string, more: object = {}) => makeTimeEntry(acme, { projectId, ...more });
const entry = async (id: string) => (await acme.rest('GET', `/time-entries/${id}`)).body.data;
const invoice = async (id: string) => (await acme.rest('GET', `/invoices/${id}`)).body.data;

describe('unbilled time of a project becomes a draft invoice in one mutation', () => {
  it('makes a line for each entry, oldest first, with hours to four decimals, at the entry’s rate or the project’s', async () => {
    service.clock.now = new Date('2026-06-30T12:00:00Z');
    const projectId = await project({ name: 'Website', currency: 'EUR' });
    const second = await track(projectId, { date: '2026-03-02', durationMinutes: 20, description: 'Call' });
    const first = await track(projectId, { date: '2026-03-01', durationMinutes: 90, description: null });
    const third = await track(projectId, { date: '2026-03-02', durationMinutes: 5, hourlyRateNet: '120.5' });
    let id = '';
    const events = await eventsDuring(service, acme, async () => (id = await bill(projectId, { vatRate: '7.5' })));
    const line = { id: expect.any(String), unit: 'h', vat_rate: 7.5 };
    expect(await invoice(id)).toMatchObject({
      customer_id: customerId,
      status: 'draft',
      number: null,
      invoice_date: '2026-06-30',
      due_date: '2026-07-14',
      delivery_date: '2026-03-02', // the day of the last entry
      subject: 'Website',
      currency: 'EUR',
      items: [
        { ...line, position: 1, title: '2026-03-01', quantity: 1.5, unit_price_net: 90, line_total_net: 135 },
        { ...line, position: 2, title: '2026-03-02 Call', quantity: 0.3333, unit_price_net: 90, line_total_net: 30 },
        { ...line, position: 3, title: '2026-03-02', quantity: 0.0833, unit_price_net: 120.5, line_total_net: 10.04 },
      ],
      total_net: 175.04,
      total_vat: 13.13,
      total_gross: 188.17,
    });
    const [created, ...billed] = events.map(({ type, body }) => [type, body.data]);
    expect(created).toEqual(['invoice.created', { invoice: await invoice(id) }]);
    const entries = await Promise.all([first, second, third].map(async (each) => ({ time_entry: await entry(each) })));
    expect(billed).toHaveLength(3);
    expect(billed).toEqual(expect.arrayContaining(entries.map((data) => ['time_entry.billed', data])));
    for (const each of [first, second, third])
      expect(await entry(each)).toMatchObject({ billed: true, invoice_id: id });
  });

  it('leaves out entries that are not billable, includes the day of until, and takes an invoice date', async () => {
    const projectId = await project();
    const early = await track(projectId, { date: '2026-03-01' });
    const last = await track(projectId, { date: '2026-03-31' });
    const late = await track(projectId, { date: '2026-04-01' });
    const unbillable = await track(projectId, { date: '2026-03-15', billable: false });
    const elsewhere = await track(await project(), { date: '2026-03-15' });
    const id = await bill(projectId, { until: '2026-03-31', invoiceDate: '2026-04-05' });
    expect(await invoice(id)).toMatchObject({ invoice_date: '2026-04-05', items: [{}, {}], total_net: 180 });
    for (const each of [early, last]) expect(await entry(each)).toMatchObject({ invoice_id: id });
    for (const each of [late, unbillable, elsewhere]) expect(await entry(each)).toMatchObject({ billed: false });
    const rest = await bill(projectId);
    expect((await invoice(rest)).items).toHaveLength(1);
    expect(await entry(late)).toMatchObject({ invoice_id: rest });
  });

  it('uses the project’s rate for an entry from before the rate was set', async () => {
    const projectId = await makeProject(acme, { customerId });
    await track(projectId);
    expect(refusal(await billAnswer(projectId)).errors).toEqual({
      projectId: ['The time entry of 2026-03-01 has no hourly rate.'],
    });
    await acme.graphql('mutation ($id: UUID!) { updateProject(id: $id, input: { hourlyRateNet: "75" }) { id } }', {
      id: projectId,
    });
    expect(await invoice(await bill(projectId))).toMatchObject({ total_net: 75 });
  });

  it('rounds to a currency without minor digits, and cuts a description that is too long for a title', async () => {
    const projectId = await project({ currency: 'JPY', hourlyRateNet: '1000' });
    await track(projectId, { durationMinutes: 20, description: '🧾'.repeat(300) });
    const { currency, total_net: net, items } = await invoice(await bill(projectId));
    expect({ currency, net }).toEqual({ currency: 'JPY', net: 333 });
    expect(items[0].title).toBe(`2026-03-01 ${'🧾'.repeat(244)}`);
  });

  it('leaves no space where it cuts a title, or the name before a period', async () => {
    const projectId = await project({ name: `${'p'.repeat(242)} and more` });
    await track(projectId, { description: `${'a'.repeat(243)} and more` });
    const { items } = await invoice(await bill(projectId));
    expect(items[0].title).toBe(`2026-03-01 ${'a'.repeat(243)}`);
    await track(projectId, { description: 'Call' });
    const { items: byProject } = await invoice(await bill(projectId, { groupBy: 'PROJECT' }));
    expect(byProject[0].title).toBe(`${'p'.repeat(242)}, 2026-03-01`);
  });
});

describe('lines are grouped', () => {
  /** Two people's work: two descriptions, two days, two rates. */
  async function work(): Promise<string> {
    const projectId = await project({ name: 'Website' });
    const { id: userId } = await createUser(service.client, {
      email: `${randomUUID()}@example.com`,
      name: 'Grace Hopper',
      tenantId: acme.tenantId,
    });
    await service.client.user.update({ where: { id: acme.userId }, data: { name: 'Ada Lovelace' } });
    await track(projectId, { date: '2026-03-02', durationMinutes: 30, description: 'Call' });
    await track(projectId, { date: '2026-03-01', durationMinutes: 90, description: 'Design' });
    await track(projectId, { date: '2026-03-01', durationMinutes: 20, description: 'Call' });
    await track(projectId, { date: '2026-03-01', durationMinutes: 20, description: 'Call' });
    const dear = await track(projectId, { date: '2026-03-02', description: null, hourlyRateNet: '120' });
    await acme.db.timeEntry.update({
      where: { tenantId_id: { tenantId: acme.tenantId, id: dear } },
      data: { userId },
    });
    return projectId;
  }

  it.each([
    [
      'DAY',
      [
        ['2026-03-01: Design, Call', 2.1667, 90],
        ['2026-03-02: Call', 0.5, 90],
        ['2026-03-02', 1, 120],
      ],
    ],
    [
      'DESCRIPTION',
      [
        ['Design', 1.5, 90],
        ['Call', 1.1667, 90],
        ['Website', 1, 120],
      ],
    ],
    [
      'PERSON',
      [
        ['Ada Lovelace, 2026-03-01 to 2026-03-02', 2.6667, 90],
        ['Grace Hopper, 2026-03-02', 1, 120],
      ],
    ],
    [
      'PROJECT',
      [
        ['Website, 2026-03-01 to 2026-03-02', 2.6667, 90],
        ['Website, 2026-03-02', 1, 120],
      ],
    ],
  ])('by %s: one line for each, and for each rate within it', async (groupBy, lines) => {
    const id = await bill(await work(), { groupBy });
    const { items } = await invoice(id);
    expect(
      items.map((line: { title: string; quantity: number; unit_price_net: number }) => [
        line.title,
        line.quantity,
        line.unit_price_net,
      ]),
    ).toEqual(lines);
    expect(await acme.db.timeEntry.count({ where: { invoiceId: id } })).toBe(5);
  });

  it.each([
    ['PERSON', ['Ada Lovelace, 2026-03-01 bis 2026-03-02', 'Grace Hopper, 2026-03-02']],
    ['PROJECT', ['Website, 2026-03-01 bis 2026-03-02', 'Website, 2026-03-02']],
  ])('by %s, in the language of the document', async (groupBy, titles) => {
    customerId = await makeCustomer(acme, { language: 'de', country: 'US' });
    const { items } = await invoice(await bill(await work(), { groupBy }));
    expect(items.map((line: { title: string }) => line.title)).toEqual(titles);
  });

  it('by user with a line without a name for a user who has left the tenant', async () => {
    const projectId = await project();
    const id = await track(projectId);
    await acme.db.timeEntry.update({
      where: { tenantId_id: { tenantId: acme.tenantId, id } },
      data: { userId: randomUUID() },
    });
    const { items } = await invoice(await bill(projectId, { groupBy: 'PERSON' }));
    expect(items).toMatchObject([{ title: 'Former member, 2026-03-01' }]);
  });

  it('from more than 500 entries, if there are at most 500 lines', async () => {
    const projectId = await project();
    await track(projectId);
    const { id: _id, metadata: _metadata, ...row } = await acme.db.timeEntry.findFirstOrThrow({ where: { projectId } });
    await acme.db.timeEntry.createMany({ data: Array.from({ length: 600 }, () => row) });
    const { items, total_net: net } = await invoice(await bill(projectId, { groupBy: 'PROJECT' }));
    expect([items.length, items[0].quantity, net]).toEqual([1, 601, 54_090]);
  });

  it('of very many entries, with some at a time written and announced, also when they become unbilled', async () => {
    const projectId = await project();
    await track(projectId);
    const { id: _id, metadata: _metadata, ...row } = await acme.db.timeEntry.findFirstOrThrow({ where: { projectId } });
    await acme.db.timeEntry.createMany({ data: Array.from({ length: 1200 }, () => row) });
    const written: string[] = [];
    const stop = listen(({ text }) => {
      const [table] = /(?<=^(?:update|with|insert into) .*)(?:time_entries|events)(?=")/is.exec(text) ?? [];
      if (table !== undefined && table !== written.at(-1)) written.push(table);
    });
    onTestFinished(stop);
    const id = await bill(projectId, { groupBy: 'PROJECT' });
    expect((await acme.rest('DELETE', `/invoices/${id}`)).status).toBe(204);
    // The draft's event; then at most 500 entries at a time, of the billing and of the deletion.
    expect(written).toEqual(['events', ...Array.from({ length: 6 }, () => ['time_entries', 'events']).flat()]);
    const events = await acme.db.event.groupBy({ by: ['type'], _count: true, where: { type: { contains: 'billed' } } });
    expect(events.map(({ type, _count: count }) => [type, count]).toSorted()).toEqual([
      ['time_entry.billed', 1201],
      ['time_entry.unbilled', 1201],
    ]);
    expect(await acme.db.timeEntry.count({ where: { projectId, invoiceId: null } })).toBe(1201);
  });
});

describe('a rejected billing changes nothing', () => {
  const cases: [string, () => Promise<[string, object?]>, object][] = [
    [
      'a project without a customer',
      async () => {
        const projectId = await makeProject(acme, { hourlyRateNet: '90' });
        await track(projectId);
        return [projectId];
      },
      { projectId: ['This project has no customer to invoice.'] },
    ],
    [
      'nothing to bill',
      async () => {
        const projectId = await project();
        await track(projectId, { billable: false });
        return [projectId];
      },
      { projectId: ['This project has no time to bill.'] },
    ],
    [
      'nothing until then',
      async () => {
        const projectId = await project();
        await track(projectId);
        return [projectId, { until: '2026-02-28' }];
      },
      { projectId: ['This project has no time to bill.'] },
    ],
    [
      'a VAT rate over 100',
      async () => {
        const projectId = await project();
        await track(projectId);
        return [projectId, { vatRate: '101' }];
      },
      { vatRate: [expect.any(String)] },
    ],
    [
      'more than 500 entries',
      async () => {
        const projectId = await project();
        await track(projectId);
        const { id, metadata: _, ...row } = await acme.db.timeEntry.findFirstOrThrow({ where: { projectId } });
        expect(id).toBeDefined();
        await acme.db.timeEntry.createMany({
          data: Array.from({ length: 500 }, () => ({ ...row, date: new Date('2026-03-02') })),
        });
        return [projectId];
      },
      { until: [expect.stringMatching(/at most 500/)] },
    ],
  ];
  it.each(cases)('%s', async (_what, arrange, errors) => {
    const [projectId, more] = await arrange();
    const before = await readBooks(service, acme);
    expect(refusal(await billAnswer(projectId, more))).toMatchObject({ code: 'VALIDATION_FAILED', errors });
    expect(await readBooks(service, acme)).toEqual(before);
  });

  it('500 of these are accepted', async () => {
    const projectId = await project();
    await track(projectId);
    const { id: _id, metadata: _metadata, ...row } = await acme.db.timeEntry.findFirstOrThrow({ where: { projectId } });
    await acme.db.timeEntry.createMany({
      data: Array.from({ length: 500 }, () => ({ ...row, date: new Date('2026-03-02') })),
    });
    expect((await invoice(await bill(projectId, { until: '2026-03-01' }))).items).toHaveLength(1);
    const rest = await invoice(await bill(projectId));
    expect(rest.items).toHaveLength(500);
    expect(rest.total_net).toBe(45_000);
  });

  it('another tenant’s project is not found', async () => {
    const globex = await service.integrator();
    const projectId = await makeProject(globex, { customerId: await makeCustomer(globex), hourlyRateNet: '1' });
    await makeTimeEntry(globex, { projectId });
    const before = await readBooks(service, globex);
    expect(refusal(await billAnswer(projectId)).code).toBe('NOT_FOUND');
    expect(await readBooks(service, globex)).toEqual(before);
  });
});

describe('each entry is billed exactly once', () => {
  /** Entries on lines of invoices that count, by the project's invoices. */
  const lines = () => acme.db.invoiceItem.count();

  it('by ten concurrent requests', async () => {
    const projectId = await project();
    for (let count = 0; count < 12; count += 1) await track(projectId);
    const answers = await Promise.all(Array.from({ length: 10 }, () => billAnswer(projectId)));
    const done = answers.filter(({ body }) => !body.errors);
    expect(done).toHaveLength(1);
    for (const answer of answers.filter(({ body }) => body.errors))
      expect(refusal(answer).errors).toEqual({ projectId: ['This project has no time to bill.'] });
    expect(await lines()).toBe(12);
    expect(await acme.db.timeEntry.count({ where: { invoiceId: done[0]!.body.data.billed.id } })).toBe(12);
    expect(await acme.db.invoice.count()).toBe(1);
  });

  it('by concurrent requests for different periods, while more time is tracked', async () => {
    const projectId = await project();
    const days = Array.from({ length: 9 }, (_, day) => `2026-03-0${day + 1}`);
    for (const date of days) await track(projectId, { date });
    const [, ...answers] = await Promise.all([
      Promise.all(days.map((date) => track(projectId, { date }))),
      ...Array.from({ length: 10 }, (_, at) => billAnswer(projectId, { until: days[at % 9] })),
    ]);
    for (const answer of answers.filter(({ body }) => body.errors))
      expect(refusal(answer).code).toBe('VALIDATION_FAILED');
    await billAnswer(projectId);
    expect(await lines()).toBe(18);
    for (const { id } of await acme.db.invoice.findMany()) {
      expect(await acme.db.timeEntry.count({ where: { invoiceId: id } })).toBe(
        await acme.db.invoiceItem.count({ where: { invoiceId: id } }),
      );
    }
  });

  it('as one change of it: one version, and one entry of the audit log', async () => {
    const projectId = await project();
    const id = await track(projectId);
    const invoiceId = await bill(projectId);
    const { timeEntry, auditLog } = await acme.graphql(
      `query ($id: UUID!) {
        timeEntry(id: $id) { version }
        auditLog(resource: "time_entry", resourceId: $id) { nodes { action version after } }
      }`,
      { id },
    );
    expect(timeEntry).toEqual({ version: 2 });
    expect(auditLog.nodes.map(({ action, version }: { action: string; version: number }) => [action, version])).toEqual(
      [
        ['UPDATED', 2],
        ['CREATED', 1],
      ],
    );
    expect(auditLog.nodes[0].after).toEqual({ invoice_id: invoiceId });
  });

  it('on the next invoice if it is tracked while one is created', async () => {
    const projectId = await project();
    await track(projectId, { date: '2026-03-05' });
    // The billing stops when it has locked and read the entries. It has a connection of the tenant, so another process tracks.
    const url = String((service.pool.options as { connectionString?: string }).connectionString);
    const elsewhere = await startService({ database: { url, drop: async () => {} } });
    onTestFinished(elsewhere.close);
    await runScript(
      service,
      `
      create function stall() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(4711); return null; end $$;
      create trigger stall after insert on invoices for each row execute function stall()`,
    );
    onTestFinished(async () => void (await service.pool.query('drop function stall cascade')));
    const release = await holdLock(service, 4711);
    const billing = bill(projectId);
    await vi.waitUntil(async () => {
      const waiting = await onEachServer(
        service,
        `select from pg_locks join pg_database on pg_database.oid = database
         where datname = current_database() and locktype = 'advisory' and not granted`,
      );
      return waiting.length === 1;
    });
    await makeTimeEntry(asIntegrator(elsewhere, acme), { projectId, date: '2026-03-05' });
    await release();
    const id = await billing;
    expect((await invoice(id)).items).toHaveLength(1);
    expect(await acme.db.timeEntry.count({ where: { invoiceId: id } })).toBe(1);
    expect(await acme.db.timeEntry.count({ where: { invoiceId: null } })).toBe(1);
  });

  it('and again after the draft is deleted or the invoice is cancelled', async () => {
    const projectId = await project();
    const id = await track(projectId);
    const draft = await bill(projectId);
    expect(refusal(await billAnswer(projectId)).errors).toHaveProperty('projectId');
    expect((await acme.rest('DELETE', `/invoices/${draft}`)).status).toBe(204);
    expect(await entry(id)).toMatchObject({ billed: false, invoice_id: null });

    const again = await bill(projectId);
    expect(await entry(id)).toMatchObject({ billed: true, invoice_id: again });
    await acme.graphql('mutation ($id: UUID!) { issueInvoice(id: $id) { id } }', { id: again });
    expect(await entry(id)).toMatchObject({ billed: true, invoice_id: again });
    await acme.graphql('mutation ($id: UUID!) { cancelInvoice(id: $id) { id } }', { id: again });
    expect(await entry(id)).toMatchObject({ billed: false, invoice_id: null });
    expect(await bill(projectId)).not.toBe(again);
  });
});
