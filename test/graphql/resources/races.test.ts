import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEachServer, startService, type Answer, type Integrator, type Service } from '../../harness.ts';
import { item, makeCustomer, makeInvoice, makeProject, makeReceipt, refusal } from '../books.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

const create = (resource: string, input: object): [string, object] => [
  `mutation ($input: Create${resource}Input!) { create${resource}(input: $input) { id } }`,
  { input },
];

const remove = (resource: string, id: string): [string, object] => [
  `mutation ($id: UUID!) { delete${resource}(id: $id) { id } }`,
  { id },
];

const blocked = async (count: number): Promise<void> => {
  for (;;) {
    const rows = await onEachServer(
      service,
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** Starts both in order while the row is locked for writing. Then releases the lock. */
async function race(table: string, id: string, first: [string, object], second: [string, object]): Promise<Answer[]> {
  const holder = await service.pool.connect();
  try {
    await holder.query('begin');
    await holder.query(`select 1 from ${table} where tenant_id = $1 and id = $2 for update`, [acme.tenantId, id]);
    const answers = [acme.graphqlAnswer(...first)];
    await blocked(1);
    answers.push(acme.graphqlAnswer(...second));
    await blocked(2);
    await holder.query('rollback');
    return await Promise.all(answers);
  } finally {
    holder.release();
  }
}

describe('of concurrent references to and deletions of a row, the later one gets a documented error', () => {
  const date = '2026-01-01';

  const cases: [
    string,
    string,
    () => Promise<string>,
    (id: string) => [string, object],
    (id: string) => [string, object],
    string,
  ][] = [
    [
      'invoice',
      'customers',
      () => makeCustomer(acme),
      (customerId) => create('Invoice', { customerId, invoiceDate: date, items: [item] }),
      (id) => remove('Customer', id),
      'input.customerId',
    ],
    [
      'project',
      'customers',
      () => makeCustomer(acme),
      (customerId) => create('Project', { customerId, name: 'x' }),
      (id) => remove('Customer', id),
      'input.customerId',
    ],
    [
      'receipt',
      'customers',
      () => makeCustomer(acme, { type: 'SUPPLIER' }),
      (supplierId) => create('Receipt', { supplierId, receiptDate: date, amountGross: '1' }),
      (id) => remove('Customer', id),
      'input.supplierId',
    ],
    [
      'receipt',
      'projects',
      () => makeProject(acme),
      (projectId) => create('Receipt', { projectId, receiptDate: date, amountGross: '1' }),
      (id) => remove('Project', id),
      'input.projectId',
    ],
    [
      'time entry',
      'projects',
      () => makeProject(acme),
      (projectId) => create('TimeEntry', { projectId, date, durationMinutes: 1 }),
      (id) => remove('Project', id),
      'input.projectId',
    ],
  ];

  it.each(cases)('a new %s, and its %s row deleted', async (_what, table, make, refer, erase, path) => {
    let id = await make();
    const [, deletion] = await race(table, id, refer(id), erase(id));
    expect(refusal(deletion!)).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { id: [expect.stringMatching(/refer to this/)] },
    });

    id = await make();
    const [deleted, creation] = await race(table, id, erase(id), refer(id));
    expect(deleted!.body.errors).toBeUndefined();
    expect(refusal(creation!)).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { [path]: [expect.stringMatching(/There is no such/)] },
    });
  });

  it('a row deleted twice is not found the second time', async () => {
    const id = await makeCustomer(acme);
    const answers = await race('customers', id, remove('Customer', id), remove('Customer', id));
    expect(answers[0]!.body.errors).toBeUndefined();
    expect(refusal(answers[1]!).code).toBe('NOT_FOUND');
  });

  it('a row deleted during an update is not found by the later one', async () => {
    for (const [table, resource, id, change] of [
      ['customers', 'Customer', await makeCustomer(acme), 'vatId: "1"'],
      ['projects', 'Project', await makeProject(acme), 'description: "1"'],
      ['receipts', 'Receipt', await makeReceipt(acme), 'category: "1"'],
      ['invoices', 'Invoice', await makeInvoice(acme), 'subject: "1"'],
    ]) {
      const update = `mutation ($id: UUID!) { update${resource}(id: $id, input: { ${change} }) { id } }`;
      const [, updated] = await race(table!, id!, remove(resource!, id!), [update, { id }]);
      expect(refusal(updated!).code).toBe('NOT_FOUND');
    }
  });
});
