import { booksIn } from '../books/lines.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportBooks } from '../../schema/tenant-archive/export-archive.ts';
import { importBooks } from '../../schema/tenant-archive/restore-archive.ts';
import type { Context } from '../../schema/graphql/context.ts';
import { makeTemporaryFolder } from '../../schema/graphql/input/temporary-folder.ts';
import { createToken } from '../../src/identity/index.ts';
import { listEvents, makeCustomer, makeInvoice, makeProject } from '../graphql/books.ts';
import { asIntegrator, onEachServer, startService, type Integrator, type Service } from '../harness.ts';
import { until } from '../webhooks/receiver.ts';
import { importRecords, uploadRecords, type Kind, type Options, type Result } from './records.ts';
import { withHolder } from '../../prisma/client.ts';

let service: Service;
let acme: Integrator;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
beforeEach(async () => {
  acme = await service.integrator();
});

const imports = (kind: Kind, csv: string, options: Options): Promise<Result> =>
  importRecords(service, acme, kind, csv, options);
const done = (imported: number, skipped = 0): Result => ({ imported, skipped, leftOut: 0, errors: [] });
const listed = async (path: string) => (await acme.rest('GET', path)).body.data;
const existing = async (path: string) => (await listed(path)).length;

const customerColumns = { externalId: 'Id', companyName: 'Name', email: 'Mail', country: 'Land', type: 'Art' };
const customers = `Id;Name;Mail;Land;Art
17;Bäckerei Sonnenschein GmbH;info@sonnenschein.example;DE;customer
18;"Papier; Stift & Co";;AT;Supplier
`;

describe('customers', () => {
  it('come with their ids of the other system, which REST answers and filters by', async () => {
    expect(await imports('Customer', customers, { columns: customerColumns })).toEqual(done(2));
    expect(await listed('/customers?external_id=18')).toMatchObject([
      { type: 'supplier', company_name: 'Papier; Stift & Co', email: null, country: 'AT', external_id: '18' },
    ]);
    expect(await existing('/customers')).toBe(2);
    expect(await listed('/customers?external_id=1')).toEqual([]);
  });

  it('come with what e-invoices and payment terms need', async () => {
    const columns = {
      externalId: 'Id',
      companyName: 'Name',
      type: 'Type',
      contactName: 'Contact',
      phone: 'Phone',
      buyerReference: 'Reference',
      electronicAddress: 'Address',
      electronicAddressScheme: 'Scheme',
      language: 'Language',
      paymentTermsDays: 'Terms',
    };
    const head = 'Id;Name;Type;Contact;Phone;Reference;Address;Scheme;Language;Terms\n';
    const csv = `${head}1;Stadt Ulm;customer;Ada;0731;08421-1;08421-1;0204;de;30\n`;
    expect(await imports('Customer', csv, { columns })).toEqual(done(1));
    expect(await listed('/customers')).toMatchObject([
      {
        contact_name: 'Ada',
        phone: '0731',
        buyer_reference: '08421-1',
        electronic_address: '08421-1',
        electronic_address_scheme: '0204',
        language: 'de',
        payment_terms_days: 30,
      },
    ]);
    const wrong = `${head}2;A;customer;;;;x;;fr;soon\n3;B;customer;;;;;EM;;366\n`;
    const { errors } = await imports('Customer', wrong, { columns });
    expect(errors.map(({ line, column }) => `${line} ${column}`).toSorted()).toEqual([
      '2 Language',
      '2 Scheme',
      '2 Terms',
      '3 Address',
      '3 Terms',
    ]);
  });

  it('that were imported before are skipped, and stay as they are', async () => {
    await imports('Customer', customers, { columns: customerColumns });
    const again = customers.replace('Bäckerei Sonnenschein', 'Other') + '19;New;;;customer\n';
    expect(await imports('Customer', again, { columns: customerColumns })).toEqual(done(1, 2));
    const names = (await listed('/customers')).map((row: { company_name: string }) => row.company_name);
    expect(names.toSorted()).toEqual(['Bäckerei Sonnenschein GmbH', 'New', 'Papier; Stift & Co']);
  });

  it('are only counted in a dry run', async () => {
    expect(await imports('Customer', customers, { columns: customerColumns, dryRun: true })).toEqual(done(2));
    expect(await existing('/customers')).toBe(0);
  });

  it('with errors come not at all; each error has its line and column', async () => {
    const wrong = `${customers}20;;x;XX;partner\n17;Twice;;;customer\n`;
    const { errors, ...counts } = await imports('Customer', wrong, { columns: customerColumns });
    expect(counts).toEqual({ imported: 0, skipped: 0, leftOut: 0 });
    expect(errors).toEqual([
      { line: 4, column: 'Name', message: 'Required.' },
      { line: 4, column: 'Art', message: 'Must be one of CUSTOMER, SUPPLIER.' },
      { line: 4, column: 'Mail', message: 'Must be an e-mail address.' },
      { line: 4, column: 'Land', message: 'Must be an ISO 3166-1 country code of two capital letters.' },
      { line: 5, column: 'Id', message: 'Line 2 has the same.' },
    ]);
    expect(await existing('/customers')).toBe(0);
  });

  it('with errors say for programs what is wrong, by the field and a code', async () => {
    const wrong = `${customers}20;;;DE;customer\n17;Twice;;;customer\n`;
    const columns = { ...customerColumns, city: 'Ort' };
    const selected = 'details: errors { line column field code params }';
    const read = async (csv: string, used: Record<string, string>) =>
      (await uploadRecords(service, acme, 'Customer', csv, { columns: used }, selected)).body.data.result.details;
    expect(await read(wrong, customerColumns)).toEqual([
      { line: 4, column: 'Name', field: 'companyName', code: 'required', params: {} },
      { line: 5, column: 'Id', field: 'externalId', code: 'duplicate', params: {} },
    ]);
    expect(await read(wrong, columns)).toEqual([
      { line: 1, column: 'Ort', field: 'city', code: 'not_found', params: {} },
    ]);
    expect(await read('', customerColumns)).toEqual([
      { line: null, column: null, field: null, code: 'invalid_file', params: {} },
    ]);
  });

  it('emit no events, and are in the change feed', async () => {
    await imports('Customer', customers, { columns: customerColumns });
    expect(await listEvents(service, acme)).toEqual([]);
    const { body } = await acme.rest('GET', '/changes');
    expect(body.data.map(({ data }: { data: { external_id: string } }) => data.external_id).toSorted()).toEqual([
      '17',
      '18',
    ]);
  });

  it('take defaults, columns by number, and Windows-1252', async () => {
    const bytes = new Uint8Array(Buffer.from('Nr,Firma\n5,Müller\n', 'latin1'));
    const options = { columns: { externalId: '1', companyName: '2' }, defaults: { type: 'supplier', country: 'DE' } };
    expect(await importRecords(service, acme, 'Customer', bytes, options)).toEqual(done(1));
    expect(await listed('/customers')).toMatchObject([{ type: 'supplier', company_name: 'Müller', country: 'DE' }]);
  });
});

describe('invoices', () => {
  const columns = {
    externalId: 'nr',
    number: 'nr',
    customer: 'kunde',
    invoiceDate: 'datum',
    dueDate: 'faellig',
    title: 'text',
    quantity: 'menge',
    unitPriceNet: 'preis',
    vatRate: 'ust',
    totalGross: 'brutto',
    paidOn: 'bezahlt',
  };
  const format = { dateFormat: 'DD.MM.YYYY', decimalSeparator: ',' };
  const head = 'nr;kunde;datum;faellig;text;menge;preis;ust;brutto;bezahlt\n';
  const invoices = `${head}RE-1;Globex;31.12.2024;14.01.2025;Beratung;2;50,00;19;226,00;
RE-1;Globex;31.12.2024;14.01.2025;Buch;1;100,00;7;226,00;
2025-0041;K7;15.03.2025;;Pauschale;1;1.000,00;19;1.190,00;20.03.2025
`;

  beforeEach(async () => {
    await makeCustomer(acme);
    await acme.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'Initech', externalId: 'K7' } });
  });

  it('keep their numbers; paid ones get a payment, and open ones are not reported overdue again', async () => {
    expect(await imports('Invoice', invoices, { columns, format })).toEqual(done(2));
    const [paid, open] = (await listed('/invoices')).toSorted((a: { number: string }, b: { number: string }) =>
      a.number < b.number ? -1 : 1,
    );
    expect(open).toMatchObject({
      number: 'RE-1',
      status: 'issued',
      invoice_date: '2024-12-31',
      due_date: '2025-01-14',
      issued_at: '2024-12-31T00:00:00+00:00',
      total_net: 200,
      total_vat: 26,
      total_gross: 226,
      amount_due: 226,
      is_overdue: true,
      external_id: 'RE-1',
      items: [
        { title: 'Beratung', quantity: 2, line_total_net: 100 },
        { title: 'Buch', vat_rate: 7 },
      ],
    });
    expect(paid).toMatchObject({
      number: '2025-0041',
      status: 'paid',
      total_gross: 1190,
      amount_paid: 1190,
      amount_due: 0,
    });
    expect(await acme.db.payment.findMany({ select: { amount: true, paidOn: true } })).toMatchObject([
      { paidOn: new Date('2025-03-20') },
    ]);
    expect((await acme.db.invoice.findFirst({ where: { status: 'ISSUED' } }))?.overdueAt).not.toBeNull();
  });

  it('come with VAT categories, discounts, and service periods of their lines; their rules hold', async () => {
    const more = {
      vatCategory: 'kategorie',
      exemptionReason: 'grund',
      unitCode: 'einheit',
      description: 'mehr',
      discountPercent: 'rabatt',
      deliveryDate: 'leistung',
      servicePeriodStart: 'von',
      servicePeriodEnd: 'bis',
    };
    const options = { columns: { ...columns, ...more }, format };
    const headOfAll = `${head.trim()};kategorie;grund;einheit;mehr;rabatt;leistung;von;bis\n`;
    const line =
      'RE-1;Globex;31.12.2024;;Kurs;2;50,00;0;90,00;;E;§ 4 UStG;HUR;Deutsch;10 %;30.12.2024;01.12.2024;31.12.2024\n';
    expect(await imports('Invoice', headOfAll + line, options)).toEqual(done(1));
    const [{ items, delivery_date }] = await listed('/invoices');
    expect(delivery_date).toBe('2024-12-30');
    expect(items).toMatchObject([
      {
        line_total_net: 90,
        vat_category: 'E',
        exemption_reason: '§ 4 UStG',
        unit_code: 'HUR',
        description: 'Deutsch',
        discount_percent: 10,
        service_period_start: '2024-12-01',
        service_period_end: '2024-12-31',
      },
    ]);
    const wrong = 'RE-2;Globex;31.12.2024;;Kurs;1;1;19;;;E;;XX;;101;31.11.2024;02.12.2024;01.12.2024\n';
    const { errors } = await imports('Invoice', headOfAll + wrong, options);
    expect(errors.map(({ column }) => column).toSorted()).toEqual([
      'bis',
      'einheit',
      'kategorie',
      'leistung',
      'rabatt',
    ]);
  });

  it('with numbers of our own form have the sequence of that year continue after them', async () => {
    await imports('Invoice', invoices, { columns, format });
    const id = await makeInvoice(acme, { status: 'ISSUED', invoiceDate: '2025-06-01' });
    expect(await listed(`/invoices/${id}`)).toMatchObject({ number: '2025-0042' });
    const other = await makeInvoice(acme, { status: 'ISSUED', invoiceDate: '2024-06-01' });
    expect(await listed(`/invoices/${other}`)).toMatchObject({ number: '2024-0001' });
  });

  it('leave the sequence alone in a dry run, and where a line is wrong', async () => {
    await imports('Invoice', invoices, { columns, format, dryRun: true });
    const wrong = `${invoices}RE-9;Nobody;01.01.2025;;x;1;1;19;1,19;\n`;
    const { errors } = await imports('Invoice', wrong, { columns, format });
    expect(errors).toEqual([{ line: 5, column: 'kunde', message: 'There is no such customer.' }]);
    expect(await acme.db.invoiceSequence.count()).toBe(0);
    expect(await existing('/invoices')).toBe(0);
  });

  it('whose number exists, or whose stated total is another, are errors', async () => {
    const { id: customerId } = await acme.db.customer.findFirstOrThrow({ where: { externalId: 'K7' } });
    const id = await makeInvoice(acme, { customerId, status: 'ISSUED', invoiceDate: '2025-06-01' });
    const { number } = await listed(`/invoices/${id}`);
    const rows = [
      `${number};Globex;01.02.2025;;a;1;10;19;11,90;`,
      `A;Globex;01.02.2025;;a;1;10;19;11,91;`,
      `B;Globex;30.02.2025;;a;1;10;19;;`,
      `C;Globex;01.02.2025;31.01.2025;a;1;10;19;;`,
      `D;Globex;01.02.2025;;a;0;1,00001;119;;`,
      `E;Globex;01.02.2025;;a;1;10;19;;`,
      `E;Globex;02.02.2025;;a;1;10;19;;`,
    ];
    const { errors } = await imports('Invoice', `${head}${rows.join('\n')}\n`, { columns, format });
    expect(errors).toEqual(
      expect.arrayContaining([
        { line: 2, column: 'nr', message: 'Another invoice has this number.' },
        { line: 3, column: 'brutto', message: 'Is 11.91, but the lines make 11.9.' },
        { line: 4, column: 'datum', message: 'This date is no calendar day: "30.02.2025".' },
        { line: 5, column: 'faellig', message: 'Must not be before the invoice date.' },
        { line: 6, column: 'menge', message: 'Must not be zero.' },
        { line: 6, column: 'preis', message: 'Must not have more than 4 decimals.' },
        { line: 6, column: 'ust', message: 'Must be at most 100.' },
        { line: 8, column: 'datum', message: 'Differs from line 7, which is of the same invoice.' },
      ]),
    );
    expect(await existing('/invoices')).toBe(1);
  });

  it('move out and in again with the rest of the books', async () => {
    await imports('Invoice', invoices, { columns, format });
    await makeInvoice(acme, { status: 'ISSUED', invoiceDate: '2025-06-01' });
    const contextOf = async (who: Integrator): Promise<Context> => {
      const tenant = await service.client.tenant.findUniqueOrThrow({ where: { id: who.tenantId } });
      return service.domain.contextFor({
        user: { id: who.userId, name: '', email: '' },
        tenant: withHolder(tenant),
        token: null,
      });
    };
    const exported = async (who: Integrator): Promise<string> => {
      let text = '';
      await exportBooks(await contextOf(who), async (lines) => void (text += lines));
      return text;
    };
    const globex = await service.integrator();
    const books = await exported(acme);
    expect(books).toContain('"external_id":"RE-1"');
    const folder = await makeTemporaryFolder();
    const into = async (text: string): Promise<unknown> => {
      const file = join(folder.path, 'books.jsonl');
      await writeFile(file, text);
      return importBooks(await contextOf(globex), service.domain.schema, file, {
        dryRun: false,
        acceptUnproven: true,
      }).catch(String);
    };
    expect(await into(books.replace('"last":42', '"last":41'))).toContain('last: Must be');
    expect(
      await into(
        books
          .replace('"external_id":"K7"', '"external_id":"17"')
          .replace(/("record":"customer".*?"external_id":)null/, '$1"17"'),
      ),
    ).toContain('external_id: An earlier line has the same.');
    await into(books);
    await folder.discard();
    expect(booksIn(await exported(globex))).toEqual(booksIn(books));
  });
});

it('receipts come booked or paid, with supplier and project', async () => {
  await acme.db.customer.create({ data: { type: 'SUPPLIER', companyName: 'Paper', externalId: 'L1' } });
  await makeProject(acme, { name: 'Website' });
  const csv = `id,date,gross,vat,supplier,project,no,paid
r1,2026-01-20,119.00,19,L1,Website,R-88,
r2,2026-01-21,10.70,7,Paper,,,2026-01-22
`;
  const columns = {
    externalId: 'id',
    receiptDate: 'date',
    amountGross: 'gross',
    vatRate: 'vat',
    supplier: 'supplier',
    project: 'project',
    receiptNumber: 'no',
    paidOn: 'paid',
  };
  expect(await imports('Receipt', csv, { columns })).toEqual(done(2));
  expect(await listed('/receipts?external_id=r1')).toMatchObject([
    { status: 'booked', vat_amount: 19, amount_net: 100, receipt_number: 'R-88', paid_at: null },
  ]);
  expect(await listed('/receipts?external_id=r2')).toMatchObject([
    { status: 'paid', vat_amount: 0.7, paid_at: '2026-01-22T00:00:00+00:00' },
  ]);
  const wrong = 'id,date,gross,supplier\nr3,2026-01-20,1.005,Globex\n';
  const { errors } = await imports('Receipt', wrong, {
    columns: { externalId: 'id', receiptDate: 'date', amountGross: 'gross', supplier: 'supplier' },
  });
  expect(errors).toEqual([
    { line: 2, column: 'supplier', message: 'There is no such supplier.' },
    { line: 2, column: 'gross', message: 'Must not have more than 2 decimals in this currency.' },
  ]);
});

it('projects and time entries come in any usual notation', async () => {
  await makeCustomer(acme);
  const projects = 'id,name,customer,rate,status\np1,Website,Globex,95.50,active\np2,Internal,,,archived\n';
  expect(
    await imports('Project', projects, {
      columns: { externalId: 'id', name: 'name', customer: 'customer', hourlyRateNet: 'rate', status: 'status' },
    }),
  ).toEqual(done(2));
  const { email } = await service.client.user.findUniqueOrThrow({ where: { id: acme.userId } });
  const times = `id,project,day,time,hours,who,billable\nt1,p1,2026-01-05,1:30,,,\nt2,Website,2026-01-06,,2.25,${email},no\nt3,p2,2026-01-07,45,,,1\n`;
  const columns = {
    externalId: 'id',
    project: 'project',
    date: 'day',
    duration: 'time',
    hours: 'hours',
    person: 'who',
    billable: 'billable',
  };
  expect(await imports('TimeEntry', times, { columns })).toEqual(done(3));
  const entries = await listed('/time-entries');
  expect(entries.toSorted((a: { date: string }, b: { date: string }) => (a.date < b.date ? -1 : 1))).toMatchObject([
    { duration_minutes: 90, hourly_rate_net: 95.5, billable: true, user_id: acme.userId },
    { duration_minutes: 135, billable: false },
    { duration_minutes: 45, hourly_rate_net: null },
  ]);
  const wrong = 'id,project,day,time,hours,who,billable\nt4,p1,2026-01-05,25:00,,,\nt5,p9,2026-01-05,,,x,maybe\n';
  expect((await imports('TimeEntry', wrong, { columns })).errors).toEqual([
    { line: 3, column: 'billable', message: 'Must be true or false.' },
    { line: 2, column: 'time', message: 'Must be from 1 to 1440 minutes.' },
    { line: 3, column: 'project', message: 'There is no such project.' },
    { line: 3, column: 'who', message: 'There is no such member.' },
    { line: 3, column: 'time', message: 'Give the time worked as either a duration or hours.' },
  ]);
});

describe('a file', () => {
  it.each([
    ['without rows', '', {}, { line: null, column: null, message: 'The file has no row with names of columns.' }],
    ['without a column', 'Id;Name\n1;x\n', {}, { line: 1, column: 'Art', message: 'The file has no such column.' }],
    [
      'with too many cells',
      `${customers}1;2\n`,
      {},
      { line: 4, column: null, message: 'This row has 2 cells, unlike the first one.' },
    ],
    [
      'with too many rows',
      `${customers}${'1;2;3;4;5\n'.repeat(10_000)}`,
      {},
      { line: 10_002, column: null, message: 'A file has at most 10000 rows. Split it.' },
    ],
    [
      'in another encoding',
      customers,
      { encoding: 'klingon' },
      { line: null, column: null, message: 'This is in an encoding that isn\'t known: "klingon".' },
    ],
    [
      'with another date format',
      customers,
      { dateFormat: 'YYYY' },
      { line: null, column: null, message: expect.stringContaining('date format') },
    ],
  ])('%s is refused', async (_title, csv, format, error) => {
    expect(await imports('Customer', csv, { columns: customerColumns, format })).toEqual({
      imported: 0,
      skipped: 0,
      leftOut: 0,
      errors: [error],
    });
  });

  it('whose required fields have no column is refused with the names of the fields', async () => {
    const { body } = await uploadRecords(service, acme, 'Customer', customers, { columns: { companyName: 'Name' } });
    expect(body.errors[0].extensions.errors).toEqual({
      'columns.externalId': ['Required, as a column or a default.'],
      'columns.type': ['Required, as a column or a default.'],
    });
  });

  it('needs the ability to write its records, and to read what it names', async () => {
    const having = async (...abilities: string[]): Promise<string | undefined> => {
      const { token } = await createToken(service.client, { tenantId: acme.tenantId, abilities });
      const who = asIntegrator(service, { ...acme, token });
      const { body } = await uploadRecords(service, who, 'Project', 'a,b\n1,x\n', {
        columns: { externalId: 'a', name: 'b' },
      });
      return body.errors?.[0].extensions.code;
    };
    expect(await having('customers:write', 'customers:read')).toBe('FORBIDDEN');
    expect(await having('projects:write')).toBe('FORBIDDEN');
    expect(await having('read')).toBe('FORBIDDEN');
    expect(await having('projects:write', 'customers:read')).toBeUndefined();
  });

  it('names only what the tenant has', async () => {
    const globex = await service.integrator();
    await globex.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'Theirs', externalId: 'T' } });
    const csv = 'a,b,c\n1,x,Theirs\n2,y,T\n';
    const { errors } = await imports('Project', csv, { columns: { externalId: 'a', name: 'b', customer: 'c' } });
    expect(errors.map(({ line, message }) => [line, message])).toEqual([
      [2, 'There is no such customer.'],
      [3, 'There is no such customer.'],
    ]);
  });

  it.each<[Kind, 'customers' | 'projects', string, string, Record<string, string>]>([
    ['Invoice', 'customers', '2026-03-01,100', 'customer', { number: 'a', invoiceDate: 'c', unitPriceNet: 'd' }],
    ['Project', 'customers', 'Website,', 'customer', { name: 'c' }],
    ['Receipt', 'customers', '2026-03-01,100', 'supplier', { receiptDate: 'c', amountGross: 'd' }],
    ['Receipt', 'projects', '2026-03-01,100', 'project', { receiptDate: 'c', amountGross: 'd' }],
    ['TimeEntry', 'projects', '2026-03-01,60', 'project', { date: 'c', duration: 'd' }],
  ])('names no row that is deleted meanwhile: %s, %s', async (kind, table, cells, field, columns) => {
    const type = field === 'supplier' ? 'SUPPLIER' : 'CUSTOMER';
    const id = await (table === 'projects'
      ? makeProject(acme, { externalId: 'R' })
      : makeCustomer(acme, { type, externalId: 'R' }));
    const holder = await service.pool.connect();
    try {
      await holder.query('begin');
      await holder.query(`delete from ${table} where tenant_id = $1 and id = $2`, [acme.tenantId, id]);
      const imported = imports(kind, `a,b,c,d\n1,R,${cells}\n`, {
        columns: { externalId: 'a', [field]: 'b', ...columns },
        ...(kind === 'Invoice' && { defaults: { vatRate: '19' } }),
      });
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await until(async () => (await onEachServer(service, waiting)).length > 0);
      await holder.query('commit');
      const { errors } = await imported;
      expect(errors).toEqual([{ line: 2, column: 'b', message: `There is no such ${field}.` }]);
    } finally {
      holder.release(true);
    }
  });

  it('of the most rows is imported once by two requests at the same time', async () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => `${at};Customer ${at};;DE;customer`).join('\n');
    const csv = `Id;Name;Mail;Land;Art\n${rows}\n`;
    const answers = await Promise.all(
      [1, 2].map(() => uploadRecords(service, acme, 'Customer', csv, { columns: customerColumns })),
    );
    const results = answers.map(({ body }) => body.data?.result ?? 'refused');
    expect(results).toContainEqual(done(10_000));
    expect(await acme.db.customer.count()).toBe(10_000);
  });
});
