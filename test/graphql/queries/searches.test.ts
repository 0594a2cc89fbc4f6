import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../../src/identity/index.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../../harness.ts';
import { isOverhead, listen } from '../../isolation/statements.ts';
import {
  makeBankTransaction,
  makeCreditNote,
  makeCustomer,
  makeInvoice,
  makePayment,
  makeProject,
  makeReceipt,
  makeTimeEntry,
  refusal,
} from '../books.ts';

let service: Service;
let acme: Integrator;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
});
afterAll(() => service.close());

/** The ids of a list, newest first. Expects the same number in its `totalCount`. */
async function ids(list: string, who = acme): Promise<string[]> {
  const { page } = await who.graphql(`{ page: ${list} { nodes { id } totalCount } }`);
  expect(page.totalCount).toBe(page.nodes.length);
  return page.nodes.map(({ id }: { id: string }) => id);
}

/** Every statement about tenant tables that `work` sends. */
async function statements(work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const stop = listen(({ text }) => void (/"api_tokens"/.test(text) || isOverhead(text) || sent.push(text)));
  await work().finally(stop);
  return sent;
}

describe('invoices', () => {
  it('q: part of the number, the subject or the customer’s company name, in any case', async () => {
    const customerId = await makeCustomer(acme, { companyName: 'Bäckerei Sonnenschein', email: 'needle@example.com' });
    const issued = await makeInvoice(acme, { customerId, status: 'ISSUED', subject: '100% Advice_on ÄRGER' });
    const draft = await makeInvoice(acme, { customerId });
    const other = await makeInvoice(acme, { subject: 'Bread of the Sonnenschein' });
    const { number } = (await acme.graphql(`{ invoice(id: "${issued}") { number } }`)).invoice;
    expect(await ids(`invoices(filter: { q: "${number}" })`)).toEqual([issued]);
    for (const q of ['advice', '0% a', 'e_on', 'ärger'])
      expect(await ids(`invoices(filter: { q: "${q}" })`)).toEqual([issued]);
    expect(await ids('invoices(filter: { q: "BÄCKEREI" })')).toEqual([draft, issued]);
    expect(await ids('invoices(filter: { q: "sonnenschein" })')).toEqual([other, draft, issued]);
    expect(await ids('invoices(filter: { q: "sonnenschein", status: { eq: DRAFT } })')).toEqual([other, draft]);
    for (const q of ['needle', '100_', 'adviceXon', '%%'])
      expect(await ids(`invoices(filter: { q: "${q}" })`)).toEqual([]);
  });

  it('q finds the same in and, or, an aggregate, and a list of credit notes by their invoices', async () => {
    const who = await service.integrator();
    const customerId = await makeCustomer(who, { companyName: 'Zimmerei Holzwurm' });
    const invoiceId = await makeInvoice(who, { customerId, status: 'PAID', subject: 'Dachstuhl' });
    const creditNote = await makeCreditNote(who, { invoiceId });
    await makeInvoice(who, { subject: 'Treppe' });
    for (const q of ['{ q: "holzwurm" }', '{ q: "dach HOLZ" }']) {
      for (const filter of [q, `{ and: [${q}] }`, `{ or: [${q}, { subject: { eq: "none" } }] }`]) {
        expect(await ids(`invoices(filter: ${filter})`, who)).toEqual([invoiceId]);
        expect(await who.graphql(`{ invoicesAggregate(filter: ${filter}) { count } }`)).toEqual({
          invoicesAggregate: [{ count: 1 }],
        });
      }
      expect(await ids(`creditNotes(filter: { invoice: ${q} })`, who)).toEqual([creditNote]);
    }
    const reader = { tenantId: who.tenantId, abilities: ['invoices:read'] };
    const blind = asIntegrator(service, { ...who, token: (await createToken(service.client, reader)).token });
    expect(await ids('invoices(filter: { and: [{ q: "holzwurm" }] })', blind)).toEqual([]);
    const within = `{ customer(id: "${customerId}") {
      byName: invoices(filter: { q: "holzwurm" }) { totalCount }
      bySubject: invoices(filter: { and: [{ q: "dach" }] }) { totalCount }
    } }`;
    // D130: a list within a row searches the rows' own fields.
    expect((await who.graphql(within)).customer).toEqual({ byName: { totalCount: 0 }, bySubject: { totalCount: 1 } });
  });

  it('q: words in any order, without accents, of the invoice and of its customer together', async () => {
    const who = await service.integrator();
    const customerId = await makeCustomer(who, { companyName: 'Gasthaus Lo\u0308wen', email: 'needle@example.com' });
    const issued = await makeInvoice(who, { customerId, status: 'ISSUED', subject: 'Möbel für die Galerie' });
    await makeInvoice(who, { customerId, subject: 'Stühle' });
    await makeInvoice(who, { subject: 'Mobel' });
    const { number } = (await who.graphql(`{ invoice(id: "${issued}") { number } }`)).invoice;
    for (const q of ['mobel lowen', `LÖWEN ${number}`, 'galerie gasthaus für', 'fur möb löw']) {
      expect(await ids(`invoices(filter: { q: "${q}" })`, who)).toEqual([issued]);
      expect(await ids(`invoices(filter: { q: "${q}", status: { eq: ISSUED } })`, who)).toEqual([issued]);
    }
    for (const q of ['mobel stuhle', 'lowen needle'])
      expect(await ids(`invoices(filter: { q: "${q}" })`, who)).toEqual([]);
    const receipt = await makeReceipt(who, {
      supplierId: await makeCustomer(who, { type: 'SUPPLIER', companyName: 'Großhandel' }),
      description: 'Café',
    });
    expect(await ids('receipts(filter: { q: "cafe gross" })', who)).toEqual([receipt]);
    const project = await makeProject(who, { name: 'Umzug nach Łódź' });
    expect(await ids('projects(filter: { q: "lodz umzug" })', who)).toEqual([project]);
    const transaction = await makeBankTransaction(who, { counterpartyName: 'Løwe', reference: 'Rechnung 7' });
    expect(await ids('bankTransactions(filter: { q: "rechnung lowe" })', who)).toEqual([transaction]);
  });

  it('q finds nothing of another tenant', async () => {
    const globex = await service.integrator();
    await makeInvoice(globex, {
      subject: 'Foreign',
      customerId: await makeCustomer(globex, { companyName: 'Foreign' }),
    });
    expect(await ids('invoices(filter: { q: "foreign" })')).toEqual([]);
    expect(await ids('invoices(filter: { q: "foreign" })', globex)).toHaveLength(1);
  });

  it('q reveals nothing of customers that a token can’t read', async () => {
    const abilities = ['invoices:read', 'receipts:read'];
    const { token, id: tokenId } = await createToken(service.client, { tenantId: acme.tenantId, abilities });
    const clerk = asIntegrator(service, { ...acme, token, tokenId });
    const customerId = await makeCustomer(acme, { companyName: 'Secret Partner', type: 'SUPPLIER' });
    const invoice = await makeInvoice(acme, { customerId, subject: 'Hush' });
    const receipt = await makeReceipt(acme, { supplierId: customerId, description: 'Hush' });
    expect(await ids('invoices(filter: { q: "secret" })')).toEqual([invoice]);
    expect(await ids('receipts(filter: { q: "secret" })')).toEqual([receipt]);
    expect(await ids('invoices(filter: { q: "secret" })', clerk)).toEqual([]);
    expect(await ids('invoices(filter: { or: [{ q: "secret" }] })', clerk)).toEqual([]);
    expect(await ids('invoices(filter: { or: [{ q: "hush" }] })', clerk)).toEqual([invoice]);
    expect(await ids('receipts(filter: { q: "secret" })', clerk)).toEqual([]);
    expect(await ids('invoices(filter: { q: "hush" })', clerk)).toEqual([invoice]);
    expect(await ids('receipts(filter: { q: "hush" })', clerk)).toEqual([receipt]);
  });

  it('q finds invoices of any of very many customers with that name', async () => {
    const many = Array.from({ length: 1100 }, (_, n) => ({ type: 'SUPPLIER' as const, companyName: `Legion ${n}` }));
    await acme.db.customer.createMany({ data: many });
    const last = await acme.db.customer.findFirstOrThrow({ where: { companyName: 'Legion 1099' } });
    const invoice = await makeInvoice(acme, { customerId: last.id });
    const receipt = await makeReceipt(acme, { supplierId: last.id });
    for (const q of ['legion', 'LEGION 1099']) {
      expect(await ids(`invoices(filter: { q: "${q}" })`)).toEqual([invoice]);
      expect(await ids(`receipts(filter: { q: "${q}" })`)).toEqual([receipt]);
    }
  });

  it('overdue selects by isOverdue, in the tenant’s time zone', async () => {
    const early = await service.integrator({ timezone: 'Pacific/Kiritimati' }); // a day ahead of Midway
    const late = await service.integrator({ timezone: 'Pacific/Midway' });
    service.clock.now = new Date('2026-05-10T10:30:00Z');
    try {
      for (const who of [early, late]) {
        const due = { invoiceDate: '2026-05-01', dueDate: '2026-05-10' };
        const issued = await makeInvoice(who, { ...due, status: 'ISSUED' });
        const rest = [await makeInvoice(who, { ...due, status: 'PAID' }), await makeInvoice(who, due)].toReversed();
        const isOverdue = who === early;
        expect((await who.graphql(`{ invoice(id: "${issued}") { isOverdue } }`)).invoice).toEqual({ isOverdue });
        expect(await ids('invoices(filter: { isOverdue: { eq: true } })', who)).toEqual(isOverdue ? [issued] : []);
        expect(await ids('invoices(filter: { isOverdue: { eq: false } })', who)).toEqual(
          isOverdue ? rest : [...rest, issued],
        );
        expect(await ids('invoices(filter: { isOverdue: { eq: true }, status: { eq: DRAFT } })', who)).toEqual([]);
      }
    } finally {
      service.clock.now = undefined;
    }
  });

  it('from and to: the invoice date, both days inclusive', async () => {
    const who = await service.integrator();
    const made: string[] = [];
    for (const invoiceDate of ['2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01'])
      made.push(await makeInvoice(who, { invoiceDate }));
    expect(await ids('invoices(filter: { invoiceDate: { gte: "2026-02-01", lte: "2026-02-28" } })', who)).toEqual([
      made[2],
      made[1],
    ]);
    expect(await ids('invoices(filter: { invoiceDate: { lte: "2026-01-31" } })', who)).toEqual([made[0]]);
    expect(await ids('invoices(filter: { invoiceDate: { gte: "2026-03-01" } })', who)).toEqual([made[3]]);
  });
});

describe('receipts', () => {
  it('q: part of the supplier’s own number, the description or the supplier’s company name', async () => {
    const supplierId = await makeCustomer(acme, { type: 'SUPPLIER', companyName: 'Papeterie Étoile' });
    const first = await makeReceipt(acme, { supplierId, receiptNumber: 'RG-77/Ö', category: 'Needlework' });
    const second = await makeReceipt(acme, { description: 'Paper for the étoile' });
    expect(await ids('receipts(filter: { q: "rg-77/ö" })')).toEqual([first]);
    expect(await ids('receipts(filter: { q: "PAPER FOR" })')).toEqual([second]);
    expect(await ids('receipts(filter: { q: "Étoile" })')).toEqual([second, first]);
    expect(await ids('receipts(filter: { q: "needlework" })')).toEqual([]);
    expect(await ids(`receipts(filter: { supplierId: { eq: "${supplierId}" } })`)).toEqual([first]);
  });
});

describe('projects', () => {
  it('q: part of the name; customerId', async () => {
    const customerId = await makeCustomer(acme);
    const shop = await makeProject(acme, { name: 'Online-Shop 2026', customerId });
    await makeProject(acme, { name: 'Intranet', description: 'a shop, too' });
    expect(await ids('projects(filter: { q: "SHOP" })')).toEqual([shop]);
    expect(await ids(`projects(filter: { customerId: { eq: "${customerId}" } })`)).toEqual([shop]);
    expect(await ids(`projects(filter: { customerId: { eq: "${customerId}" }, status: { eq: ARCHIVED } })`)).toEqual(
      [],
    );
  });

  it('unbilledMinutes: billable time that no invoice bills, for a whole page by one query', async () => {
    const who = await service.integrator();
    const customerId = await makeCustomer(who);
    const billed = await makeProject(who, { customerId, hourlyRateNet: '90' });
    await makeTimeEntry(who, { projectId: billed, durationMinutes: 100 });
    await who.graphql(`mutation { billProject(projectId: "${billed}", vatRate: 19) { id } }`);
    await makeTimeEntry(who, { projectId: billed, durationMinutes: 30 });
    await makeTimeEntry(who, { projectId: billed, durationMinutes: 15, billable: false });
    await makeTimeEntry(who, { projectId: await makeProject(who), durationMinutes: 7 });
    await makeProject(who);
    const sent = await statements(async () => {
      const { projects } = await who.graphql('{ projects { nodes { unbilledMinutes trackedMinutes } } }');
      expect(projects.nodes).toEqual([
        { unbilledMinutes: 0, trackedMinutes: 0 },
        { unbilledMinutes: 7, trackedMinutes: 7 },
        { unbilledMinutes: 30, trackedMinutes: 145 },
      ]);
    });
    expect(sent.filter((text) => text.includes('"time_entries"'))).toHaveLength(2);
  });
});

it('time entries by project, and billed or not', async () => {
  const customerId = await makeCustomer(acme);
  const projectId = await makeProject(acme, { customerId, hourlyRateNet: '90' });
  await makeTimeEntry(acme);
  const billed = await makeTimeEntry(acme, { projectId });
  await acme.graphql(`mutation { billProject(projectId: "${projectId}", vatRate: 19) { id } }`);
  const open = await makeTimeEntry(acme, { projectId });
  expect(await ids(`timeEntries(filter: { projectId: { eq: "${projectId}" } })`)).toEqual([open, billed]);
  expect(await ids(`timeEntries(filter: { projectId: { eq: "${projectId}" }, invoiceId: { isNull: false } })`)).toEqual(
    [billed],
  );
  expect(await ids(`timeEntries(filter: { projectId: { eq: "${projectId}" }, invoiceId: { isNull: true } })`)).toEqual([
    open,
  ]);
  expect(await ids('timeEntries(filter: { invoiceId: { isNull: false } })')).toEqual([billed]);
});

describe('bank transactions', () => {
  it('q: part of the counterparty’s name or IBAN or of the reference; direction; from and to', async () => {
    const who = await service.integrator();
    const fields = { counterpartyName: 'Kärnten Ökostrom', counterpartyIban: 'AT483200000012345864' };
    const received = await makeBankTransaction(who, { ...fields, reference: 'Invoice 2026-0001' });
    const spent = { amount: '-0.01', amountOpen: '-0.01', bookingDate: new Date('2026-03-31') };
    const sent = await makeBankTransaction(who, { ...spent, reference: 'ökostrom 100%' });
    await makeBankTransaction(who, { amount: 0, amountOpen: 0, bookingDate: new Date('2026-04-01') });
    expect(await ids('bankTransactions(filter: { q: "ÖKOSTROM" })', who)).toEqual([sent, received]);
    expect(await ids('bankTransactions(filter: { q: "at4832" })', who)).toEqual([received]);
    expect(await ids('bankTransactions(filter: { q: "2026-0001" })', who)).toEqual([received]);
    expect(await ids('bankTransactions(filter: { q: "100_" })', who)).toEqual([]);
    expect(await ids('bankTransactions(filter: { amount: { gt: "0" } })', who)).toEqual([received]);
    expect(await ids('bankTransactions(filter: { amount: { lt: "0" } })', who)).toEqual([sent]);
    expect(
      await ids('bankTransactions(filter: { bookingDate: { gte: "2026-03-02", lte: "2026-03-31" } })', who),
    ).toEqual([sent, received]);
    expect(
      await ids(
        'bankTransactions(filter: { q: "ökostrom", amount: { lt: "0" }, bookingDate: { lte: "2026-03-30" } })',
        who,
      ),
    ).toEqual([]);
  });

  it('matches have their invoices and receipts, read by one query each for a whole page', async () => {
    const who = await service.integrator();
    const match = async (transaction: string, type: string, id: string): Promise<void> => {
      const matches = `[{ type: ${type}, id: "${id}" }]`;
      await who.graphql(`mutation { matchBankTransaction(id: "${transaction}", matches: ${matches}) { id } }`);
    };
    for (let count = 0; count < 3; count++) {
      const customerId = await makeCustomer(who, { companyName: `Customer ${count}` });
      const invoice = await makeInvoice(who, { customerId, status: 'ISSUED' });
      await match(await makeBankTransaction(who), 'INVOICE', invoice);
      const supplierId = await makeCustomer(who, { type: 'SUPPLIER', companyName: `Supplier ${count}` });
      const receipt = await makeReceipt(who, { supplierId, status: 'BOOKED', receiptNumber: `R${count}` });
      await match(await makeBankTransaction(who, { amount: -119, amountOpen: -119 }), 'RECEIPT', receipt);
    }
    const sent = await statements(async () => {
      const { bankTransactions } = await who.graphql(`{
        bankTransactions {
          nodes { matches { invoice { number customer { companyName } } receipt { receiptNumber supplier { companyName } } } }
        }
      }`);
      const found = bankTransactions.nodes.flatMap(({ matches }: { matches: unknown[] }) => matches);
      expect(found).toHaveLength(6);
      expect(found.slice(-2)).toEqual([
        { invoice: null, receipt: { receiptNumber: 'R0', supplier: { companyName: 'Supplier 0' } } },
        { invoice: { number: '2026-0001', customer: { companyName: 'Customer 0' } }, receipt: null },
      ]);
    });
    expect(sent.filter((text) => /from "public"."invoices"/i.test(text))).toHaveLength(1);
    expect(sent.filter((text) => /from "public"."receipts"/i.test(text))).toHaveLength(1);
    expect(sent.length).toBeLessThanOrEqual(7);
  });

  it('hide the invoice from a token without invoices:read', async () => {
    const abilities = ['bank-transactions:read', 'receipts:read'];
    const { token, id: tokenId } = await createToken(service.client, { tenantId: acme.tenantId, abilities });
    const clerk = asIntegrator(service, { ...acme, token, tokenId });
    const transaction = await makeBankTransaction(acme);
    const invoice = await makeInvoice(acme, { status: 'ISSUED' });
    const matches = `[{ type: INVOICE, id: "${invoice}" }]`;
    await acme.graphql(`mutation { matchBankTransaction(id: "${transaction}", matches: ${matches}) { id } }`);
    const query = (what: string) =>
      clerk.graphqlAnswer(`{ bankTransaction(id: "${transaction}") { matches { type id ${what} } } }`);
    expect((await query('receipt { id }')).body.data.bankTransaction.matches).toEqual([
      { type: 'INVOICE', id: invoice, receipt: null },
    ]);
    expect(refusal(await query('invoice { number }'))).toMatchObject({ code: 'FORBIDDEN' });
  });
});

it('a period without days is rejected by every list', async () => {
  const days: Record<string, string> = {
    invoices: 'invoiceDate',
    creditNotes: 'creditNoteDate',
    timeEntries: 'date',
    bankTransactions: 'bookingDate',
    payments: 'paidOn',
  };
  for (const [list, day] of Object.entries(days)) {
    const filter = `{ ${day}: { gte: "2026-02-02", lte: "2026-02-01" } }`;
    for (const [at, given] of [
      ['filter', filter],
      ['filter.or.0', `{ or: [${filter}] }`],
    ]) {
      const answer = await acme.graphqlAnswer(`{ ${list}(filter: ${given}) { totalCount } }`);
      expect(refusal(answer)).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: {
          [`${at}.${day}.gte`]: ['Must not be after the last day.'],
          [`${at}.${day}.lte`]: ['Must not be before the first day.'],
        },
      });
    }
  }
  const times = 'from: "2026-02-02T00:00:00Z", to: "2026-02-01T00:00:00Z"';
  expect(refusal(await acme.graphqlAnswer(`{ events(${times}) { totalCount } }`))).toMatchObject({
    code: 'VALIDATION_FAILED',
    errors: { from: ['Must not be after to.'], to: ['Must not be before from.'] },
  });
});

it('an invoice’s history is events(resourceId), newest first, and its payments', async () => {
  const id = await makeInvoice(acme, { status: 'ISSUED' });
  const payment = await makePayment(acme, id, '19');
  const { events, invoice } = await acme.graphql(`{
    events(resourceId: "${id}") { nodes { type resourceId } totalCount }
    invoice(id: "${id}") { payments { nodes { id amount paidOn bankTransactionId } } }
  }`);
  expect(events.nodes.map(({ type }: { type: string }) => type)).toEqual([
    'invoice.payment_recorded',
    'invoice.issued',
    'invoice.created',
  ]);
  expect(invoice.payments.nodes).toEqual([
    { id: payment, amount: '19', paidOn: expect.any(String), bankTransactionId: null },
  ]);
});
