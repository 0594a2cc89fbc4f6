import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { bySpreadsheet, xeroContacts, xeroInvoices, zohoContacts, zohoInvoices } from './exported-files.ts';
import { importRecords, previewRecords, uploadRecords, type Kind, type Options, type Result } from './records.ts';

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
const done = (imported: number, skipped = 0, leftOut = 0): Result => ({ imported, skipped, leftOut, errors: [] });
const one = async (path: string) => {
  const { data } = (await acme.rest('GET', path)).body;
  expect(data).toHaveLength(1);
  return data[0];
};
const paymentsOf = async (invoiceId: string) =>
  (await acme.db.payment.findMany({ where: { invoiceId }, select: { id: true, amount: true, paidOn: true } })).map(
    ({ amount, paidOn }) => [amount.toFixed(2), paidOn.toISOString().slice(0, 10)],
  );

describe('Xero', () => {
  const contacts = xeroContacts(
    {
      '*ContactName': 'Harbour Museum, Ltd',
      EmailAddress: 'office@harbour.example',
      POAddressLine1: '4 Pier Road',
      POCity: 'Dover',
      POPostalCode: 'CT16 1AA',
      POCountry: 'United Kingdom',
      PhoneNumber: '+44 1304 555010',
      TaxNumber: 'GB123456789',
    },
    { '*ContactName': 'Atelier "Ondine"', POCity: 'Calais', POCountry: 'fr' },
  );
  const harbour = { ContactName: 'Harbour Museum, Ltd' };
  const invoices = xeroInvoices(
    {
      ...harbour,
      InvoiceNumber: 'INV-0001',
      Reference: 'Spring',
      InvoiceDate: '03/02/2025',
      DueDate: '17/02/2025',
      Total: '1131.0000',
      TaxTotal: '171.6700',
      InvoiceAmountPaid: '1131.0000',
      InvoiceAmountDue: '0.0000',
      Description: 'Catalogue,\nprinted',
      Quantity: '10.0000',
      UnitAmount: '100.0000',
      Discount: '10',
      LineAmount: '900.0000',
      TaxType: '20% (VAT on Income)',
      TaxAmount: '180.0000',
      Status: 'Paid',
    },
    {
      ...harbour,
      InvoiceNumber: 'INV-0001',
      Reference: 'Spring',
      InvoiceDate: '03/02/2025',
      DueDate: '17/02/2025',
      Total: '1131.0000',
      TaxTotal: '171.6700',
      InvoiceAmountPaid: '1131.0000',
      InvoiceAmountDue: '0.0000',
      Description: 'Books',
      Quantity: '1.0000',
      UnitAmount: '101.0000',
      LineAmount: '101.0000',
      TaxType: 'Zero Rated Income',
      TaxAmount: '0.0000',
      Status: 'Paid',
    },
    {
      ...harbour,
      InvoiceNumber: 'INV-0001',
      Reference: 'Spring',
      InvoiceDate: '03/02/2025',
      DueDate: '17/02/2025',
      Total: '1131.0000',
      TaxTotal: '171.6700',
      InvoiceAmountPaid: '1131.0000',
      InvoiceAmountDue: '0.0000',
      Description: 'Credit for a misprint',
      Quantity: '1.0000',
      UnitAmount: '-41.6667',
      LineAmount: '-41.6700',
      TaxType: '20% (VAT on Income)',
      TaxAmount: '-8.3300',
      Status: 'Paid',
    },
    {
      ContactName: 'Atelier "Ondine"',
      InvoiceNumber: 'INV-0002',
      InvoiceDate: '01/04/2025',
      DueDate: '15/04/2025',
      Total: '120.0000',
      InvoiceAmountPaid: '20.0000',
      InvoiceAmountDue: '100.0000',
      Description: 'Layout',
      Quantity: '1.0000',
      UnitAmount: '100.0000',
      LineAmount: '100.0000',
      TaxType: '20% (VAT on Income)',
      TaxAmount: '20.0000',
    },
    { ...harbour, InvoiceNumber: 'INV-0003', Status: 'Draft' },
    { ...harbour, InvoiceNumber: 'CN-0001', Type: 'Sales credit note' },
  );

  it('moves in: contacts with countries by name, invoices with their lines, taxes, and payments', async () => {
    expect(await imports('Customer', contacts, { preset: 'XERO' })).toEqual(done(2));
    expect(await one('/customers?external_id=Harbour%20Museum%2C%20Ltd')).toMatchObject({
      type: 'customer',
      company_name: 'Harbour Museum, Ltd',
      address_line1: '4 Pier Road',
      postal_code: 'CT16 1AA',
      country: 'GB',
      vat_id: 'GB123456789',
      phone: '+44 1304 555010',
    });
    expect(await one('/customers?q=Ondine')).toMatchObject({ country: 'FR', email: null });

    expect(await imports('Invoice', invoices, { preset: 'XERO' })).toEqual(done(2, 0, 2));
    const paid = await one('/invoices?external_id=INV-0001');
    expect(paid).toMatchObject({
      number: 'INV-0001',
      status: 'paid',
      subject: 'Spring',
      currency: 'GBP',
      invoice_date: '2025-02-03',
      total_gross: 1131,
      amount_due: 0,
      items: [
        { title: 'Catalogue,\nprinted', quantity: 10, unit_price_net: 90, vat_rate: 20, line_total_net: 900 },
        { title: 'Books', vat_rate: 0, line_total_net: 101 },
        { title: 'Credit for a misprint', unit_price_net: -41.6667, line_total_net: -41.67 },
      ],
    });
    // The file doesn't say when it was paid.
    expect(await paymentsOf(paid.id)).toEqual([['1131.00', '2025-02-17']]);
    const open = await one('/invoices?external_id=INV-0002');
    expect(open).toMatchObject({ status: 'issued', total_gross: 120, amount_paid: 20, amount_due: 100 });
    expect(await paymentsOf(open.id)).toEqual([['20.00', '2025-04-15']]);
  });

  it('is read again without a change', async () => {
    await imports('Customer', contacts, { preset: 'XERO' });
    await imports('Invoice', invoices, { preset: 'XERO' });
    expect(await imports('Customer', contacts, { preset: 'XERO' })).toEqual(done(0, 2));
    expect(await imports('Invoice', invoices, { preset: 'XERO' })).toEqual(done(0, 2, 2));
  });

  it('has dates as in the United States, if the caller says so', async () => {
    await imports('Customer', contacts, { preset: 'XERO' });
    const { errors } = await imports('Invoice', invoices, { preset: 'XERO', format: { dateFormat: 'MM/DD/YYYY' } });
    expect(errors[0]).toEqual({ line: 2, column: 'DueDate', message: 'This date is no calendar day: "17/02/2025".' });
  });
});

describe('Zoho Books', () => {
  const contacts = zohoContacts(
    {
      'Display Name': 'Bäckerei Sonnenschein GmbH',
      'Customer ID': '9001',
      EmailID: 'info@sonnenschein.example',
      'Billing City': 'Köln',
      'Billing Country': 'Deutschland',
    },
    { 'Display Name': 'Papierhaus', 'Customer ID': '9002', 'Contact Type': 'vendor', 'Billing Country': 'Austria' },
  );
  const first = {
    'Invoice Date': '2025-03-01',
    'Due Date': '2025-03-31',
    'Invoice ID': '77001',
    'Invoice Number': 'INV-000001',
    'Customer ID': '9001',
    Total: '36.15',
    Balance: '0.00',
    'Last Payment Date': '2025-03-20',
    'Invoice Status': 'Closed',
    'Usage unit': 'pcs',
    'Item Tax %': '19',
    Subject: 'March',
  };
  const line = { Quantity: '1.00', 'Item Price': '10.13', 'Item Total': '10.13', 'Item Tax Amount': '1.92' };
  const second = {
    'Invoice Date': '2025-04-01',
    'Due Date': '2025-05-01',
    'Invoice ID': '77002',
    'Invoice Number': 'INV-000002',
    'Customer ID': '9001',
    Total: '50.00',
    Balance: '50.00',
    'Item Name': 'Advice',
    Quantity: '0.50',
    'Item Price': '100.00',
    'Item Total': '50.00',
  };
  const invoices = zohoInvoices(
    { ...first, ...line, 'Item Name': 'Bread' },
    { ...first, ...line, 'Item Name': 'Rolls' },
    { ...first, ...line, 'Item Name': 'Cake' },
    second,
    { ...second, 'Invoice ID': '77003', 'Invoice Number': 'INV-000003', 'Invoice Status': 'Void' },
  );

  it('moves in; VAT that was rounded for each line makes a line of its own', async () => {
    expect(await imports('Customer', contacts, { preset: 'ZOHO_BOOKS' })).toEqual(done(2));
    expect(await one('/customers?external_id=9001')).toMatchObject({ type: 'customer', city: 'Köln', country: 'DE' });
    expect(await one('/customers?external_id=9002')).toMatchObject({ type: 'supplier', country: 'AT' });

    expect(await imports('Invoice', invoices, { preset: 'ZOHO_BOOKS' })).toEqual(done(2, 0, 1));
    const paid = await one('/invoices?external_id=77001');
    expect(paid).toMatchObject({
      number: 'INV-000001',
      status: 'paid',
      total_net: 30.38,
      total_gross: 36.15,
      items: [
        { title: 'Bread', unit: 'pcs', vat_rate: 19 },
        { title: 'Rolls' },
        { title: 'Cake' },
        { title: 'Rounding', line_total_net: -0.01, vat_rate: 0 },
      ],
    });
    expect(await paymentsOf(paid.id)).toEqual([['36.15', '2025-03-20']]);
    expect(await one('/invoices?external_id=77002')).toMatchObject({
      status: 'issued',
      total_gross: 50,
      amount_due: 50,
      items: [{ title: 'Advice', quantity: 0.5, vat_rate: 0 }],
    });
  });

  it('is read as a spreadsheet saved it: with a byte order mark, semicolons, and decimal commas', async () => {
    expect(await imports('Customer', bySpreadsheet(contacts), { preset: 'ZOHO_BOOKS' })).toEqual(done(2));
    const options = { preset: 'ZOHO_BOOKS', format: { decimalSeparator: ',' } };
    expect(await imports('Invoice', bySpreadsheet(invoices), options)).toEqual(done(2, 0, 1));
    expect(await one('/invoices?external_id=77001')).toMatchObject({ total_gross: 36.15 });
  });

  it("may lack a column that isn't required, but no other", async () => {
    const fewer = 'Customer ID,Display Name\n9003,Nordlicht\n';
    expect(await imports('Customer', fewer, { preset: 'ZOHO_BOOKS' })).toEqual(done(1));
    const { errors } = await imports('Customer', 'Display Name\nNordlicht\n', { preset: 'ZOHO_BOOKS' });
    expect(errors).toEqual([{ line: 1, column: 'Customer ID', message: 'The file has no such column.' }]);
  });

  it('with other columns that the caller names', async () => {
    const options = {
      preset: 'ZOHO_BOOKS',
      columns: { externalId: 'Customer ID', companyName: 'Company Name', type: 'Contact Type' },
    };
    const csv = 'Customer ID,Company Name,Contact Type\n9004,Nordlicht,Vendor\n';
    expect(await imports('Customer', csv, options)).toEqual(done(1));
    expect(await one('/customers?external_id=9004')).toMatchObject({ company_name: 'Nordlicht', type: 'supplier' });
  });

  it('names the line of each error, and imports nothing then', async () => {
    await imports('Customer', contacts, { preset: 'ZOHO_BOOKS' });
    const wrong = zohoInvoices(
      { ...second, Total: '59.50' },
      { ...second, 'Invoice ID': '1', 'Invoice Number': 'A', Balance: '50.01' },
      { ...second, 'Invoice ID': '2', 'Invoice Number': 'B', 'Item Total': '50.005' },
      { ...second, 'Invoice ID': '3', 'Invoice Number': 'C', 'Item Tax %': 'full' },
      { ...second, 'Invoice ID': '4', 'Invoice Number': 'D' },
    );
    const { errors, ...counts } = await imports('Invoice', wrong, { preset: 'ZOHO_BOOKS' });
    expect(counts).toEqual({ imported: 0, skipped: 0, leftOut: 0 });
    expect(errors).toEqual([
      { line: 5, column: 'Item Tax %', message: 'This amount is no number with the decimal separator ".": "full".' },
      { line: 2, column: 'Total', message: 'Is 59.5, but the lines make 50.' },
      { line: 3, column: 'Balance', message: 'Must be from 0 to the gross total of 50.' },
      { line: 4, column: 'Item Total', message: 'Must not have more than 2 decimals in this currency.' },
    ]);
    expect((await acme.rest('GET', '/invoices')).body.data).toEqual([]);
  });
});

it('a file that has only totals makes one line for each rate: net, VAT, and gross must agree', async () => {
  await imports('Customer', 'id,name,type\nk,Globex,customer\n', {
    columns: { externalId: 'id', companyName: 'name', type: 'type' },
  });
  const columns = {
    externalId: 'no',
    number: 'no',
    customer: 'who',
    invoiceDate: 'day',
    unitPriceNet: 'net',
    vatRate: 'rate',
    totalGross: 'gross',
  };
  const csv = 'no,who,day,net,rate,gross\nT1,k,2025-01-02,100.00,19 %,226.00\nT1,k,2025-01-02,100.00,7 %,226.00\n';
  expect(await imports('Invoice', csv, { columns })).toEqual(done(1));
  expect(await one('/invoices?external_id=T1')).toMatchObject({
    total_gross: 226,
    items: [
      { title: 'T1', quantity: 1, vat_rate: 19 },
      { title: 'T1', quantity: 1, vat_rate: 7 },
    ],
  });
  const { errors } = await imports('Invoice', 'no,who,day,net,rate,gross\nT2,k,2025-01-02,100.00,7,119.00\n', {
    columns,
  });
  expect(errors).toEqual([{ line: 2, column: 'gross', message: 'Is 119, but the lines make 107.' }]);
});

it('a dry run answers the first rows as they are read', async () => {
  const csv = 'no;net;rate;day;paid\nT1;1.100,50;19 %;31.12.2024;\nT2;x;7;30.12.2024;31.12.2024\n';
  const preview = await previewRecords(service, acme, 'Invoice', csv, {
    columns: {
      externalId: 'no',
      number: 'no',
      invoiceDate: 'day',
      unitPriceNet: 'net',
      vatRate: 'rate',
      paidOn: 'paid',
    },
    defaults: { customer: 'Globex' },
    format: { dateFormat: 'DD.MM.YYYY', decimalSeparator: ',' },
    dryRun: true,
  });
  const fields = (cells: { field: string; text: string }[]) =>
    Object.fromEntries(cells.map(({ field, text }) => [field, text]));
  expect(preview.map(({ line, cells }) => [line, fields(cells)])).toEqual([
    [
      2,
      {
        externalId: 'T1',
        number: 'T1',
        customer: 'Globex',
        invoiceDate: '2024-12-31',
        unitPriceNet: '1100.5',
        vatRate: '19',
      },
    ],
    [
      3,
      {
        externalId: 'T2',
        number: 'T2',
        customer: 'Globex',
        invoiceDate: '2024-12-30',
        paidOn: '2024-12-31',
        vatRate: '7',
      },
    ],
  ]);
});

it('a preset without such records is refused', async () => {
  const { body } = await uploadRecords(service, acme, 'Project', 'a\n', { preset: 'XERO' });
  expect(body.errors[0].extensions.errors).toMatchObject({ preset: ['Has no file with projects.'] });
});

it('importKinds answers fields and presets, with which columns can be mapped by hand', async () => {
  const { importKinds } = await acme.graphql(`{ importKinds {
    resource fields { name isRequired } presets { preset title columns { field text } defaults { field text } dateFormat decimalSeparator leftOut { column texts } }
  } }`);
  expect(importKinds.map((kind: { resource: string }) => kind.resource)).toEqual([
    'CUSTOMER',
    'PROJECT',
    'INVOICE',
    'RECEIPT',
    'TIME_ENTRY',
  ]);
  expect(importKinds[0].fields.slice(0, 4)).toEqual([
    { name: 'externalId', isRequired: true },
    { name: 'type', isRequired: true },
    { name: 'companyName', isRequired: true },
    { name: 'email', isRequired: false },
  ]);
  expect(importKinds[2].presets[0]).toMatchObject({
    preset: 'XERO',
    title: 'Xero',
    columns: expect.arrayContaining([{ field: 'number', text: 'InvoiceNumber' }]),
    defaults: [
      { field: 'unitPriceNet', text: '0' },
      { field: 'vatRate', text: '0' },
    ],
    dateFormat: 'DD/MM/YYYY',
    decimalSeparator: '.',
    leftOut: [{ column: 'Type' }, { column: 'Status', texts: expect.arrayContaining(['Draft', 'Voided']) }],
  });
  expect(importKinds[1].presets).toEqual([]);
});
