import { describe, expect, it, onTestFinished } from 'vitest';
import { openBooks } from '../../prisma/client.ts';
import { createDatabase, runScript, startService } from '../harness.ts';
import { readBooks, emptyOutbox, eventsDuring, listEvents, makeInvoice, refusal } from '../graphql/books.ts';
import { account, balance, camt, imported, many, upload, type Entry } from './statement.ts';
import { service, acme, serveImports, faultsSince, received, sent, receivedRow, sentRow } from './imports.ts';

serveImports();

describe('importBankStatement', () => {
  it('answers imported, skipped, matched, and warnings, and stores each field as the bank sent it', async () => {
    const file = camt([received, sent], balance('OPBD', '1.00') + balance('CLBD', '2.00'));
    expect(await imported(service, acme, file)).toEqual({
      imported: 2,
      skipped: 0,
      matched: 0,
      warnings: [expect.stringMatching(/^Statement 1 doesn't add up/)],
    });
    const { status, body } = await acme.rest('GET', '/bank-transactions');
    expect(status).toBe(200);
    // Newest first; a file's last entry is its newest.
    expect(body.data).toEqual([sentRow, receivedRow]);
    expect(body.meta.total).toBe(2);
    const single = await acme.rest('GET', `/bank-transactions/${body.data[1].id}`);
    expect(single.body).toEqual({ data: body.data[1] });
  });

  it('adds nothing twice and drops nothing when statements repeat or overlap', async () => {
    const days: Entry[] = ['2026-03-01', '2026-03-02', '2026-03-03'].flatMap((date) => [
      { amount: '10.00', date, reference: 'Fee' },
      { amount: '10.00', date, reference: 'Fee' }, // truly two
      { amount: '20.00', date, id: 'B7', reference: 'Other' },
    ]);
    expect(await imported(service, acme, camt(days.slice(0, 6)))).toMatchObject({ imported: 6, skipped: 0 });
    const before = await readBooks(service, acme);
    expect(await imported(service, acme, camt(days.slice(0, 6)))).toMatchObject({ imported: 0, skipped: 6 });
    expect(await readBooks(service, acme)).toEqual(before);
    expect(await imported(service, acme, camt(days.slice(3)))).toMatchObject({ imported: 3, skipped: 3 });
    const rows = await acme.db.bankTransaction.findMany({ orderBy: { id: 'asc' } });
    expect(rows.map((row) => [row.bookingDate.toISOString().slice(0, 10), Number(row.amount)])).toEqual(
      days.map(({ date, amount }) => [date, Number(amount)]),
    );
  });

  it('has time for the deferred triggers of a large file: more than other statements have', async () => {
    const database = await createDatabase();
    const timeouts = { statement_timeout: 2000, query_timeout: 2000 };
    const books = openBooks({ connectionString: database.url, max: 10, ...timeouts });
    const own = await startService({ database, books });
    onTestFinished(async () => {
      await own.close();
      await database.drop();
    });
    // Stands for the 250,000 rows that a file may have.
    await runScript(
      own,
      `
      create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(2.5); return null; end $$;
      create constraint trigger slow after insert on bank_transactions deferrable initially deferred
        for each row execute function slow()`,
    );
    const globex = await own.integrator();
    expect(await imported(own, globex, camt([received]))).toMatchObject({ imported: 1 });
    expect(await globex.db.bankTransaction.count()).toBe(1);
  });

  it('imports a statement of another tenant as new', async () => {
    await imported(service, acme, camt([received]));
    const globex = await service.integrator();
    expect(await imported(service, globex, camt([received]))).toMatchObject({ imported: 1, skipped: 0 });
  });

  it('reads a CSV with the user’s mapping', async () => {
    const csv = {
      dateFormat: 'DD.MM.YYYY',
      decimalSeparator: ',',
      skipLines: 1,
      currency: 'EUR',
      columns: {
        bookingDate: 'Datum',
        valueDate: '2',
        amount: 'Betrag',
        accountIban: 'Konto',
        counterpartyName: 'Name',
        reference: ['Zweck', 'Referenz'],
      },
    };
    const file = `Export vom 3. März\nDatum;Wert;Betrag;Konto;Name;Zweck;Referenz\n02.03.2026;03.03.2026;1.119,00;${account};"Müller; Söhne";Danke;R1\n`;
    const latin = Uint8Array.from(Buffer.from(file, 'latin1'));
    expect(await imported(service, acme, latin, { format: 'CSV', csv })).toMatchObject({ imported: 1, warnings: [] });
    expect((await acme.rest('GET', '/bank-transactions')).body.data).toEqual([
      {
        ...receivedRow,
        external_id: null,
        amount: 1119,
        amount_open: 1119,
        counterparty_name: 'Müller; Söhne',
        counterparty_iban: null,
        reference: 'Danke R1',
      },
    ]);
    expect(refusal(await upload(service, acme, file, { format: 'CSV' }))).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { file: [expect.stringMatching(/needs a mapping/)] },
    });
    const wrong = { ...csv, decimalSeparator: ';' };
    expect(refusal(await upload(service, acme, file, { csv: wrong })).errors).toEqual({
      'csv.decimalSeparator': ['Must be , or . .'],
    });
  });

  it('emits bank_transaction.created once per new transaction, with the data of REST', async () => {
    let rows: { id: string }[] = [];
    const events = await eventsDuring(service, acme, async () => {
      await imported(service, acme, camt([received, sent, received]));
      rows = (await acme.rest('GET', '/bank-transactions')).body.data;
    });
    const created = events.filter(({ type }) => type === 'bank_transaction.created');
    expect(events.map(({ type }) => type).slice(3)).toEqual(['bank_account.created', 'bank_account.created']);
    expect(created.map(({ body }) => body.data)).toEqual(rows.toReversed().map((row) => ({ bank_transaction: row })));
    expect(await eventsDuring(service, acme, () => imported(service, acme, camt([received, sent])))).toEqual([]);
  });
});

describe('a malformed file is imported not at all, with an error that has line and reason', () => {
  const large = camt(many(1200)); // more than is written at once
  const cases: [string, string, RegExp][] = [
    ['cut off', large.slice(0, -40), /^Line 12\d\d: this is no well-formed XML: unclosed tag: \w+/],
    [
      'with an amount that is none',
      large.replace('>900.50<', '>9OO.50<'),
      /^Line 90\d, statement 1, entry 900: this amount is no number/,
    ],
    ['empty', '', /^This file is empty\.$/],
    ['of another kind', '%PDF-1.7', /^This file is a PDF/],
    [
      'without a statement',
      '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.04"><BkToCstmrStmt/></Document>',
      /holds no statement/,
    ],
  ];
  it.each(cases)('one that is %s', async (_what, file, message) => {
    const before = await readBooks(service, acme);
    const logged = service.log.length;
    expect(refusal(await upload(service, acme, file))).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { file: [expect.stringMatching(message)] },
    });
    expect(await readBooks(service, acme)).toEqual(before);
    expect(faultsSince(logged)).toEqual([]);
  });
});

describe('concurrent imports', () => {
  it('of the same file add each transaction once', async () => {
    const file = camt(many(1200));
    const results = await Promise.all([imported(service, acme, file), imported(service, acme, file)]);
    expect(results.map((result) => result.imported).toSorted((a, b) => a - b)).toEqual([0, 1200]);
    expect(results.map(({ imported: new_, skipped }) => new_ + skipped)).toEqual([1200, 1200]);
    expect(await acme.db.bankTransaction.count()).toBe(1200);
    const told = (await listEvents(service, acme))
      .filter(({ type }) => type === 'bank_transaction.created')
      .map(({ body }) => body.data.bank_transaction.id);
    expect(new Set(told).size).toBe(1200);
    expect(told).toHaveLength(1200);
  });

  it('of overlapping files in opposite orders add each transaction once', async () => {
    const entries = many(1500);
    const results = await Promise.all([
      imported(service, acme, camt(entries)),
      imported(service, acme, camt(entries.toReversed())),
    ]);
    expect(results[0]!.imported + results[1]!.imported).toBe(1500);
    expect(await acme.db.bankTransaction.count()).toBe(1500);
    expect(await acme.db.event.count({ where: { type: 'bank_transaction.created' } })).toBe(1500);
  });

  it('that match the same invoices in opposite orders pay each once', async () => {
    const invoices = await Promise.all(Array.from({ length: 12 }, () => makeInvoice(acme, { status: 'ISSUED' })));
    const numbers = (await acme.db.invoice.findMany({ where: { id: { in: invoices } } })).map(({ number }) => number!);
    const paying = (mark: string) => numbers.map((number) => ({ amount: '119.00', reference: `${number} ${mark}` }));
    const results = await Promise.all([
      imported(service, acme, camt(paying('a'))),
      imported(service, acme, camt(paying('b').toReversed())),
    ]);
    expect(results[0]!.imported + results[1]!.imported).toBe(24);
    expect(results[0]!.matched + results[1]!.matched).toBe(12);
    expect(await acme.db.invoice.count({ where: { status: 'PAID' } })).toBe(12);
    expect(await acme.db.bankTransaction.count({ where: { matchStatus: 'MATCHED' } })).toBe(12);
    expect(await acme.db.payment.count()).toBe(12);
  });
});

it('a statement of 5,000 entries adds 5,000 events, each with a job', async () => {
  const jobs = async (): Promise<number> => {
    await emptyOutbox(service);
    const { rows } = await service.pool.query("select from graphile_worker.jobs where task_identifier = 'fan_out'");
    return rows.length;
  };
  const before = await jobs();
  expect(await imported(service, acme, camt(many(5000)))).toEqual({
    imported: 5000,
    skipped: 0,
    matched: 0,
    warnings: [],
  });
  expect(await acme.db.event.count({ where: { type: 'bank_transaction.created' } })).toBe(5000);
  expect((await jobs()) - before).toBe(5001); // and that of the account
}, 70_000);

it('an import of very many matches takes memory for a few of them at a time', async () => {
  const own = await startService({ maxResponseBytes: 64 * 1024 });
  onTestFinished(own.close);
  const who = await own.integrator();
  const invoices = await Promise.all(Array.from({ length: 150 }, () => makeInvoice(who, { status: 'ISSUED' })));
  const paid = await who.db.invoice.findMany({ where: { id: { in: invoices } } });
  const file = camt(paid.map(({ number }) => ({ amount: '119.00', reference: `Invoice ${number}` })));
  expect(await imported(own, who, file)).toMatchObject({ imported: paid.length, matched: paid.length });
});
