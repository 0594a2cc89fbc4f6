import fc from 'fast-check';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { datevContent } from '../../schema/exports/datev/export-datev.ts';
import { givePartnerAccounts } from '../../schema/exports/datev/partner-accounts.ts';
import { Decimal } from '../../schema/money/money.ts';
import {
  item,
  makeBankTransaction,
  makeCreditNote,
  makeCustomer,
  makeInvoice,
  makePayment,
  makeReceipt,
} from '../graphql/books.ts';
import { type Integrator, type Service } from '../harness.ts';
import { exported, startExport, untilEnded, unzip } from './exports.ts';
import { readExtf, sumAccounts, sumTaxed } from './extf.ts';
import { startWithWorker } from '../with-worker.ts';

let service: Service;
startWithWorker((started) => (service = started));

const year = { from: '2026-01-01', to: '2026-12-31' };
const datev = (fields: object = {}) => ({ type: 'datev', chart: 'skr03', ...year, ...fields });
const german = () => service.integrator({ country: 'DE' });

const line = (unitPriceNet: string, vatCategory: string, vatRate: string) => ({
  ...item,
  unitPriceNet,
  vatCategory,
  vatRate,
  ...(['E', 'AE', 'K', 'G', 'O'].includes(vatCategory) && { exemptionReason: 'By law' }),
});

/** The fields of a posting that matter. */
const brief = (row: Record<string, string>) => [
  row['Umsatz (ohne Soll/Haben-Kz)'],
  row['Soll/Haben-Kennzeichen'],
  row['Konto'],
  row['Gegenkonto (ohne BU-Schlüssel)'],
  row['BU-Schlüssel'],
  row['Belegdatum'],
  row['Belegfeld 1'],
  row['Buchungstext'],
];

/** The sum of the amounts that went through the bank, by the payments. */
async function bankOf(who: Integrator): Promise<number> {
  const moved = await who.db.payment.findMany({ where: { kind: { in: ['PAYMENT', 'OVERPAYMENT', 'CREDIT_REFUND'] } } });
  const signed = moved.map(({ amount, receiptId, kind }) =>
    receiptId !== null || kind === 'CREDIT_REFUND' ? -amount.toNumber() : amount.toNumber(),
  );
  return Decimal.sum(0, ...signed).toNumber();
}

describe('A DATEV export', () => {
  it('has the header and the postings of invoices, credit notes, receipts, and payments', async () => {
    const who = await german();
    const customerId = await makeCustomer(who, { companyName: 'Globex', country: 'DE' });
    const supplierId = await makeCustomer(who, { companyName: 'Bürobedarf Müller', type: 'SUPPLIER' });
    const invoiceId = await makeInvoice(who, { customerId, status: 'ISSUED', items: [item, line('50', 'S', '7')] });
    await makePayment(who, invoiceId, '100');
    await makeCreditNote(who, { invoiceId, amount: undefined });
    await makeReceipt(who, {
      supplierId,
      status: 'BOOKED',
      receiptNumber: 'R 17/4',
      description: 'Paper',
      category: 'office',
    });
    await makeReceipt(who, { status: 'BOOKED', amountGross: '20', vatRate: '0', category: '4970 Bank' });
    await makeReceipt(who, { amountGross: '999' }); // a draft
    const payment = await who.db.payment.findFirstOrThrow();
    const { row, file } = await exported(service, who, datev({ consultant_number: 29098, client_number: 55003 }));
    const { head, rows } = readExtf(file);
    expect(head).toEqual([
      'EXTF', '700', '21', 'Buchungsstapel', '13', '20261231000000000', '', 'KO', '', '', '29098', '55003', '20260101', '4',
      '20260101', '20261231', 'Kontor 20260101-20261231', '', '1', '0', '0', 'EUR', '', '', '', '', '03', '', '', '', '',
    ]); // prettier-ignore
    const day = (date: Date) => `${date.toISOString().slice(8, 10)}${date.toISOString().slice(5, 7)}`;
    const note = await who.db.creditNote.findFirstOrThrow();
    expect(rows.map(brief)).toEqual([
      ['53,50', 'S', '10000', '8300', '', '0103', '2026-0001', 'Globex'],
      ['119,00', 'S', '10000', '8400', '', '0103', '2026-0001', 'Globex'],
      ['53,50', 'H', '10000', '8300', '', day(note.creditNoteDate), 'CN-2026-0001', 'Globex'],
      ['119,00', 'H', '10000', '8400', '', day(note.creditNoteDate), 'CN-2026-0001', 'Globex'],
      ['119,00', 'S', '4930', '70000', '9', '0103', 'R-17/4', 'Paper'],
      ['20,00', 'S', '4970', '99999', '', '0103', '', ''],
      ['100,00', 'S', '1200', '10000', '', day(payment.paidOn), '2026-0001', 'Zahlung'],
    ]);
    expect(row).toMatchObject({ file_name: 'EXTF_Buchungsstapel_20260101_20261231.csv', rows: 5, processed_rows: 5 });
  });

  it('has the accounts of SKR03 and SKR04 by category, rate, and country', async () => {
    const who = await german();
    const [de, at, us] = [
      await makeCustomer(who, { country: 'DE' }),
      await makeCustomer(who, { country: 'AT', vatId: 'ATU12345675' }),
      await makeCustomer(who, { country: 'US' }),
    ];
    const cases = [
      [de, 'S', '19', '8400', '4400', ''],
      [de, 'S', '7', '8300', '4300', ''],
      [de, 'S', '16', '8200', '4200', ''],
      [at, 'S', '19', '8400', '4400', ''],
      [at, 'S', '20', '8320', '4320', 'AT'],
      [de, 'Z', '0', '8290', '4290', ''],
      [de, 'E', '0', '8100', '4100', ''],
      [at, 'K', '0', '8125', '4125', 'ATU12345675'],
      [at, 'AE', '0', '8336', '4336', 'ATU12345675'],
      [de, 'AE', '0', '8337', '4337', ''],
      [us, 'G', '0', '8120', '4120', ''],
      [us, 'O', '0', '8338', '4338', ''],
      [at, 'O', '0', '8339', '4339', ''],
    ] as const;
    for (const [customerId, category, rate] of cases)
      await makeInvoice(who, { customerId, status: 'ISSUED', items: [line('10', category, rate)] });
    for (const [chart, at2] of [
      ['skr03', 3],
      ['skr04', 4],
    ] as const) {
      const { rows } = readExtf((await exported(service, who, datev({ chart }))).file);
      expect(
        rows.map((each) => [each['Gegenkonto (ohne BU-Schlüssel)'], each['EU-Land u. UStID (Bestimmung)']]),
      ).toEqual(
        cases.flatMap((each) => [
          [each[at2], each[5]],
          ...(each[2] === '16' ? [[chart === 'skr03' ? '1770' : '3800', '']] : []), // VAT is a posting of its own
        ]),
      );
      expect(rows.map((each) => each['EU-Steuersatz (Bestimmung)'])[5]).toBe('20,00');
    }
  });

  it('comes to the VAT report, the profit and loss, and the payments of its period', async () => {
    const who = await german();
    const customers = [
      await makeCustomer(who, { country: 'DE' }),
      await makeCustomer(who, { country: 'FR', vatId: 'FR23334175221' }),
    ];
    const amounts = ['0.33', '17.77', '100.01', '999.99', '4.45'];
    for (let at = 0; at < 20; at += 1) {
      const [category, rate] = (
        [
          ['S', '19'],
          ['S', '7'],
          ['K', '0'],
          ['E', '0'],
          ['S', '16'],
        ] as const
      )[at % 5] ?? ['S', '19'];
      const items = [line(amounts[at % 5] ?? '1', category, rate), line(amounts[(at + 2) % 5] ?? '1', 'S', '19')];
      const month = String((at % 6) + 1).padStart(2, '0');
      const invoiceId = await makeInvoice(who, {
        customerId: customers[category === 'K' ? 1 : at % 2],
        invoiceDate: `2026-${month}-${String(at + 1).padStart(2, '0')}`,
        status: at % 3 === 0 ? 'PAID' : 'ISSUED',
        items,
      });
      if (at % 4 === 0) await makeCreditNote(who, { invoiceId, creditNoteDate: `2026-06-${String(at + 10)}` });
      await makeReceipt(who, {
        status: 'BOOKED',
        receiptDate: `2026-${month}-15`,
        amountGross: amounts[(at + 1) % 5],
        vatRate: ['19', '7', '0'][at % 3],
      });
    }
    const period = { from: '2026-02-01', to: '2026-06-30' };
    const { rows } = readExtf((await exported(service, who, datev(period))).file);
    const sums = sumAccounts(rows);
    const query = new URLSearchParams({ ...period, date_by: 'document' });
    const report = (await who.rest('GET', `/reports/vat?${query.toString()}`)).body.data.rows as {
      kind: string;
      vat_category: string;
      vat_rate: number;
      net: number;
      vat: number;
    }[];
    const revenue: Record<string, string> = { S19: '8400', S7: '8300', S16: '8200', K0: '8125', E0: '8100' };
    const accountOf = ({ kind, vat_category: category, vat_rate: rate }: (typeof report)[number]): string =>
      kind === 'input' ? '4900' : (revenue[`${category}${rate}`] ?? '?');
    const expected = new Map<string, Decimal>();
    for (const each of report) {
      const account = accountOf(each);
      // VAT of other rates has an account of its own. Of the others, DATEV takes it out of the gross amount.
      const amount = new Decimal(each.net).plus(account === '8200' ? 0 : each.vat);
      // Revenue is credited, expenses are debited.
      const signed = each.kind === 'input' ? amount : amount.negated();
      expected.set(account, (expected.get(account) ?? new Decimal(0)).plus(signed));
    }
    const isResult = (account: string): boolean => /^[48]\d{3}$/.test(account);
    const asTexts = (map: Map<string, Decimal>) =>
      [...map]
        .filter(([account]) => isResult(account))
        .map(([account, sum]) => [account, sum.toFixed(2)])
        .toSorted();
    expect(asTexts(sums)).toEqual(asTexts(expected));
    expect(asTexts(sums).length).toBeGreaterThan(4);

    const totals = (await who.rest('GET', `/reports/profit-and-loss?${new URLSearchParams(period).toString()}`)).body
      .data.totals[0] as { revenue: number; expenses: number };
    const net = (kind: 'input' | 'output') =>
      report
        .filter((each) => (each.kind === 'input') === (kind === 'input'))
        .reduce((sum, each) => sum.plus(each.net), new Decimal(0));
    expect([net('output').toNumber(), net('input').toNumber()]).toEqual([totals.revenue, totals.expenses]);

    const paid = await who.db.payment.findMany({
      where: { paidOn: { gte: new Date(period.from), lte: new Date(period.to) } },
    });
    const bank = paid.reduce((sum, each) => sum.plus(each.amount.toFixed()), new Decimal(0));
    expect((sums.get('1200') ?? new Decimal(0)).toFixed(2)).toBe(bank.toFixed(2));
    // Each posting has two sides.
    expect([...sums.values()].reduce((sum, each) => sum.plus(each), new Decimal(0)).toFixed(2)).toBe('0.00');
  });

  it('with lines, discounts, losses, and credit comes to the reports, too', async () => {
    const who = await german();
    const ok = async (path: string, body: object) => {
      const answer = await who.rest('POST', path, body);
      expect([answer.status < 300, answer.body.errors]).toEqual([true, undefined]);
      return answer.body.data;
    };
    const customerId = await makeCustomer(who, { country: 'DE' });
    const supplier = await makeCustomer(who, { type: 'SUPPLIER' });
    const bought = [
      { vat_rate: 19, amount_gross: 119.03, account: '49800000' },
      { vat_rate: 7, amount_gross: 53.5, deductible_percent: 33.33, account: '4650' },
      { vat_rate: 19, amount_gross: 50, vat_amount: 7.97, account: 'Fuel' },
      { vat_rate: 16, amount_gross: 11.6, account: '123456' },
      { vat_rate: 19, vat_category: 'AE', amount_net: 100.05 },
      { vat_rate: 19, vat_category: 'AE', amount_net: 10.01, deductible_percent: 50 },
      { vat_rate: 7, vat_category: 'K', amount_net: 33.33 },
      { vat_rate: 5.5, vat_category: 'K', amount_net: 20 },
      { vat_rate: 19, vat_category: 'IMPORT', amount_gross: 19, deductible_percent: 75 },
      { vat_rate: 0, vat_category: 'E', amount_net: 5 },
      { vat_rate: 19, amount_net: -3.33 }, // a discount
    ];
    const negated = bought.map((each) => ({
      ...each,
      ...Object.fromEntries(
        Object.entries(each).flatMap(([name, value]) =>
          name.startsWith('amount') || name === 'vat_amount' ? [[name, -Number(value)]] : [],
        ),
      ),
    }));
    const receipt = (lines: object[], more: object = {}) =>
      ok('/receipts', { receipt_date: '2026-04-01', status: 'booked', supplier_id: supplier, lines, ...more });
    const all = await receipt(bought);
    await receipt(negated.slice(1, 6), { credited_receipt_id: all.id });
    await ok(`/receipts/${all.id}/payments`, {
      paid_on: '2026-04-10',
      adjustments: [
        { type: 'cash_discount', amount: 9.99 },
        { type: 'write_off', amount: 1.5, reason: 'Forgotten' },
        { type: 'rounding', amount: 0.02 },
      ],
    });
    const items = [line('100.01', 'S', '19'), line('49.99', 'S', '7'), line('20', 'E', '0'), line('3.33', 'S', '16')];
    const invoice = () => makeInvoice(who, { customerId, invoiceDate: '2026-04-02', status: 'ISSUED', items });
    await ok(`/invoices/${await invoice()}/payments`, {
      paid_on: '2026-04-11',
      adjustments: [
        { type: 'cash_discount', amount: 6.17 },
        { type: 'fee', amount: 1.5 },
        { type: 'write_off', amount: 5, reason: 'Goodwill' },
        { type: 'rounding', amount: 0.03 },
      ],
    });
    const over = { paid_on: '2026-04-12', adjustments: [{ type: 'overpayment', amount: 30 }] };
    await ok(`/invoices/${await invoice()}/payments`, over);
    const used = { paid_on: '2026-04-13', amount: 0, adjustments: [{ type: 'credit', amount: 20 }] };
    await ok(`/invoices/${await invoice()}/payments`, used);
    await ok(`/customers/${customerId}/credit-refunds`, { currency: 'EUR', amount: 4, paid_on: '2026-04-14' });
    const undone = await ok(`/invoices/${await invoice()}/payments`, {
      paid_on: '2026-04-15',
      amount: 50,
      adjustments: [{ type: 'cash_discount', amount: 2.22 }],
    });
    const payments = (await who.rest('GET', `/payments?invoice_id=${undone.id}&kind=payment`)).body.data;
    expect((await who.rest('POST', `/payments/${payments[0].id}/reverse`)).status).toBe(200);

    const discounted = await invoice();
    const discount = [{ type: 'cash_discount', amount: 6.01 }];
    const { items: sold } = await ok(`/invoices/${discounted}/payments`, {
      paid_on: '2026-04-16',
      amount: 0,
      adjustments: discount,
    });
    // The discount is split anew over what is left.
    const returned = [{ invoice_item_id: sold[1].id, quantity: 1 }];
    await ok('/credit-notes', { invoice_id: discounted, credit_note_date: '2026-04-20', items: returned });

    const period = { from: '2026-04-01', to: '2026-04-30' };
    const { rows } = readExtf((await exported(service, who, datev(period))).file);
    const sums = sumTaxed(rows);
    const sumOf = (pattern: RegExp): number =>
      Decimal.sum(0, ...[...sums].filter(([account]) => pattern.test(account)).map(([, sum]) => sum)).toNumber();
    const query = new URLSearchParams({ ...period, date_by: 'document' });
    const report = (await who.rest('GET', `/reports/vat?${query.toString()}`)).body.data.rows as Record<
      string,
      unknown
    >[];
    const vatOf = (kind: string, rate?: number): number =>
      Decimal.sum(
        0,
        ...report
          .filter((row) => row['kind'] === kind && (rate === undefined || row['vat_rate'] === rate))
          .map((row) => Number(row['vat'])),
      ).toNumber();
    const { revenue, expenses } = (
      await who.rest('GET', `/reports/profit-and-loss?${new URLSearchParams(period).toString()}`)
    ).body.data.totals[0];
    expect({
      output: [sumOf(/^1776$/), sumOf(/^1771$/), sumOf(/^1770$/)],
      input: sumOf(/^15(70|71|76|72|78)$/),
      import: sumOf(/^1588$/),
      owed: [sumOf(/^1785$/), sumOf(/^1772$/)],
      expenses: sumOf(/^(2400|3730|4\d{3})$/),
      revenue: -sumOf(/^(8\d{3}|2700)$/),
      bank: sumOf(/^1200$/),
      all: sumOf(/./),
    }).toEqual({
      output: [-vatOf('output', 19), -vatOf('output', 7), -vatOf('output', 16)],
      input: vatOf('input'),
      import: vatOf('import'),
      owed: [-vatOf('reverse_charge'), -vatOf('acquisition')],
      expenses,
      revenue,
      bank: await bankOf(who),
      all: 0,
    });
    const accounts = new Set(rows.map((row) => row['Konto']));
    expect(
      ['4980', '4650', '4900', '3730', '8730', '4970', '2400', '2700'].filter((each) => !accounts.has(each)),
    ).toEqual([]);
    expect(accounts.has('1234')).toBe(false);
  });

  it('takes the VAT of a discount on a distance sale back where the sale has it', async () => {
    const who = await german();
    const [austrian, here] = [await makeCustomer(who, { country: 'AT' }), await makeCustomer(who, { country: 'DE' })];
    for (const [customerId, rate, discount] of [
      [austrian, '20', 12],
      [here, '16', 11.6],
      [austrian, '19', 11.9],
    ] as const) {
      const id = await makeInvoice(who, { customerId, status: 'ISSUED', items: [line('50', 'S', rate)] });
      const adjustments = [{ type: 'cash_discount', amount: discount }];
      const { status } = await who.rest('POST', `/invoices/${id}/payments`, {
        paid_on: '2026-03-10',
        amount: 0,
        adjustments,
      });
      expect(status).toBe(200);
    }
    // The customer moves: what the invoice says counts.
    await who.rest('PATCH', `/customers/${austrian}`, { country: 'DE' });
    for (const [chart, granted, foreign, other] of [
      ['skr03', '8730', '1767', '1770'],
      ['skr04', '4730', '3817', '3800'],
    ] as const) {
      const { rows } = readExtf((await exported(service, who, datev({ chart }))).file);
      const discounts = rows.filter((row) => row['Buchungstext'] === 'Skonto');
      expect(
        discounts.map((row) => [
          row['Umsatz (ohne Soll/Haben-Kz)'],
          row['Konto'],
          row['BU-Schlüssel'],
          row['EU-Land u. UStID (Bestimmung)'],
          row['EU-Steuersatz (Bestimmung)'],
        ]),
      ).toEqual([
        ['10,00', granted, '', 'AT', '20,00'],
        ['2,00', foreign, '', 'AT', '20,00'],
        ['10,00', granted, '', '', ''],
        ['1,60', other, '', '', ''],
        ['11,90', granted, '3', '', ''],
      ]);
    }
  });

  it('has VAT of another country as an expense, as it can’t be deducted in the return', async () => {
    const who = await german();
    const supplier = (fields: object) => makeCustomer(who, { type: 'SUPPLIER', ...fields });
    const austrian = await supplier({ country: 'AT' });
    const cases = [
      [austrian, '20', '120', ''],
      [austrian, '19', '119', ''], // Jungholz
      [await supplier({ country: 'HU' }), '5', '105', ''],
      [await supplier({ country: 'DE', vatId: 'RO18547290' }), '19', '119', ''],
      [await supplier({ country: 'TH' }), '7', '107', ''],
      [null, '20', '120', ''],
      [null, '19', '119', '9'],
      [await supplier({ country: 'LU', vatId: 'DE136695976' }), '7', '107', '8'],
      [await supplier({ country: 'DE' }), '16', '116', ''],
    ] as const;
    const receipts: string[] = [];
    for (const [supplierId, vatRate, amountGross] of cases)
      receipts.push(await makeReceipt(who, { supplierId, vatRate, amountGross, category: 'travel', status: 'BOOKED' }));
    const paid = { paid_on: '2026-03-10', amount: 0, adjustments: [{ type: 'cash_discount', amount: 12 }] };
    expect((await who.rest('POST', `/receipts/${receipts[0]}/payments`, paid)).status).toBe(200);
    expect((await who.rest('POST', `/receipts/${receipts[1]}/reverse`)).status).toBe(200);
    for (const [chart, expense, input, received] of [
      ['skr03', '4660', '1570', '3730'],
      ['skr04', '6650', '1400', '5730'],
    ] as const) {
      const { rows } = readExtf((await exported(service, who, datev({ chart }))).file);
      const [amount, side, account, taxKey] = [0, 1, 2, 4];
      expect(rows.map(brief).map((row) => [row[amount], row[side], row[account], row[taxKey]])).toEqual([
        ...cases.flatMap(([, rate, gross, key]) =>
          rate === '16'
            ? [
                ['100,00', 'S', expense, ''],
                ['16,00', 'S', input, ''],
              ]
            : [[`${gross},00`, 'S', expense, key]],
        ),
        ['119,00', 'H', expense, ''],
        ['12,00', 'H', received, ''],
      ]);
    }
    const report = (await who.rest('GET', `/reports/vat?${new URLSearchParams(year).toString()}`)).body.data.rows;
    const boxed = report.filter((row: { vat_box: string | null }) => row.vat_box === '66');
    expect(boxed.map((row: { vat_rate: number; vat: number }) => [row.vat_rate, row.vat])).toEqual([
      [19, 19],
      [16, 16],
      [7, 7],
    ]);
  });

  it('has the VAT of pieces of an invoice as they say it, also where another cent would be computed', async () => {
    const who = await german();
    const customerId = await makeCustomer(who, { country: 'DE' });
    const austrian = await makeCustomer(who, { country: 'AT' });
    const cents = (most: number) => fc.integer({ min: 1, max: most }).map((amount) => (amount / 100).toFixed(2));
    const cases = fc.record({
      rate: fc.constantFrom('19', '7', '16', '20'),
      lines: fc.array(cents(900), { minLength: 1, maxLength: 3 }),
      credited: fc.array(cents(20), { minLength: 1, maxLength: 4 }),
    });
    let apart = 0;
    for (const { rate, lines, credited } of fc.sample(cases, { seed: 29, numRuns: 40 })) {
      const isForeign = rate === '20';
      const items = lines.map((amount) => line(amount, 'S', rate));
      const invoiceId = await makeInvoice(who, {
        customerId: isForeign ? austrian : customerId,
        invoiceDate: '2026-05-02',
        status: 'ISSUED',
        items,
      });
      for (const net of credited) {
        const { status, body } = await who.rest('POST', '/credit-notes', {
          invoice_id: invoiceId,
          credit_note_date: '2026-05-20',
          amounts: [{ vat_category: 'S', vat_rate: Number(rate), net: Number(net) }],
        });
        expect([200, 201, 422]).toContain(status);
        if (status !== 201) continue;
        const { vat } = body.data.vat_breakdown[0];
        if (new Decimal(net).times(rate).dividedBy(100).toDecimalPlaces(2, 4).toNumber() !== vat) apart += 1;
      }
    }
    expect(apart).toBeGreaterThan(3);
    const period = { from: '2026-05-01', to: '2026-05-31' };
    const sums = sumTaxed(readExtf((await exported(service, who, datev(period))).file).rows);
    const query = new URLSearchParams({ ...period, date_by: 'document' });
    const report = (await who.rest('GET', `/reports/vat?${query.toString()}`)).body.data.rows as {
      vat_rate: number;
      net: number;
      vat: number;
    }[];
    const accounts = { 19: ['8400', '1776'], 7: ['8300', '1771'], 16: ['8200', '1770'], 20: ['8320', '1767'] } as const;
    const of = (account: string): number => (sums.get(account)?.toNumber() ?? 0) * -1;
    const found = Object.entries(accounts).map(([rate, [net, vat]]) => ({
      rate: Number(rate),
      net: of(net),
      vat: of(vat),
    }));
    const expected = found.map(({ rate }) => {
      const rows = report.filter((row) => row.vat_rate === rate);
      const sum = (name: 'net' | 'vat') => Decimal.sum(0, ...rows.map((row) => row[name])).toNumber();
      return { rate, net: sum('net'), vat: sum('vat') };
    });
    expect(found).toEqual(expected);
  });

  it('has the rate of a payment through a bank account of the books’ currency', async () => {
    const who = await german();
    const id = await makeInvoice(who, { currency: 'USD', status: 'ISSUED' });
    const transaction = await makeBankTransaction(who, { amount: '100', amountOpen: '100' });
    await who.graphql(
      `mutation ($id: UUID!, $matches: [MatchInput!]!) { matchBankTransaction(id: $id, matches: $matches) { id } }`,
      { id: transaction, matches: [{ type: 'INVOICE', id, exchangeAmount: '100' }] },
    );
    const { rows } = readExtf((await exported(service, who, datev())).file);
    const names = ['Umsatz (ohne Soll/Haben-Kz)', 'WKZ Umsatz', 'Kurs', 'Basis-Umsatz', 'WKZ Basis-Umsatz'];
    expect(rows.map((row) => names.map((name) => row[name]))).toEqual([
      ['119,00', 'USD', '', '', ''],
      ['119,00', 'USD', '1,190000', '100,00', 'EUR'],
    ]);
  });

  it('has the day of supply with the period of its tax, and rates and VAT numbers of member states, as DATEV takes them', async () => {
    const who = await german();
    const sold = async (buyer: Record<string, string>, category: string, rate: string): Promise<void> => {
      const customerId = await makeCustomer(who, buyer);
      const deliveryDate = category === 'S' ? '2026-02-27' : undefined;
      await makeInvoice(who, { customerId, deliveryDate, status: 'ISSUED', items: [line('100', category, rate)] });
    };
    await sold({ country: 'GR' }, 'S', '24');
    await sold({ country: 'FR' }, 'S', '5.5');
    await sold({ country: 'FR', vatId: 'fr 83.404-833048' }, 'K', '0');
    await sold({ country: 'GR', vatId: 'GR 123456783' }, 'AE', '0');
    await sold({ country: 'GB', vatId: 'XI123456789' }, 'K', '0');
    // The EC sales list has none of these.
    await sold({ country: 'GB', vatId: 'XI123456789' }, 'AE', '0');
    await sold({ country: 'DE', vatId: 'DE136695976' }, 'AE', '0');
    await sold({ country: 'CH', vatId: 'CHE123456788' }, 'AE', '0');
    const { rows } = readExtf((await exported(service, who, datev())).file);
    const names = [
      'EU-Land u. UStID (Bestimmung)',
      'EU-Steuersatz (Bestimmung)',
      'Leistungsdatum',
      'Datum Zuord. Steuerperiode',
    ];
    expect(rows.map((row) => names.map((name) => row[name]))).toEqual([
      ['EL', '24,00', '27022026', '27022026'],
      ['FR', '05,50', '27022026', '27022026'],
      ['FR83404833048', '', '', ''],
      ['EL123456783', '', '', ''],
      ['XI123456789', '', '', ''],
      ['', '', '', ''],
      ['', '', '', ''],
      ['', '', '', ''],
    ]);
  });

  it('has money of many units in the books’ currency, where DATEV has no room for the rate', async () => {
    const who = await german();
    for (const [currency, exchangeRate, net] of [
      ['VND', '0.00010001', '10000000'],
      ['VND', '0.0000357', '10000000'],
      ['GBP', '1', '100'],
      ['GBP', '1.15', '100'],
    ] as const) {
      const priced = { currency, exchangeRate, exchangeRateDate: '2026-02-28', status: 'ISSUED' };
      await makeInvoice(who, { ...priced, items: [line(net, 'S', '19')] });
    }
    const { rows } = readExtf((await exported(service, who, datev())).file);
    const names = ['Umsatz (ohne Soll/Haben-Kz)', 'WKZ Umsatz', 'Kurs', 'Basis-Umsatz', 'WKZ Basis-Umsatz'];
    expect(rows.map((row) => names.map((name) => row[name]))).toEqual([
      ['11900000,00', 'VND', '9998,991698', '1190,12', 'EUR'],
      ['424,83', 'EUR', '', '', ''],
      ['119,00', 'GBP', '1,000000', '119,00', 'EUR'],
      ['136,85', 'EUR', '', '', ''], // a rate below one
    ]);
  });

  it('has the rates of documents, and posts what a payment gains or loses, so that partners’ accounts end at zero in the books’ currency', async () => {
    const who = await german();
    const priced = { currency: 'USD', exchangeRate: '0.92345', exchangeRateDate: '2026-02-28', status: 'ISSUED' };
    const items = [line('100.03', 'S', '19'), line('0.1', 'S', '7'), line('33.33', 'S', '16')];
    const [gaining, losing] = [await makeInvoice(who, { ...priced, items }), await makeInvoice(who, priced)];
    const lines = [
      { vatRate: '19', vatCategory: 'S', amountNet: '100.01', deductiblePercent: '50' },
      { vatRate: '19', vatCategory: 'AE', amountNet: '33.35', deductiblePercent: '50' },
    ];
    const bought = { amountGross: undefined, vatRate: undefined, lines, status: 'BOOKED' };
    const receipt = await makeReceipt(who, { ...priced, ...bought });
    const pay = async (path: string, body: object) => {
      expect((await who.rest('POST', `${path}/payments`, { paid_on: '2026-03-20', ...body })).status).toBe(200);
    };
    const adjustments = [{ type: 'fee', amount: 1.01 }];
    await pay(`/invoices/${gaining}`, { exchange_rate: 0.95, adjustments });
    await pay(`/invoices/${losing}`, { exchange_rate: 0.9 });
    await pay(`/receipts/${receipt}`, { exchange_rate: 0.9 });
    const inBooks = (rows: ReturnType<typeof readExtf>['rows']) =>
      rows.map((row) => ({
        ...row,
        'Umsatz (ohne Soll/Haben-Kz)': row['Basis-Umsatz'] || row['Umsatz (ohne Soll/Haben-Kz)'],
      }));
    for (const [chart, gain, loss] of [
      ['skr03', '2660', '2150'],
      ['skr04', '4840', '6880'],
    ] as const) {
      const { rows } = readExtf((await exported(service, who, datev({ chart }))).file);
      const sums = sumAccounts(inBooks(rows) as typeof rows);
      for (const partner of ['10000', '10001', '99999'])
        expect([partner, sums.get(partner)?.toFixed()]).toEqual([partner, '0']);
      const differences = rows.filter((row) => row['Buchungstext'] === 'Kursdifferenz');
      expect(differences.map((row) => [...brief(row).slice(0, 4), row['WKZ Umsatz'], row['Basis-Umsatz']])).toEqual([
        ['4,16', 'S', '10000', gain, 'EUR', ''], // 156.80 at 0.95: 148.96, and at 0.92345: 144.80
        ['2,79', 'H', '10001', loss, 'EUR', ''], // 119.00 at 0.9: 107.10, and at 0.92345: 109.89
        ['3,58', 'S', '99999', gain, 'EUR', ''], // 152.36 at 0.9: 137.12, and at 0.92345: 140.70
      ]);
    }
    const { data } = (await who.rest('GET', '/payments')).body;
    for (const { id, kind } of data) if (kind !== 'fee') await who.rest('POST', `/payments/${id}/reverse`);
    const { rows } = readExtf((await exported(service, who, datev())).file);
    const sums = sumAccounts(rows);
    expect([sums.get('2660')?.toNumber(), sums.get('2150')?.toNumber()]).toEqual([0, 0]);
    expect(new Set(rows.map((row) => row['Buchungstext']))).toContain('Storno Kursdifferenz');
  });

  it('of a locked period has the same bytes each time, and says so if the lock is final', async () => {
    const who = await german();
    const customerId = await makeCustomer(who, { companyName: 'Before' });
    const invoiceId = await makeInvoice(who, { customerId, status: 'ISSUED' });
    const payments =
      'mutation ($id: UUID!) { payInvoice(id: $id, paidOn: "2026-03-20") { payments { nodes { id } } } }';
    const { payInvoice } = await who.graphql(payments, { id: invoiceId });
    const month = { from: '2026-03-01', to: '2026-03-31' };
    const lock = (kind: string) =>
      who.rest('PUT', '/period-locks', { series: 'all', locked_until: '2026-03-31', kind });
    expect((await lock('soft')).status).toBe(200);
    const first = await exported(service, who, datev(month));
    await who.rest('PATCH', `/customers/${customerId}`, { company_name: 'After', country: 'FR' });
    await makeInvoice(who, { customerId: await makeCustomer(who), invoiceDate: '2026-04-01', status: 'ISSUED' });
    const reversed = await who.rest('POST', `/payments/${payInvoice.payments.nodes[0].id}/reverse`);
    expect(reversed.status).toBe(200);
    const second = await exported(service, who, datev(month));
    expect(second.file.equals(first.file)).toBe(true);
    expect(second.row['sha256']).toBe(first.row['sha256']);
    expect((await lock('final')).status).toBe(200);
    const third = readExtf((await exported(service, who, datev(month))).file);
    expect([third.head[20], ...new Set(third.rows.map((row) => row['Festschreibung']))]).toEqual(['1', '1']);
    expect(readExtf(first.file).head[20]).toBe('0');
  });

  it('keeps the number of a partner, and gives none twice', async () => {
    const who = await german();
    const customers = await Promise.all(Array.from({ length: 12 }, () => makeCustomer(who)));
    for (const [at, customerId] of customers.entries())
      await makeInvoice(who, { customerId, invoiceDate: at < 6 ? '2026-01-10' : '2026-02-10', status: 'ISSUED' });
    const context = await service.contextOf(who);
    await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        givePartnerAccounts(context, { from: `2026-0${(at % 2) + 1}-01`, to: `2026-0${(at % 2) + 1}-28` }),
      ),
    );
    const given = await who.db.partnerAccount.findMany({ orderBy: { number: 'asc' } });
    expect(given.map(({ number }) => number)).toEqual(customers.map((_id, at) => 10_000 + at));
    expect(new Set(given.map(({ customerId }) => customerId)).size).toBe(12);
    await makeInvoice(who, { customerId: await makeCustomer(who), invoiceDate: '2026-01-01', status: 'ISSUED' });
    const { rows } = readExtf((await exported(service, who, datev())).file);
    expect(rows[0]?.['Konto']).toBe('10012');
    for (const { id, number } of given)
      expect(await who.db.partnerAccount.findFirst({ where: { id } })).toMatchObject({ number });
  });

  it('over two years is a zip with a file for each', async () => {
    const who = await german();
    for (const invoiceDate of ['2025-12-31', '2026-01-01']) await makeInvoice(who, { invoiceDate, status: 'ISSUED' });
    const { row, file } = await exported(service, who, datev({ from: '2025-11-01', to: '2026-02-28' }));
    expect(row['file_name']).toBe('datev-2025-11-01-2026-02-28.zip');
    const files = await unzip(file);
    expect(
      [...files].map(([name, content]) => [name, readExtf(content).head[12], readExtf(content).rows.length]),
    ).toEqual([
      ['EXTF_Buchungsstapel_20251101_20251231.csv', '20250101', 1],
      ['EXTF_Buchungsstapel_20260101_20260228.csv', '20260101', 1],
    ]);
  });

  it('is a zip of several files where one has no room for all postings, and has each posting once', async () => {
    const who = await german();
    const rates = ['19', '7', '16', '5.5', '9', '10', '11'];
    for (const invoiceDate of ['2026-01-10', '2026-01-20', '2026-02-10'])
      await makeInvoice(who, { invoiceDate, status: 'ISSUED', items: rates.map((rate) => line('10', 'S', rate)) });
    const whole = readExtf((await exported(service, who, datev())).file).rows;
    expect(whole).toHaveLength(3 * 12); // those of two rates have automatic accounts
    const asked = await who.db.export.findFirstOrThrow();
    const context = await service.contextOf(who);
    for (const [most, files] of [
      [36, 1],
      [35, 2],
      [12, 3],
      [7, 6],
      [1, 36],
    ] as const) {
      const { fileName, bytes } = await context.transaction(async (inside) => {
        const content = await datevContent(inside, asked, () => {}, most);
        return { fileName: content.fileName, bytes: await buffer(content.chunks) };
      });
      const parts = fileName.endsWith('.zip') ? [...(await unzip(bytes)).values()] : [bytes];
      const rows = parts.map((part) => readExtf(part).rows);
      expect([most, parts.length, rows.flat()]).toEqual([most, files, whole]);
      expect(Math.max(...rows.map((each) => each.length))).toBeLessThanOrEqual(most);
    }
  });

  it('fails with a reason where DATEV has too few decimals', async () => {
    const who = await german();
    await makeInvoice(who, { currency: 'TND', status: 'ISSUED', items: [line('1.005', 'E', '0')] });
    const row = await untilEnded(who, await startExport(who, datev()));
    expect(row).toMatchObject({ status: 'failed', error: expect.stringMatching(/^DATEV has amounts of two decimals/) });
  });

  it('has texts as DATEV takes them, whatever they are', async () => {
    const who = await german();
    for (const [companyName, text] of [
      ['Łódź – Ünïcode €', 'Lódz – Ünïcode €'],
      ['a"b;c', 'a"b;c'],
      ['名前 😀 x', '?? ? x'],
      ['x'.repeat(80), 'x'.repeat(60)],
      ['=1+1', '=1+1'],
    ] as const) {
      const customerId = await makeCustomer(who, { companyName });
      await makeInvoice(who, { customerId, status: 'ISSUED' });
      const { rows } = readExtf((await exported(service, who, datev())).file);
      expect(rows.at(-1)?.['Buchungstext']).toBe(text);
    }
    await makeReceipt(who, { status: 'BOOKED', description: 'a\r\nb\tc', receiptNumber: `№ 1\n"2";${'9'.repeat(50)}` });
    const { rows } = readExtf((await exported(service, who, datev())).file);
    const receipt = rows.find((row) => row['Konto'] === '4900');
    expect(receipt?.['Buchungstext']).toMatch(/^a {1,2}b c$/);
    expect(receipt?.['Belegfeld 1']).toMatch(/^[A-Za-z0-9$&%*+\-/]{36}$/);
  });

  it('fails with a reason where an amount is too large', async () => {
    const who = await german();
    const customerId = await makeCustomer(who);
    await makeInvoice(who, { customerId, status: 'ISSUED', items: [line('99999999999', 'S', '19')] });
    const ended = await untilEnded(who, await startExport(who, datev()));
    expect(ended).toMatchObject({ status: 'failed', error: 'The amount of 2026-0001 is too large for DATEV.' });
  });
});
