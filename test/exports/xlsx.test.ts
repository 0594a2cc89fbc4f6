import { buffer } from 'node:stream/consumers';
import { SaxesParser } from 'saxes';
import { xlsxChunks } from '../../schema/exports/xlsx.ts';
import { describe, expect, it } from 'vitest';
import { makeBankTransaction, makeCustomer, makeInvoice, makePayment, makeReceipt } from '../graphql/books.ts';
import type { Service } from '../harness.ts';
import { exported, readCsv, unzip } from './exports.ts';
import { startWithWorker } from '../with-worker.ts';

let service: Service;
startWithWorker((started) => (service = started));

interface Cell {
  type: string | undefined;
  style: string | undefined;
  value: string;
}

/** The cells of a sheet. Every part of the file has to be well-formed XML. */
async function readSheet(file: Buffer, number = 1): Promise<Cell[][]> {
  const rows: Cell[][] = [];
  for (const [name, content] of await unzip(file)) {
    const parser = new SaxesParser();
    parser.on('error', (error) => {
      throw error;
    });
    if (name === `xl/worksheets/sheet${number}.xml`) {
      parser.on('opentag', ({ name: tag, attributes }) => {
        if (tag === 'f') throw new Error('A formula');
        if (tag === 'row') rows.push([]);
        if (tag === 'c') rows.at(-1)?.push({ type: attributes['t'], style: attributes['s'], value: '' });
      });
      parser.on('text', (text) => {
        const cell = rows.at(-1)?.at(-1);
        if (cell) cell.value += text;
      });
    }
    parser.write(content.toString()).close();
  }
  return rows;
}

const column = (rows: Cell[][], name: string): (Cell | undefined)[] => {
  const at = rows[0]?.findIndex(({ value }) => value === name) ?? -1;
  return rows.slice(1).map((row) => row[at]);
};

describe('A spreadsheet', () => {
  it('has several sheets where one has no room for all rows, each with the names', async () => {
    const columns = [{ name: 'number', type: 'integer' }] as const;
    async function* pages(count: number): AsyncGenerator<string[][]> {
      for (let at = 0; at < count; at += 1) yield [[String(2 * at)], [String(2 * at + 1)]];
    }
    const sheetsOf = async (count: number): Promise<(string | undefined)[][]> => {
      const file = await buffer(xlsxChunks(columns, pages(count), 4));
      const names = [...(await unzip(file)).keys()].filter((name) => name.startsWith('xl/worksheets/'));
      const sheets = [];
      for (const [at] of names.entries()) sheets.push((await readSheet(file, at + 1)).map(([cell]) => cell?.value));
      expect(
        (await unzip(file))
          .get('xl/workbook.xml')!
          .toString()
          .match(/<sheet /g),
      ).toHaveLength(sheets.length);
      return sheets;
    };
    expect(await sheetsOf(0)).toEqual([['number']]);
    expect(await sheetsOf(3)).toEqual([
      ['number', '0', '1', '2'],
      ['number', '3', '4', '5'],
    ]);
    expect(await sheetsOf(4)).toEqual([
      ['number', '0', '1', '2'],
      ['number', '3', '4', '5'],
      ['number', '6', '7'],
    ]);
  });

  it('has numbers as numbers, days as days, times as times, and texts that are no formulas', async () => {
    const who = await service.integrator();
    await makeBankTransaction(who, {
      amount: -5.25,
      amountOpen: -5.25,
      reference: '=1+1',
      bookingDate: new Date('2026-03-02'),
    });
    const { row, file } = await exported(service, who, { type: 'list', resource: 'bank-transactions', format: 'xlsx' });
    expect(row['file_name']).toBe('bank-transactions.xlsx');
    const rows = await readSheet(file);
    expect(column(rows, 'amount')).toEqual([{ type: undefined, style: undefined, value: '-5.25' }]);
    expect(column(rows, 'reference')).toEqual([{ type: 'inlineStr', style: undefined, value: '=1+1' }]);
    expect(column(rows, 'booking_date')).toEqual([{ type: undefined, style: '1', value: '46083' }]);
    const [created] = column(rows, 'created_at');
    expect(created?.style).toBe('2');
    expect(Math.abs(Number(created?.value) - (Date.now() / 86_400_000 + 25_569))).toBeLessThan(0.01);
    expect(column(rows, 'value_date')).toEqual([{ type: undefined, style: undefined, value: '' }]);
  });

  it('has every text as it is, also those that XML has no characters for', async () => {
    const who = await service.integrator();
    const names = ['<a href="x">&amp;', '_x0041_', 'a\u0001b', 'x😀y', ' spaces '];
    for (const name of names) await who.db.customer.create({ data: { type: 'CUSTOMER', companyName: name } });
    await who.db.customer.create({
      data: { type: 'CUSTOMER', companyName: 'long', metadata: { x: 'y'.repeat(40_000) } },
    });
    const { file } = await exported(service, who, { type: 'list', resource: 'customers', format: 'xlsx' });
    const rows = await readSheet(file);
    const values = column(rows, 'company_name').map((cell) => cell?.value);
    expect(values).toEqual(['<a href="x">&amp;', '_x005F_x0041_', 'ab', 'x😀y', ' spaces ', 'long']);
    expect(column(rows, 'metadata').at(-1)?.value.length).toBe(32_767);
  });

  it('has the same rows as CSV', async () => {
    const who = await service.integrator();
    for (let at = 0; at < 7; at += 1) await makeInvoice(who, { subject: `No ${at}` });
    const asked = { type: 'list', resource: 'invoices' };
    const rows = await readSheet((await exported(service, who, { ...asked, format: 'xlsx' })).file);
    const csv = readCsv((await exported(service, who, asked)).file);
    expect(rows[0]?.map(({ value }) => value)).toEqual(Object.keys(csv[0] ?? {}));
    for (const name of ['id', 'subject', 'total_gross', 'status'])
      expect(column(rows, name).map((cell) => cell?.value)).toEqual(csv.map((each) => each[name]));
  });
});

describe('An export of open items', () => {
  it('has what the report has, of either side', async () => {
    const who = await service.integrator();
    const customerId = await makeCustomer(who, { companyName: 'Globex' });
    const invoiceId = await makeInvoice(who, { customerId, status: 'ISSUED' });
    await makePayment(who, invoiceId, '19');
    await makeInvoice(who, { customerId, status: 'PAID' });
    await makeInvoice(who, { customerId, status: 'ISSUED', invoiceDate: '2026-02-01' });
    await makeReceipt(who, { status: 'BOOKED', receiptNumber: '7' });
    for (const [side, at] of [
      ['receivable', '2026-12-31'],
      ['receivable', '2026-02-15'],
      ['payable', '2026-12-31'],
    ] as const) {
      const report = (await who.rest('GET', `/reports/open-items?at=${at}&side=${side}`)).body.data.items as object[];
      const { row, file } = await exported(service, who, { type: 'open_items', at, side });
      const expected = report.map((each) =>
        Object.fromEntries(Object.entries(each).map(([name, value]) => [name, value === null ? '' : String(value)])),
      );
      const byId = (a: Record<string, string>, b: Record<string, string>) =>
        (a['id'] ?? '') < (b['id'] ?? '') ? -1 : 1;
      expect(readCsv(file)).toEqual(expected.toSorted(byId));
      expect(expected.length).toBeGreaterThan(0);
      expect(row).toMatchObject({ file_name: `open-items-${side}-${at}.csv`, rows: expected.length });
    }
  });
});
