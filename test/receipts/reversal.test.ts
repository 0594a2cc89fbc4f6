import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeCustomer, makeReceipt, refusal } from '../graphql/books.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';

// A booked receipt stays as it is, and is taken back by another one (schema/DECISIONS.md#d138-reversed-receipts).

let service: Service;
let acme: Integrator;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  acme = await service.integrator({ timezone: 'Europe/Berlin', currency: 'EUR' });
});
afterAll(() => service.close());

const booked = (fields: object = {}): Promise<string> =>
  makeReceipt(acme, { status: 'BOOKED', amountGross: '119', vatRate: '19', ...fields });
const idsOf = (answer: Answer): string[] => answer.body.data.map(({ id }: { id: string }) => id);
const pairOf = async (id: string): Promise<Record<string, unknown> & { reversal: Record<string, unknown> }> =>
  (
    await acme.graphql(
      `query ($id: UUID!) { receipt(id: $id) { status reason reversedAt externalId amountGross
        reversal { id status receiptDate amountGross amountNet vatAmount vatRate supplierId receiptNumber reason reversalOfId } } }`,
      { id },
    )
  ).receipt;

describe.each([
  ['DELETE', (id: string) => acme.rest('DELETE', `/receipts/${id}`), 204, null],
  ['reverse', (id: string) => acme.rest('POST', `/receipts/${id}/reverse`, { reason: 'Twice' }), 200, 'Twice'],
] as const)('%s of a booked receipt', (_name, reverse, status, reason) => {
  it('adds a receipt with the opposite amounts, and both are gone from REST', async () => {
    const supplierId = await makeCustomer(acme, { type: 'SUPPLIER' });
    const id = await booked({ supplierId, receiptNumber: 'R-1', externalId: 'x-1', receiptDate: '2026-03-01' });
    const other = await booked();
    const { meta } = (await acme.rest('GET', '/changes?since=now')).body;
    expect((await reverse(id)).status).toBe(status);

    const { reversal, ...original } = await pairOf(id);
    expect(original).toEqual({
      status: 'REVERSED',
      reason,
      reversedAt: expect.any(String),
      externalId: null,
      amountGross: '119',
    });
    expect(reversal).toEqual({
      id: expect.any(String),
      status: 'REVERSED',
      receiptDate: '2026-03-01',
      amountGross: '-119',
      amountNet: '-100',
      vatAmount: '-19',
      vatRate: '19',
      supplierId,
      receiptNumber: 'R-1',
      reason,
      reversalOfId: id,
    });
    for (const gone of [id, String(reversal['id'])]) {
      expect((await acme.rest('GET', `/receipts/${gone}`)).status).toBe(404);
      for (const action of ['book', 'reverse', 'payments'])
        expect((await acme.rest('POST', `/receipts/${gone}/${action}`)).status).toBe(404);
      expect((await acme.rest('DELETE', `/receipts/${gone}`)).status).toBe(404);
      expect((await acme.rest('GET', `/receipts/${gone}?reversed=true`)).body.data.status).toBe('reversed');
    }
    const list = await acme.rest('GET', '/receipts');
    expect([idsOf(list), list.body.meta.total]).toEqual([[other], 1]);
    const reversed = await acme.rest('GET', '/receipts?reversed=true');
    expect([idsOf(reversed), reversed.body.meta.total]).toEqual([[reversal['id'], id], 2]);
    expect(idsOf(await acme.rest('GET', '/receipts?status=reversed'))).toEqual([]);
    const changes = (await acme.rest('GET', `/changes?since=${meta.cursor}`)).body.data;
    expect(changes).toMatchObject([{ resource: 'receipt', id, deleted: true }]);
    expect(changes).toHaveLength(1);
    // A client can create a receipt again that it has deleted.
    expect((await acme.graphql('{ receipts(filter: { status: { eq: REVERSED } }) { totalCount } }')).receipts).toEqual({
      totalCount: 2,
    });
    await booked({ externalId: 'x-1' });
  });

  it('is refused while a payment counts, and works once it is undone', async () => {
    const id = await booked();
    await acme.rest('POST', `/receipts/${id}/payments`, { amount: 19 });
    const refused = await reverse(id);
    expect([refused.status, refused.body.details]).toMatchObject([422, [{ field: 'id', code: 'in_use' }]]);
    const payment = await acme.db.payment.findFirstOrThrow();
    expect((await acme.rest('POST', `/payments/${payment.id}/reverse`)).status).toBe(200);
    expect((await reverse(id)).status).toBe(status);
  });

  it('takes place once, of many at the same time', async () => {
    const id = await booked();
    const answers = await Promise.all(Array.from({ length: 5 }, () => reverse(id)));
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([status, 404, 404, 404, 404].toSorted());
    expect(await acme.db.receipt.count()).toBe(2);
  });

  it('is refused to another tenant', async () => {
    const globex = await service.integrator();
    const theirs = await makeReceipt(globex, { status: 'BOOKED' });
    expect((await reverse(theirs)).status).toBe(404);
    expect(await globex.db.receipt.count()).toBe(1);
  });
});

describe('a booked receipt', () => {
  it.each([
    'amountGross: "120"',
    'vatRate: "7"',
    'receiptDate: "2026-03-02"',
    'currency: "USD"',
    'description: "x"',
    'category: "x"',
    'receiptNumber: "x"',
    'supplierId: null',
    'projectId: null',
    'dueDate: "2026-12-01"',
  ])('does not change: %s', async (field) => {
    const id = await booked();
    const update = `mutation ($id: UUID!) { updateReceipt(id: $id, input: { ${field} }) { id } }`;
    const [before] = await acme.db.receipt.findMany();
    expect(refusal(await acme.graphqlAnswer(update, { id })).errors).toHaveProperty('status');
    expect(await acme.db.receipt.findMany()).toEqual([before]);
  });

  it('has metadata and an external id of its own until it is reversed', async () => {
    const id = await booked();
    const update =
      'mutation ($id: UUID!) { updateReceipt(id: $id, input: { metadata: { a: "1" }, externalId: "y" }) { id } }';
    await acme.graphql(update, { id });
    expect((await acme.rest('GET', `/receipts/${id}`)).body.data).toMatchObject({
      metadata: { a: '1' },
      external_id: 'y',
    });
    await acme.rest('DELETE', `/receipts/${id}`);
    expect(refusal(await acme.graphqlAnswer(update, { id })).errors).toHaveProperty('status');
  });

  it.each([
    ['amount_gross = amount_gross + 1, amount_net = amount_net + 1', 'is booked'],
    ["receipt_date = '2020-01-01'", 'is booked'],
    ["status = 'draft'", 'is booked'],
    ["description = 'x'", 'is booked'],
    ["supplier_country = 'FR'", 'is booked'],
    ["receipt_number = 'x'", 'is booked'],
    ["due_date = '2027-01-01'", 'is booked'],
    ["category = 'x'", 'is booked'],
    ["currency = 'USD'", 'is booked'],
    ['vat_rate = 7', 'is booked'],
    ['supplier_id = gen_random_uuid()', 'is booked'],
    ['project_id = gen_random_uuid()', 'is booked'],
    ['credited_receipt_id = gen_random_uuid()', 'is booked'],
    ['exchange_rate = 2', 'is booked'],
    ["exchange_rate_date = '2026-01-01'", 'is booked'],
    ["exchange_rate_source = 'x'", 'is booked'],
    ["exchange_currency = 'USD'", 'is booked'],
  ])('can not be changed by the service’s role in SQL: %s', async (change, message) => {
    const id = await booked();
    await expect(
      acme.db.$rows(`update receipts set ${change} where tenant_id = $1 and id = $2::uuid`, [id]),
    ).rejects.toThrow(message);
    await expect(acme.db.$rows('delete from receipts where tenant_id = $1 and id = $2::uuid', [id])).rejects.toThrow(
      message,
    );
  });
});

it.each(["status = 'booked', reversed_at = null", 'amount_paid = 1', "external_id = 'x'", "metadata = '{}'"])(
  'a reversed receipt can not be changed by the service’s role in SQL: %s',
  async (change) => {
    const id = await booked();
    await acme.rest('DELETE', `/receipts/${id}`);
    const update = acme.db.$rows(`update receipts set ${change} where tenant_id = $1 and id = $2::uuid`, [id]);
    await expect(update).rejects.toThrow('is booked');
  },
);

it('a receipt is either paid or reversed, if both are asked for at the same time', async () => {
  for (let time = 0; time < 12; time += 1) {
    const id = await booked();
    const pay = () => acme.rest('POST', `/receipts/${id}/payments`, { amount: 19 });
    const reverse = () => acme.rest('POST', `/receipts/${id}/reverse`);
    const both = time % 2 ? [pay(), reverse()] : [reverse(), pay()];
    const statuses = (await Promise.all(both)).map((answer) => answer.status).toSorted();
    const { status, reversal } = await pairOf(id);
    const paid = await acme.db.payment.count({ where: { receiptId: id } });
    // Whoever comes later finds the receipt paid (422), or gone (404).
    expect([statuses, status, reversal === null, paid]).toBeOneOf([
      [[200, 422], 'BOOKED', true, 1],
      [[200, 404], 'REVERSED', false, 0],
    ]);
  }
});

it('a draft is deleted, and leaves nothing', async () => {
  const id = await makeReceipt(acme);
  expect((await acme.rest('DELETE', `/receipts/${id}`)).status).toBe(204);
  expect(await acme.db.receipt.count()).toBe(0);
});

it('a reversed receipt is no second one with the same number, and can not be matched', async () => {
  const supplierId = await makeCustomer(acme, { type: 'SUPPLIER' });
  const id = await booked({ supplierId, receiptNumber: 'R-1' });
  await acme.rest('DELETE', `/receipts/${id}`);
  const body = { supplier_id: supplierId, receipt_number: 'R-1', receipt_date: '2026-03-01', amount_gross: 119 };
  expect((await acme.rest('POST', '/receipts', body)).body.warnings).toEqual([]);
});
