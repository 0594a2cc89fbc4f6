import { describe, expect, test } from 'vitest';
import { read, transaction, readWarnings } from './files.ts';

const statement = (entries: string, closing = 'C260302EUR10,') =>
  `:20:1\n:25:DE89370400440532013000\n:28C:1/1\n:60F:C260227EUR0,\n${entries}\n:62F:${closing}\n-\n`;
const one = async (entries: string) => (await read(statement(entries)))[0];
const dated = { valueDate: '2026-03-02' };

describe('an entry (:61:)', () => {
  test.each([
    ['C10,', '10'],
    ['D10,5', '-10.5'],
    ['RC10,55', '-10.55'],
    ['RD10,00', '10'],
    ['CR10,', '10'],
    ['DR10,', '-10'],
    ['RCR10,', '-10'],
    ['C0010,', '10'],
    ['C10', '10'],
    ['C0,', '0'],
    ['D0,', '0'],
  ])('%s is %s', async (amount, signed) => {
    expect((await one(`:61:2603020302${amount}NTRFNONREF`))?.amount).toBe(signed);
  });

  test.each([
    ['2512310102', '2026-01-02', '2025-12-31'],
    ['2601021231', '2025-12-31', '2026-01-02'],
    ['2603020302', '2026-03-02', '2026-03-02'],
    ['2403010229', '2024-02-29', '2024-03-01'],
    ['260302', '2026-03-02', '2026-03-02'],
    ['9912310101', '2000-01-01', '1999-12-31'],
  ])('%s is booked on %s, valued on %s', async (dates, bookingDate, valueDate) => {
    expect(await one(`:61:${dates}C10,NTRFNONREF`)).toMatchObject({ bookingDate, valueDate });
  });

  test.each([
    [':61:2613020302C10,NTRFNONREF', 'Line 5, statement 1, entry 1: this date is no calendar day: "261302"'],
    [':61:2603020231C10,NTRFNONREF', 'this entry date is no calendar day: "0231"'],
    [':61:2603020302X10,NTRFNONREF', 'this entry can\'t be read: "2603020302X10,NTRFNONREF"'],
    [':61:2603020302C1.000,00NTRFNONREF', "this entry can't be read"],
    [':61:2603020302C1234567890123,456NTRFNONREF', 'this amount has more than 15 digits'],
    [':61:2603020302C10,NTRFNONREF\n:86:a\0b', 'Line 5, statement 1, entry 1: this entry has a NUL character'],
  ])('%j is rejected with its position', async (entries, reason) => {
    await expect(read(statement(entries))).rejects.toThrow(reason);
  });

  test('has the bank’s reference after the slashes, and the customer’s reference as text', async () => {
    expect(await one(':61:260302C10,NTRFINV 2026-0007//BANK/1')).toEqual(
      transaction({ ...dated, externalId: 'BANK/1', reference: 'INV 2026-0007' }),
    );
    expect(await one(':61:260302C10,NTRFNONREF//NONREF')).toEqual(transaction(dated));
    expect(await one(':61:260302C10,NTRF')).toEqual(transaction(dated));
    expect(await one(':61:260302C10,NTRFKREF+//B2')).toEqual(transaction({ ...dated, externalId: 'B2' }));
  });

  test('has the counterparty’s IBAN in place of the customer’s reference or in the line below', async () => {
    const iban = 'NL91ABNA0417164300';
    const expected = transaction({ ...dated, counterpartyIban: iban, reference: 'Rent' });
    expect(await one(`:61:260302C10,NTRF${iban}\n:86:Rent`)).toEqual(expected);
    expect(await one(`:61:260302C10,N102NONREF\n${iban}\n:86:Rent`)).toEqual(expected);
    expect(await one(`:61:260302C10,N102NONREF\nmore about it\n:86:Rent`)).toEqual(
      transaction({ ...dated, reference: 'Rent more about it' }),
    );
  });
});

describe('information (:86:)', () => {
  const information = async (text: string) => {
    const { counterpartyName, counterpartyIban, reference } =
      (await one(`:61:260302C10,NTRFNONREF\n:86:${text}`)) ?? {};
    return [counterpartyName, counterpartyIban, reference];
  };

  test('joins plain text without a blank after a full line', async () => {
    expect(await information('Invoice 2026-0007\n\nthank you')).toEqual([null, null, 'Invoice 2026-0007 thank you']);
    expect(await information(`${'x'.repeat(60)} 2026\n-0007`)).toEqual([null, null, `${'x'.repeat(60)} 2026-0007`]);
    expect(await information('Time 12:30\n:30 o’clock\n-5 degrees')).toEqual([
      null,
      null,
      'Time 12:30 :30 o’clock -5 degrees',
    ]);
  });

  test('has text, name, and account in sub-fields', async () => {
    expect(
      await information(
        '166?00GUTSCHRIFT?109321?20EREF+2026-0007?21MREF+M1?22CRED+DE98ZZZ?23SVWZ+Rechnung fuer Buechern\n' +
          '?24 und Hefte?30COBADEFFXXX?31DE02120300000000202051?32ADA LOVE?33LACE GMBH?34000',
      ),
    ).toEqual(['ADA LOVE LACE GMBH', 'DE02120300000000202051', 'Rechnung fuer Buechern und Hefte 2026-0007']);
  });

  test('can have sub-fields without tags, another separator, the IBAN in 38, or only a booking text', async () => {
    expect(await information('020?00Ueberweisung?20Rechnung 2026-0007?21Kunde 12')).toEqual([
      null,
      null,
      'Rechnung 2026-0007 Kunde 12',
    ]);
    expect(await information('034<00PRZELEW<20Faktura 7<32JAN KOWALSKI<38PL61109010140000071219812874')).toEqual([
      'JAN KOWALSKI',
      'PL61109010140000071219812874',
      'Faktura 7',
    ]);
    expect(await information('805?00ABSCHLUSS')).toEqual([null, null, 'ABSCHLUSS']);
    expect(await information('166?20EREF+NOTPROVIDED?21SVWZ+Why? 2026-0007')).toEqual([null, null, 'Why? 2026-0007']);
  });

  test('joins text that was split within a tag’s value, and distinguishes IBAN+ and BIC+ from text', async () => {
    expect(
      await information(
        '166?20SVWZ+Zu Rechnung Nr. 2026-0?21007 vom Mai?22IBAN+DE02120300000000202051?23BIC+BYLADEM1001',
      ),
    ).toEqual([null, 'DE02120300000000202051', 'Zu Rechnung Nr. 2026-0007 vom Mai']);
    expect(await information('Please use IBAN: DE02 1203 and BIC: soon, for 2026-0007')).toEqual([
      null,
      null,
      'Please use IBAN: DE02 1203 and BIC: soon, for 2026-0007',
    ]);
    expect(await information('166?20SVWZ+one SVWZ+two?21IBAN: DE02120300000000202051 three')).toEqual([
      null,
      'DE02120300000000202051',
      'one two three',
    ]);
    expect(await information('EREF: 4711 SVWZ: your IBAN+BIC please')).toEqual([
      null,
      null,
      'your IBAN+BIC please 4711',
    ]);
  });

  test('can have words between slashes: ABN AMRO', async () => {
    expect(
      await information(
        '/TRTP/SEPA OVERBOEKING/IBAN/FR7630006000011234567890189/BIC/GEFRA\n' +
          'DAM/NAME/QASD JGRED/REMI/Factuur 2026-0007/EREF/NOTPROVIDED',
      ),
    ).toEqual(['QASD JGRED', 'FR7630006000011234567890189', 'Factuur 2026-0007']);
  });

  test('can have words between slashes: ING and Rabobank', async () => {
    expect(
      await information('/EREF/EV123REP//CNTP/NL32INGB0000012345/INGBNL2A/ING BANK NV///REMI/USTD//EV10001 T1000/'),
    ).toEqual(['ING BANK NV', 'NL32INGB0000012345', 'EV10001 T1000 EV123REP']);
    expect(await information('/CNTP/NL32INGB0000012345/INGBNL2A/A B///REMI/STRD/CUR/9001234567890123/')).toEqual([
      'A B',
      'NL32INGB0000012345',
      '9001234567890123',
    ]);
    expect(await information('/ORDP//NAME/J. Jansen/REMI/Factuur 7/ISDT/2026-03-02')).toEqual([
      'J. Jansen',
      null,
      'Factuur 7',
    ]);
    expect(await information('/PREF/M000000003333/NRTX/0000001/')).toEqual([null, null, 'M000000003333/NRTX/0000001']);
  });
});

describe('messages', () => {
  const entry = ':61:2603020302C10,NTRFNONREF\n:86:Invoice';
  const expected = transaction({ ...dated, reference: 'Invoice' });

  test('can be in SWIFT blocks, with the first field in the header’s line and the end in the last line', async () => {
    const blocks = `{1:F01BANKDEFFXXXX0000000000}{2:I940BANKDEFFXXXXN}{4:${statement(entry).replace('\n-\n', '-}{5:{CHK:1}}\n')}`;
    expect(await read(blocks)).toEqual([expected]);
    expect(await read(blocks + blocks)).toEqual([expected, expected]);
    expect(await read(blocks.replace('{4:', '{4:\n'))).toEqual([expected]);
  });

  test('keep an account with a bank code or a currency unchanged', async () => {
    const file = statement(entry).replace(':25:', ':25P:').replace('3000\n', '3000EUR\nCOBADEFFXXX\n');
    expect(await read(file)).toEqual([{ ...expected, accountIban: 'DE89370400440532013000EUR' }]);
  });

  test('can be several statements, several days with one reference, pages, and without a last line', async () => {
    const pages =
      statement(entry).replace(':62F:', ':62M:') +
      statement(entry, 'C260302EUR20,').replace(':60F:C260227EUR0,', ':60M:C260302EUR10,');
    expect(await read(pages)).toEqual([expected, expected]);
    expect(await readWarnings(pages)).toEqual([]);
    const days = `${statement(entry).replace('\n-\n', '\n')}:60F:C260302EUR10,\n${entry}\n:62F:C260303EUR20,`;
    expect(await read(days)).toEqual([expected, expected]);
    expect(await readWarnings(days)).toEqual([]);
  });

  test('keep an obsolete currency; a balance that doesn’t add up causes a warning', async () => {
    const marks = statement(entry, 'C260302DEM11,').replace('EUR0', 'DEM0');
    expect(await read(marks)).toEqual([{ ...expected, currency: 'DEM' }]);
    expect(await readWarnings(marks)).toEqual(["Statement 1 doesn't add up: 0 and entries of 10 don't make 11 DEM."]);
    expect(await readWarnings(statement(entry, 'C260302USD10,'))).toEqual([
      'Statement 1 opens in EUR and closes in USD.',
    ]);
  });

  test.each([
    [
      statement(entry).replace(/:60F:.*\n/, ''),
      'Line 4, statement 1, entry 1: this entry has no opening balance (:60F:) before it.',
    ],
    [statement(entry).replace(/:25:.*\n/, ''), 'Line 4, statement 1, entry 1: this entry has no account.'],
    [statement(entry).replace('EUR0,', 'EUR'), 'Line 4: this balance :60F: can\'t be read: "C260227EUR".'],
    [
      statement(entry).replace(/:62F:.*\n/, ''),
      'Line 7: this statement 1 ends without a closing balance (:62F:); the file may be cut off.',
    ],
    [
      statement(entry).replace('\n:62F:', '\n:60F:C260302EUR1,\n:62F:'),
      'Line 7: this statement opens before the one before it has closed.',
    ],
    [`:25:1\n${statement(entry)}`, 'Line 1: this field :25: stands outside of a message (:20:).'],
    [
      statement('').replace('\n\n', '\n:34F:EURD0,\n'),
      'Line 5: this is an MT942, a report during the day, not an MT940 statement.',
    ],
    [`{1:F01BANKDEFFXXXX}{2:O942BANKDEFFXXXXN}{4:\n${statement(entry)}`, 'is an MT942'],
    [statement(entry) + statement(entry).replace('\n-\n', '\n'), 'this file ends within a message'],
    [`{1:F01BANKDEFFXXXX}{4:\n${statement(entry).replace('\n-\n', '\n')}`, 'this file ends within a message'],
    [statement(`${entry}\n${'x'.repeat(30_000)}`), 'is too long for an MT940'],
    [statement(`${entry}\n${':86:more\n'.repeat(10_000)}`), 'entry is too long for an MT940'],
  ])('are rejected with position and reason: %#', async (file, reason) => {
    await expect(read(file)).rejects.toThrow(reason);
  });

  test('are required in an MT940 file', async () => {
    await expect(read('hello', { format: 'mt940' })).rejects.toThrow(
      'This file holds no MT940 message (:20:, :25:, :60F:).',
    );
  });
});
