import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { makeCompany, makeCustomer, makeInvoice } from '../graphql/books.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import { startTestTenant } from './make.ts';

// POST /test-helpers/bank-transactions: payments that no bank has made.

let service: Service;
let acme: Integrator;
let test: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator({ name: 'Acme' });
  test = await startTestTenant(service, acme);
  await makeCompany(test, { country: 'DE', iban: 'DE02120300000000202051' });
});
afterAll(() => service.close());

const path = '/test-helpers/bank-transactions';
const pay = (body: object, who = test) => who.rest('POST', path, body);
const addInvoice = async (who = test): Promise<string> =>
  makeInvoice(who, { customerId: await makeCustomer(who, { companyName: 'Bäckerei Nord' }), status: 'ISSUED' });
const find = (id: string) => test.db.invoice.findFirstOrThrow({ where: { id } });

describe('a simulated payment of an invoice', () => {
  let id: string;
  beforeEach(async () => {
    id = await addInvoice();
  });

  it('of what is due is matched as an imported one, and tells webhooks and the audit log', async () => {
    const { number, totalGross, currency } = await find(id);
    const { status, body } = await pay({ invoice_id: id });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      account_iban: 'DE02120300000000202051',
      amount: totalGross.toNumber(),
      currency,
      reference: number,
      counterparty_name: 'Bäckerei Nord',
      booking_date: new Date().toISOString().slice(0, 10),
      match_status: 'matched',
      matches: [{ type: 'invoice', id, amount: totalGross.toNumber() }],
    });
    expect((await find(id)).status).toBe('PAID');
    const types = (await test.db.event.findMany({ orderBy: { id: 'asc' } })).map(({ type }) => type);
    expect(types.slice(-4)).toEqual(expect.arrayContaining(['bank_transaction.matched', 'invoice.paid']));
    expect(types).toContain('bank_account.created');
    expect((await pay({ invoice_id: id })).body.details).toMatchObject([{ code: 'nothing_left' }]);
  });

  it('of less or more waits, with a suggestion, and is dated by the test clock; two equal ones are two', async () => {
    await test.rest('POST', '/test-clock', { now: new Date(Date.now() + 40 * 86_400_000).toISOString() });
    const less = await pay({ invoice_id: id, amount: '1.00' });
    const more = await pay({ invoice_id: id, amount: '10000' });
    const again = await pay({ invoice_id: id, amount: '10000' });
    expect([less, more, again].map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(more.body.data.id).not.toBe(again.body.data.id);
    const { now } = (await test.rest('GET', '/test-clock')).body.data;
    for (const { body } of [less, more]) {
      expect(body.data).toMatchObject({ match_status: 'unmatched', booking_date: now.slice(0, 10) });
      const { bankTransaction } = await test.graphql(
        'query ($id: UUID!) { bankTransaction(id: $id) { suggestions { id } } }',
        { id: body.data.id },
      );
      expect(bankTransaction.suggestions.map((each: { id: string }) => each.id)).toContain(id);
    }
  });
});

it('a transaction without an invoice has what is given', async () => {
  const given = {
    amount: -49.9,
    currency: 'CHF',
    account_iban: 'CH93 0076 2011 6238 5295 7',
    counterparty_name: 'Post AG',
    counterparty_iban: 'DE02500105170137075030',
    reference: 'Porto',
  };
  const { status, body } = await pay(given);
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ ...given, account_iban: 'CH9300762011623852957', match_status: 'unmatched' });
  expect((await pay({ reference: 'Nothing' })).body.details).toMatchObject([{ code: 'required', field: 'amount' }]);
});

it('is for tokens of a test tenant with the abilities, and their own invoices', async () => {
  const [own, theirs] = [await addInvoice(), await addInvoice(acme)];
  expect((await pay({ invoice_id: theirs }, acme)).status).toBe(403);
  expect((await pay({ amount: '1' }, acme)).body.message).toContain('Only in a test tenant');
  expect(await acme.db.bankTransaction.count()).toBe(0);
  expect((await pay({ invoice_id: theirs })).body.details).toMatchObject([{ code: 'not_found' }]);

  const withAbilities = async (...abilities: string[]): Promise<Integrator> => {
    const { token, id: tokenId } = await createToken(service.client, { tenantId: test.tenantId, abilities });
    return asIntegrator(service, { ...test, token, tokenId });
  };
  expect((await pay({ amount: '1' }, await withAbilities('bank-transactions:read', 'invoices:write'))).status).toBe(
    403,
  );
  const writer = await withAbilities('bank-transactions:write', 'bank-transactions:read');
  expect((await pay({ invoice_id: own }, writer)).status).toBe(403);
  expect((await pay({ amount: '1' }, writer)).status).toBe(200);

  const draft = await makeInvoice(test, { customerId: await makeCustomer(test) });
  expect((await pay({ invoice_id: draft })).body.details).toMatchObject([{ code: 'wrong_state' }]);
});

it.each<[string, object, string]>([
  ['nothing', { amount: '0' }, 'zero'],
  ['too many digits', { amount: '1'.repeat(40) }, 'too_many_digits'],
  ['a currency that is none', { amount: '1', currency: 'EURO' }, 'unknown_value'],
  ['a forged account', { amount: '1', account_iban: 'DE00120300000000202051' }, 'invalid_format'],
  ['a long reference', { amount: '1', reference: 'x'.repeat(1001) }, 'too_long'],
])('refuses %s', async (_what, body, code) => {
  const answer = await pay(body);
  expect([answer.status, answer.body.details]).toMatchObject([422, [{ code }]]);
});
