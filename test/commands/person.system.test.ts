import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeTenant } from '../../src/identity/index.ts';
import { makeIssuedInvoice, setCompany } from '../documents/parties.ts';
import { makeCreditNote } from '../graphql/books.ts';
import { createDatabase, startService, type Database, type Integrator, type Service } from '../harness.ts';
import { kontor } from '../processes/command-lines.ts';
import { kontor as inProcessOfItsOwn } from '../processes/npm.ts';
import { proveAndSeal, verify } from '../verify/books.ts';

let database: Database;
let service: Service;
let acme: Integrator;
let globex: Integrator;
let customer: string;

const contacts = {
  company_name: 'Ada Lovelace',
  contact_name: 'Ada',
  email: 'ada@example.com',
  phone: '+49 30 1234',
  address_line1: 'Lovelace-Allee 1',
  postal_code: '10115',
  city: 'Berlin',
  vat_id: 'DE136695976',
  buyer_reference: 'Ada-7',
  electronic_address: 'ada@peppol.example',
  electronic_address_scheme: 'EM',
  external_id: 'ada-1',
  metadata: { birthday: '10 December' },
};
const personal = /\bada\b|lovelace|30 1234|"10115"|berlin|DE136695976|december/i;

beforeAll(async () => {
  database = await createDatabase();
  service = await startService({ database });
  acme = await service.integrator();
  globex = await service.integrator();
  await setCompany(acme);
  const made = await acme.rest('POST', '/customers', { type: 'customer', country: 'DE', ...contacts });
  customer = made.body.data.id;
  await makeIssuedInvoice(acme, { customerId: customer });
});
afterAll(async () => {
  await service.close();
  await database.drop();
});

const env = () => ({ DATABASE_URL: database.url, KONTOR_SECRET: 'the secret of the tests, long enough' });
const person = (what: 'export' | 'erase', { tenantId }: Integrator, id: string, ...more: string[]) =>
  kontor(['person', what, '--tenant', tenantId, '--customer', id, ...more], env());

it('exports what is stored about a customer, and only of its tenant', async () => {
  const args = ['person', 'export', '--tenant', acme.tenantId, '--customer', customer, '--json'];
  const { out } = await inProcessOfItsOwn(args, env());
  expect(JSON.parse(out)).toMatchObject({
    customer: contacts,
    documents: [{ number: expect.any(String), buyer: { company_name: 'Ada Lovelace', city: 'Berlin' } }],
    receipts: [],
    audit_log: [{ action: 'created', after: { email: 'ada@example.com' } }],
    events: [{ event: 'customer.created' }],
  });
  for (const id of [customer, "x' or true --"])
    expect(await person('erase', globex, id, '--yes')).toMatchObject({
      code: 1,
      err: `kontor: Unknown customer ${JSON.stringify(id)}\n`,
    });
});

it('exports drafts, credit notes, overpayments, and the number of the account, too', async () => {
  const lonely = (
    await acme.rest('POST', '/customers', { type: 'customer', country: 'DE', ...contacts, external_id: 'ada-2' })
  ).body.data.id;
  const lines = [{ title: 'Advice', quantity: 1, unit_price_net: 100, vat_rate: 19 }];
  const invoice = { customer_id: lonely, invoice_date: '2026-03-01', subject: 'For Ada', items: lines };
  await acme.rest('POST', '/invoices', invoice);
  const credited = (await acme.rest('POST', '/invoices', { ...invoice, status: 'issued' })).body.data;
  await makeCreditNote(acme, { invoiceId: credited.id, reason: 'Ada was ill' });
  const overpaid = { kind: 'OVERPAYMENT' as const, customerId: lonely, amount: 5, currency: 'EUR' };
  await acme.db.payment.create({ data: { ...overpaid, paidOn: new Date('2026-03-02') } });
  await acme.db.partnerAccount.create({ data: { customerId: lonely, kind: 'debtor', number: 10_777 } });
  const args = ['person', 'export', '--tenant', acme.tenantId, '--customer', lonely, '--json'];
  expect(JSON.parse((await inProcessOfItsOwn(args, env())).out)).toMatchObject({
    drafts: [{ id: expect.any(String), date: '2026-03-01', subject: 'For Ada' }],
    credit_notes: [{ number: expect.stringMatching(/^CN-/), reason: 'Ada was ill' }],
    payments: [{ kind: expect.any(String), amount: expect.anything(), currency: 'EUR' }],
    accounts: [{ kind: 'debtor', number: 10_777 }],
  });
});

it('erases name and contacts once that is confirmed; what was issued stays, and verifies', async () => {
  await proveAndSeal(service, acme);
  expect(await person('erase', acme, customer)).toMatchObject({ code: 1, err: expect.stringContaining('--yes') });
  const companyName = `Erased ${customer.slice(-12)}`;
  expect(JSON.parse((await person('erase', acme, customer, '--yes', '--json')).out)).toEqual({
    id: customer,
    company_name: companyName,
    documents: 1,
  });
  const row = await acme.db.customer.findFirstOrThrow({ where: { id: customer } });
  expect(JSON.stringify(row)).not.toMatch(personal);
  expect(row).toMatchObject({ companyName, country: 'DE', metadata: {} });
  const { rows } = await service.pool.query('select search_text from customers where id = $1', [customer]);
  expect(JSON.stringify(rows)).not.toMatch(personal);
  expect(await acme.db.invoiceParties.findFirstOrThrow()).toMatchObject({ buyer: { company_name: 'Ada Lovelace' } });
  await proveAndSeal(service, acme);
  expect((await verify(service, acme)).all).toEqual([]);
});

it('says where name and contacts may still stand, and for how long', async () => {
  const { body } = await acme.rest('POST', '/customers', {
    type: 'customer',
    country: 'DE',
    ...contacts,
    external_id: 'ada-3',
  });
  const { out } = await person('erase', acme, body.data.id, '--yes');
  const said = out.replaceAll(/\s+/g, ' ');
  expect(said).toContain('0 issued documents keep the name and address.');
  expect(said).toContain('the audit log, until AUDIT_LOG_YEARS are over');
  expect(said).toContain('events, until EVENT_DAYS are over');
  expect(said).toContain('lines and results of bulk operations, until 30 days after their end');
  expect(said).toContain('files of exports, until EXPORT_DAYS are over');
  expect(said).toContain('responses that are stored for idempotency keys, for a day');
});

it('says of a closed tenant that it is closed, and not that there is none', async () => {
  await closeTenant(service.client, globex.tenantId);
  const { tenantId: id } = globex;
  expect(await person('export', globex, customer)).toMatchObject({
    code: 1,
    err: `kontor: Tenant ${id} is closed: reopen it first, tenant reopen ${id}\n`,
  });
  await service.client.tenant.update({ where: { id }, data: { deletionStartedAt: new Date() } });
  expect((await person('export', globex, customer)).err).toBe(`kontor: Tenant ${id} is being deleted\n`);
});
