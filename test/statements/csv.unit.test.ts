import { describe, expect, test } from 'vitest';
import type { CsvMapping } from '../../schema/bank-statements/parsers/statement.ts';
import { read, transaction } from './files.ts';

const base: CsvMapping = {
  dateFormat: 'DD.MM.YYYY',
  decimalSeparator: ',',
  accountIban: 'DE89370400440532013000',
  currency: 'EUR',
  columns: { bookingDate: 'Buchungstag', amount: 'Betrag', reference: 'Verwendungszweck' },
};
const header = 'Buchungstag;Betrag;Verwendungszweck\n';
const amounts = async (rows: string, mapping: Partial<CsvMapping> = {}) =>
  (await read(header + rows, { csv: { ...base, ...mapping } })).map((one) => one.amount);

describe('columns', () => {
  test('can be in any order with names in any case; constants replace empty cells', async () => {
    const file =
      'IBAN;Booked;Valued;Amount;Ccy;Name;Their IBAN;Text;Customer Reference;Bank Reference;Ignored\n' +
      'NL1;2026-03-02;2026-03-03;-1234.50;USD; Ada ;FR1;Invoice; 2026-0007 ;B1;x\n' +
      ';2026-03-02;;7.00;;;;;;NONREF;\n';
    const csv: CsvMapping = {
      ...base,
      dateFormat: 'YYYY-MM-DD',
      decimalSeparator: '.',
      columns: {
        bookingDate: 'booked',
        valueDate: 'VALUED',
        amount: 'Amount',
        currency: 'Ccy',
        accountIban: 'IBAN',
        counterpartyName: 'Name',
        counterpartyIban: 'Their IBAN',
        reference: ['Text', 'Customer Reference'],
        externalId: 'Bank Reference',
      },
    };
    expect(await read(file, { csv })).toEqual([
      transaction({
        accountIban: 'NL1',
        valueDate: '2026-03-03',
        amount: '-1234.5',
        currency: 'USD',
        externalId: 'B1',
        counterpartyName: 'Ada',
        counterpartyIban: 'FR1',
        reference: 'Invoice 2026-0007',
      }),
      transaction({ amount: '7' }),
    ]);
  });

  test('are numbered without a header row, after skipped lines', async () => {
    const csv: CsvMapping = {
      ...base,
      headerRow: false,
      skipLines: 2,
      columns: { bookingDate: 1, amount: 2, reference: 3 },
    };
    expect(await read('Kontoauszug;März\n"alt";;\n02.03.2026;10,00;"Zeile 1\nZeile ""2"""\n\n', { csv })).toEqual([
      transaction({ reference: 'Zeile 1\nZeile "2"' }),
    ]);
  });

  test.each([';', ',', '\t', '|'])('have the delimiter of the first row: %j', async (delimiter) => {
    const row = ['02.03.2026', '"10,00"', 'a;b|c', ''].map((cell) => (cell.includes(delimiter) ? '"a;b|c"' : cell));
    const file = `${['Buchungstag', 'Betrag', 'Verwendungszweck', '"x,y;z"'].join(delimiter)}\r\n${row.join(delimiter).replace('""a;b|c""', '"10,00"')}\r\n`;
    const rows = delimiter === ',' ? file.replace('"a;b|c"', '"10,00"') : file;
    expect(await read(rows, { csv: base })).toEqual([transaction({ reference: 'a;b|c' })]);
  });

  test('keep quotes inside unquoted text', async () => {
    expect(await read(`${header}02.03.2026;10;Hotel "Stern" Ulm\n`, { csv: base })).toEqual([
      transaction({ reference: 'Hotel "Stern" Ulm' }),
    ]);
  });
});

describe('amounts', () => {
  test.each([
    ['1.234,56', '1234.56'],
    ['1234,5', '1234.5'],
    ['-1.234.567,00', '-1234567'],
    ['1 234,56', '1234.56'],
    ['1\u00A0234,56-', '-1234.56'],
    ["1'234,56", '1234.56'],
    ['1’234,56', '1234.56'],
    ['+12,00', '12'],
    ['12,00 S', '-12'],
    ['12,00 H', '12'],
    ['(12,00)', '-12'],
    ['−12,00', '-12'],
    ['12,00 €', '12'],
    ['-12,00 EUR', '-12'],
    ['EUR -12,00', '-12'],
    ['-0,00', '0'],
    [',5', '0.5'],
  ])('%s is %s', async (amount, value) => {
    expect(await amounts(`02.03.2026;${amount};\n`)).toEqual([value]);
  });

  test('can have a decimal point, and a comma for thousands', async () => {
    expect(await amounts('02.03.2026;"-1,234.56";\n', { decimalSeparator: '.' })).toEqual(['-1234.56']);
  });

  test.each(['12.34', '1.23,4', '1,234.56', 'abc', '', '1,2,3', '--1', '1.2345', '9'.repeat(1000)])(
    '%j is rejected with a decimal comma, not read as a hundred times the amount',
    async (amount) => {
      await expect(amounts(`02.03.2026;1,00;\n02.03.2026;"${amount}";\n`)).rejects.toThrow(
        'Line 3: this amount is no number with the decimal separator ","',
      );
    },
  );

  test('can have a column that marks debit or credit', async () => {
    const columns = { ...base.columns, direction: 'Verwendungszweck' };
    const marks = ['S', 'H', 'Soll', 'haben', 'D', 'C', 'DBIT', 'CRDT', 'Af', 'Bij', '-', '+'];
    const rows = marks.map((mark) => `02.03.2026;1,00;${mark}\n`).join('');
    expect(await amounts(rows, { columns })).toEqual(marks.map((_, at) => (at % 2 === 0 ? '-1' : '1')));
    expect(await amounts('02.03.2026;-1,00;D\n', { columns })).toEqual(['-1']);
    await expect(amounts('02.03.2026;-1,00;C\n', { columns })).rejects.toThrow('Line 2: this amount has a minus sign');
    await expect(amounts('02.03.2026;1,00;X\n', { columns })).rejects.toThrow(
      'Line 2: this debit or credit mark isn\'t known: "X"',
    );
  });

  test('can have one column for debits and one for credits', async () => {
    const columns = { bookingDate: 'Buchungstag', debit: 'Betrag', credit: 'Verwendungszweck' };
    expect(
      await amounts(
        '02.03.2026;1,00;\n02.03.2026;-1,00;\n02.03.2026;;2,00\n02.03.2026;0,00;2,00\n02.03.2026;1,00;0\n',
        { columns },
      ),
    ).toEqual(['-1', '-1', '2', '2', '-1']);
    await expect(amounts('02.03.2026;1;2\n', { columns })).rejects.toThrow(
      'Line 2: this row has both a debit and a credit.',
    );
    await expect(amounts('02.03.2026;;\n', { columns })).rejects.toThrow(
      'Line 2: this row has neither a debit nor a credit.',
    );
  });
});

describe('dates', () => {
  test.each([
    ['YYYY-MM-DD', '2026-03-02'],
    ['DD/MM/YYYY', '02/03/2026'],
    ['MM/DD/YYYY', '03/02/2026'],
    ['YYYYMMDD', '20260302'],
    ['DD.MM.YY', '02.03.26'],
    ['D.M.YYYY', '2.3.2026'],
    ['DD.MM.YYYY', '2.3.2026'],
    ['YYYY-MM-DD', '2026-03-02 23:59:59'],
    ['YYYY-MM-DD', '2026-03-02T23:59:59-08:00'],
  ])('%s reads %s', async (dateFormat, date) => {
    const [one] = await read(`${header}${date};10;\n`, { csv: { ...base, dateFormat } });
    expect(one?.bookingDate).toBe('2026-03-02');
  });

  test.each([
    ['DD.MM.YYYY', '30.02.2026', 'Line 2: this date is no calendar day: "30.02.2026".'],
    ['DD.MM.YYYY', '2026-03-02', 'Line 2: this date isn\'t DD.MM.YYYY: "2026-03-02".'],
    ['DD.MM.YYYY', '', 'Line 2: this date isn\'t DD.MM.YYYY: "".'],
    ['YYYYMMDD', '2026032', 'Line 2: this date isn\'t YYYYMMDD: "2026032".'],
    ['MM.YYYY', '03.2026', 'it needs one YYYY, MM and DD'],
    ['DD.MM.YYYY.DD', '02.03.2026.02', 'it needs one YYYY, MM and DD'],
  ])('%s rejects %s', async (dateFormat, date, reason) => {
    await expect(read(`${header}${date};10;\n`, { csv: { ...base, dateFormat } })).rejects.toThrow(reason);
  });
});

describe('rejects with the line number', () => {
  test.each([
    [
      'a row that is cut',
      `${header}02.03.2026;10;a\n02.03.2026;1`,
      'Line 3: this row has 2 cells, unlike the first one.',
    ],
    [
      'a row with too many cells',
      `${header}02.03.2026;10;a;b\n`,
      'Line 2: this row has 4 cells, unlike the first one.',
    ],
    [
      'a quote that is never closed',
      `${header}02.03.2026;10;"a\n02.03.2026;10;b\n`,
      'this row has a quote that is never closed.',
    ],
    ['a NUL character', `${header}02.03.2026;10;a\0b\n`, 'Line 2: this entry has a NUL character'],
    ['only a line break', '\n', 'This file has no header row.'],
  ])('%s', async (_, file, reason) => {
    await expect(read(file, { csv: base })).rejects.toThrow(reason);
  });

  test('counting lines within quotes too', async () => {
    const file = `${header}02.03.2026;10;"a\nb\nc"\n\n02.03.2026;x;d\n`;
    await expect(read(file, { csv: base })).rejects.toThrow('Line 6: this amount');
  });

  test.each([
    [
      'an unknown column',
      { columns: { ...base.columns, amount: 'Amount' } },
      'Line 1: this row has no column "Amount"; it has "Buchungstag", "Betrag", "Verwendungszweck".',
    ],
    ['an unknown column number', { columns: { ...base.columns, amount: 4 } }, 'this row has no column "4"'],
    ['a name without a header row', { headerRow: false }, 'has no header row, so columns need a number: "Buchungstag"'],
    ['no amount', { columns: { bookingDate: 'Buchungstag' } }, 'the mapping lacks an amount, or a debit and a credit'],
    ['no account', { accountIban: undefined }, 'the mapping lacks the account'],
    ['no currency', { currency: ' ' }, 'the mapping lacks the currency'],
  ])('a mapping with %s', async (_, mapping, reason) => {
    await expect(read(`${header}02.03.2026;10;a\n`, { csv: { ...base, ...mapping } })).rejects.toThrow(reason);
  });

  test('CSV without a mapping', async () => {
    await expect(read(header)).rejects.toThrow('This file is neither CAMT.053 nor MT940, and CSV needs a mapping');
    await expect(read(header, { format: 'csv' })).rejects.toThrow('This file is CSV and needs a mapping');
  });
});
