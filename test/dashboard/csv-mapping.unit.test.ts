import { describe, expect, it } from 'vitest';
import { readHead, isCsv, parseRows } from '../../src/dashboard/upload/csv-head.ts';
import { guessMapping, buildMapping } from '../../src/dashboard/pages/bank-transactions/upload/csv-values.ts';

const file = (...parts: BlobPart[]): File => new File(parts, 'statement');

describe('the beginning of a file', () => {
  it('is decoded as UTF-8, or else as Windows-1252', async () => {
    expect(await readHead(file('Währung'))).toBe('Währung');
    expect(await readHead(file(new Uint8Array([0x57, 0xe4, 0x68, 0x72, 0x75, 0x6e, 0x67, 0x3b, 0x78])))).toBe(
      'Währung;x',
    );
  });
  it.each([
    ['little', [0xff, 0xfe, 0x41, 0, 0x3b, 0]],
    ['big', [0xfe, 0xff, 0, 0x41, 0, 0x3b]],
  ])('is decoded as UTF-16 after its mark, the %s end first', async (_end, bytes) => {
    expect(await readHead(file(new Uint8Array(bytes)))).toBe('A;');
  });
  it('is UTF-8 even if the limit of 64 KiB cuts a character', async () => {
    expect(await readHead(file('x'.repeat(64 * 1024 - 1), 'ä'))).not.toContain('Ã');
  });
  it.each([
    ['Date;Amount\n', true],
    ['<?xml version="1.0"?>', false],
    [':20:STARTUMS\r\n:25:10020030/1234567', false],
    ['{1:F01BANKDEFF}{4:\r\n:20:1', false],
    ['%PDF-1.7', false],
    ['', false],
  ])('%j: CSV is %s', (head, csv) => {
    expect(isCsv(head)).toBe(csv);
  });
  it('is parsed with its delimiter, after the skipped lines', () => {
    expect(parseRows('Account 1\n"a;b";c\n1;"2, 3"\n', 1)).toEqual([
      ['a;b', 'c'],
      ['1', '2, 3'],
    ]);
  });
});

describe('a mapping is guessed from the names of the columns', () => {
  it('German: the counterparty’s account is not mapped as the own account', () => {
    const values = guessMapping(
      parseRows(
        'Auftragskonto;Buchungstag;Valutadatum;Verwendungszweck;Beguenstigter/Zahlungspflichtiger;IBAN Zahlungsbeteiligter;Betrag;Waehrung\n' +
          'DE02120300000000202051;03.11.26;03.11.26;Rechnung;Sonnenschein GmbH;DE02500105170137075030;-1.190,50;EUR\n',
        0,
      ),
      'EUR',
    );
    expect(values).toMatchObject({ dateFormat: 'DD.MM.YY', decimalSeparator: ',', amountKind: 'signed' });
    expect(buildMapping(values).columns).toMatchObject({
      accountIban: '1',
      bookingDate: '2',
      valueDate: '3',
      reference: ['4'],
      counterpartyName: '5',
      counterpartyIban: '6',
      amount: '7',
      currency: '8',
    });
  });

  const beside = (iban: string, rows: string[]) =>
    buildMapping(guessMapping(parseRows(`Date;Name;${iban};Amount\n${rows.join('\n')}`, 0), 'EUR')).columns;
  const row = (account: string): string => `2026-03-02;Ada;${account};10.00`;
  it('IBANs that differ beside a counterparty are the counterparty’s', () => {
    const rows = [row('DE02120300000000202051'), row('FR76 3000 6000 0112 3456 7890 189'), row('')];
    expect(beside('IBAN', rows)).toMatchObject({ accountIban: null, counterpartyIban: '3' });
    expect(beside('Account', rows)).toMatchObject({ accountIban: null, counterpartyIban: '3' });
    expect(beside('Own account', rows)).toMatchObject({ accountIban: '3', counterpartyIban: null });
  });
  it('an IBAN that is the same in all rows is the own account', () => {
    const rows = [row('DE02120300000000202051'), row('DE02 1203 0000 0000 2020 51'), row('n/a')];
    expect(beside('IBAN', rows)).toMatchObject({ accountIban: '3', counterpartyIban: null });
  });

  it('Dutch: the direction is in a column beside the amount', () => {
    const values = guessMapping(
      parseRows(
        '"Datum","Naam / Omschrijving","Rekening","Tegenrekening","Code","Af Bij","Bedrag (EUR)","Mededelingen"\n' +
          '"20261103","Museum","NL20INGB0001234567","NL02ABNA0123456789","GT","Af","12,00","Factuur"\n',
        0,
      ),
      'EUR',
    );
    expect(values).toMatchObject({ dateFormat: 'YYYYMMDD', decimalSeparator: ',', amountKind: 'direction' });
    expect(buildMapping(values).columns).toMatchObject({
      bookingDate: '1',
      counterpartyName: '2',
      accountIban: '3',
      counterpartyIban: '4',
      direction: '6',
      amount: '7',
      reference: ['8'],
    });
  });

  it('English: debit and credit have separate columns', () => {
    const values = guessMapping(parseRows('Date,Description,Debit,Credit\n2026-11-03,Power,84.20,\n', 0), 'GBP');
    expect(values).toMatchObject({ dateFormat: 'YYYY-MM-DD', decimalSeparator: '.', amountKind: 'debitAndCredit' });
    const { columns, currency } = buildMapping(values);
    expect(columns).toMatchObject({ bookingDate: '1', reference: ['2'], debit: '3', credit: '4' });
    expect(columns).not.toHaveProperty('amount');
    expect(currency).toBe('GBP');
  });
});
