import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Worker } from '../../src/jobs/worker.ts';
import {
  makeBankStatement,
  makeBankTransaction,
  makeCompany,
  makeCreditNote,
  makeCustomer,
  makeInvoice,
  makePayment,
  makeReceipt,
} from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { importRecords } from '../record-import/records.ts';
import { work } from '../webhooks/receiver.ts';
import { exported, readCsv, unzip } from './exports.ts';

let service: Service;
let worker: Worker;
let who: Integrator;
let files: Map<string, Buffer>;
let fileName: unknown;
let receiptId: string;
const scan = '%PDF-1.7\nscan\n%%EOF\n';
beforeAll(async () => {
  service = await startService();
  worker = await work(service);
  who = await service.integrator({ country: 'DE' });
  await makeCompany(who, { legalName: 'A & B <GmbH>', city: 'Kiel' });
  const customerId = await makeCustomer(who, { companyName: '=1+1' });
  const invoiceId = await makeInvoice(who, { customerId, status: 'ISSUED' });
  await who.rest('GET', `/invoices/${invoiceId}/pdf`); // makes it
  await makePayment(who, invoiceId, '19');
  await makeCreditNote(who, { invoiceId });
  await makeInvoice(who, { customerId, invoiceDate: '2025-12-31', status: 'ISSUED' });
  receiptId = await makeReceipt(who, { amountGross: '17.77' });
  const upload = { Authorization: `Bearer ${who.token}`, 'Content-Type': 'application/pdf' };
  await fetch(`${service.url}/api/v1/receipts/${receiptId}/attachments?filename=scan.pdf`, {
    method: 'POST',
    headers: upload,
    body: scan,
  });
  await who.rest('POST', `/receipts/${receiptId}/book`);
  await makeBankStatement(who);
  await makeBankTransaction(who);
  const { row, file } = await exported(service, who, { type: 'gobd', from: '2026-01-01', to: '2026-12-31' });
  fileName = row['file_name'];
  files = await unzip(file);
});
afterAll(async () => {
  await worker.stop();
  await service.close();
});

const table = (name: string) => readCsv(files.get(`${name}.csv`) ?? Buffer.alloc(0));
const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;

describe('A GoBD export', () => {
  it.skipIf(!hasXmllint)('has an index.xml that is valid by the DTD beside it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kontor-gobd-'));
    for (const name of ['index.xml', 'gdpdu-01-09-2004.dtd'])
      await writeFile(join(folder, name), files.get(name) ?? '');
    const { status, stderr } = spawnSync('xmllint', ['--noout', '--valid', join(folder, 'index.xml')], {
      encoding: 'utf8',
    });
    await rm(folder, { recursive: true });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('is a zip that is named for its period', () => expect(fileName).toBe('gobd-2026-01-01-2026-12-31.zip'));

  it('describes each table and each of its columns, in their order', () => {
    const index = files.get('index.xml')?.toString() ?? '';
    expect(index).toContain('<Name>A &amp; B &lt;GmbH&gt;</Name>');
    const described = index
      .split('<Table>')
      .slice(1)
      .map((part) => {
        const columns = [...part.matchAll(/<Variable(?:PrimaryKey|Column)><Name>([^<]+)</g)].map(([, name]) => name);
        return [/<URL>([^<]+)</.exec(part)?.[1], columns];
      });
    const csvFiles = [...files].filter(([name]) => name.endsWith('.csv'));
    expect(csvFiles).toHaveLength(12);
    expect(described).toEqual(
      csvFiles.map(([name, content]) => [name, content.toString().split('\r\n')[0]?.split(',')]),
    );
  });

  it('has tables that read back to what SQL has', async () => {
    const sum = (rows: Record<string, string>[], name: string) =>
      rows.reduce((total, row) => total + Number(row[name]), 0);
    const one = async (sql: string) => Number((await service.pool.query(sql, [who.tenantId])).rows[0].sum);
    const days = "between '2026-01-01' and '2026-12-31'";
    for (const [name, column, sql] of [
      [
        'invoices',
        'total_gross',
        `select sum(total_gross) from invoices where tenant_id = $1 and invoice_date ${days}`,
      ],
      [
        'invoice_items',
        'line_total_net',
        `select sum(line_total_net) from invoice_items join invoices on invoices.id = invoice_id where invoices.tenant_id = $1 and invoice_date ${days}`,
      ],
      [
        'credit_notes',
        'total_gross',
        `select sum(total_gross) from credit_notes where tenant_id = $1 and credit_note_date ${days}`,
      ],
      [
        'receipts',
        'amount_gross',
        `select sum(amount_gross) from receipts where tenant_id = $1 and receipt_date ${days}`,
      ],
      [
        'receipt_lines',
        'amount_gross',
        `select sum(amount_gross) from receipts where tenant_id = $1 and receipt_date ${days}`,
      ],
      ['payments', 'amount', `select sum(amount) from payments where tenant_id = $1 and paid_on ${days}`],
      [
        'bank_transactions',
        'amount',
        `select sum(amount) from bank_transactions where tenant_id = $1 and booking_date ${days}`,
      ],
    ] as const) {
      expect(table(name).length).toBeGreaterThan(0);
      expect([name, sum(table(name), column)]).toEqual([name, await one(sql)]);
    }
    expect(table('audit_log').length).toBeGreaterThan(0);
    expect(table('customers').map((row) => row['company_name'])).toContain("'=1+1");
  });

  it('has the stored files of the documents, byte by byte', async () => {
    const stored = await who.db.invoiceFile.findMany({
      where: { invoice: { invoiceDate: { gte: new Date('2026-01-01') } } },
    });
    expect(stored.length).toBeGreaterThan(0);
    const pdf = stored.find(({ format }) => format === 'pdf');
    expect(files.get('documents/2026-0001.pdf')?.equals(Buffer.from(pdf?.bytes ?? []))).toBe(true);
    expect([...files.keys()].some((name) => name.includes('2025-0001'))).toBe(false);
    expect(files.get(`documents/receipts/${receiptId}-1.pdf`)?.toString()).toBe(scan);
  });
});

it('names the files of imported invoices so that no name leaves its folder, and each is there once', async () => {
  const numbers = ['RE/../1', String.raw`RE\..\1`, '../../2', '"3"\u0007\u202e', 'RE-4', 're-4', 'Nr. 5 (März), a/b'];
  const seller = await service.integrator({ country: 'DE' });
  await makeCompany(seller);
  await makeCustomer(seller);
  const rows = numbers.map((number) => `"${number.replaceAll('"', '""')}",Globex,2026-02-01,Advice,1,100,19`);
  const csv = ['n,customer,day,text,q,price,vat', ...rows].join('\n');
  const columns = {
    externalId: 'n',
    number: 'n',
    customer: 'customer',
    invoiceDate: 'day',
    title: 'text',
    quantity: 'q',
    unitPriceNet: 'price',
    vatRate: 'vat',
  };
  expect(await importRecords(service, seller, 'Invoice', csv, { columns })).toMatchObject({ errors: [], imported: 7 });
  await makeCreditNote(seller, { invoiceId: await makeInvoice(seller, { status: 'ISSUED' }) });
  const invoices = await seller.db.invoice.findMany({ orderBy: { id: 'asc' } });
  const names = new Map<string, string>();
  for (const { id, number } of invoices.filter((each) => numbers.includes(each.number ?? ''))) {
    const url = `${service.url}/api/v1/invoices/${id}/pdf`;
    const { status, headers } = await fetch(url, { headers: { authorization: `Bearer ${seller.token}` } });
    expect(status).toBe(200);
    names.set(number ?? '', headers.get('content-disposition') ?? '');
  }
  const save = 'attachment; filename=';
  expect(numbers.map((number) => names.get(number))).toEqual([
    `${save}RE_.._1.pdf`,
    `${save}RE_.._1.pdf`,
    `${save}_._.._2.pdf`,
    `${save}_3___.pdf`,
    `${save}RE-4.pdf`,
    `${save}re-4.pdf`,
    `${save}"Nr. 5 (M?rz), a_b.pdf"; filename*=UTF-8''Nr.%205%20%28M%C3%A4rz%29%2C%20a_b.pdf`,
  ]);
  const { file } = await exported(service, seller, { type: 'gobd', from: '2026-01-01', to: '2026-12-31' });
  const documents = [...(await unzip(file)).keys()].filter((name) => name.startsWith('documents/'));
  const idOf = (number: string) => invoices.find((each) => each.number === number)?.id;
  expect(documents.filter((name) => name.endsWith('.pdf'))).toEqual(
    [
      'RE_.._1',
      `RE_.._1-${idOf(String.raw`RE\..\1`)}`,
      '_._.._2',
      '_3___',
      'RE-4',
      `re-4-${idOf('re-4')}`,
      'Nr. 5 (März), a_b',
    ].map((name) => `documents/${name}.pdf`),
  );
  expect(new Set(documents.map((name) => name.toLowerCase())).size).toBe(documents.length);
});
