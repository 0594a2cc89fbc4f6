import { describe, expect, test } from 'vitest';
import { Decimal, sum } from '../../schema/money/money.ts';
import { StatementError, readStatement } from '../../schema/bank-statements/parsers/statement.ts';
import { pieces, plain, read, readAll, sample, transaction } from './files.ts';

describe('every sample has the expected transactions, sum, and warnings', () => {
  // The samples of ING and ABN AMRO were shortened by their publishers, so their balances don't add up.
  test.each([
    [
      'camt053/camt053.v2.five.decimals.xml',
      1,
      '8.85',
      ["Statement 1 doesn't add up: 18.15 and entries of 8.85 don't make 27.05 EUR."],
    ],
    ['camt053/camt053.v2.minimal.xml', 1, '8.85', ['Statement 1 opens in EUR and closes in SEK.']],
    ['camt053/camt053.v2.multi.statement.xml', 2, '1.85', []],
    ['camt053/camt053.v4.xml', 1, '8.85', ['Statement 1 opens in EUR and closes in SEK.']],
    [
      'mt940/abnamro.sta',
      10,
      '-345.93',
      [
        "Statement 1 doesn't add up: 3236.28 and entries of -321.44 don't make 876.84 EUR.",
        "Statement 2 doesn't add up: 2876.84 and entries of -24.49 don't make 1849.75 EUR.",
      ],
    ],
    ['mt940/asnb.sta', 8, '56.94', []],
    ['mt940/ing.sta', 7, '-45.59', ["Statement 1 doesn't add up: 0 and entries of -45.59 don't make 3.47 EUR."]],
    ['mt940/sepa_mt9401.sta', 97, '-9269135.9', []],
  ] as [string, number, string, string[]][])('%s', async (path, count, total, warnings) => {
    const file = await sample(path);
    const { transactions, warnings: reported } = await readAll(file);
    expect(transactions).toHaveLength(count);
    expect(sum(transactions.map((one) => one.amount)).toFixed()).toBe(new Decimal(total).toFixed());
    expect(reported).toEqual(warnings);
  });

  test.each([
    'camt053/camt053.v4.xml',
    'mt940/abnamro.sta',
    'mt940/asnb.sta',
    'mt940/ing.sta',
    'mt940/sepa_mt9401.sta',
  ])('%s has the same transactions in chunks of any size, and with other line breaks', async (path) => {
    const file = await sample(path);
    const whole = await read(file, { size: 1_000_000 });
    for (const size of [1, 2, 3, 64, 1000]) expect(await read(file, { size })).toEqual(whole);
    const text = file.toString();
    for (const lineBreak of ['\r\n', '\r'])
      for (const size of [1, 64, 100_000])
        expect(await read(text.replaceAll('\n', lineBreak), { size })).toEqual(whole);
  });

  test('the invalid one is rejected: a camt.053 without a statement', async () => {
    await expect(read(await sample('camt053/camt053.v2.wrong.xml'))).rejects.toThrow(
      new StatementError(null, 'is a CAMT.053, but holds no statement (Stmt)'),
    );
  });
});

test('camt.053 version 4: an account without an IBAN, details in another currency, a structured reference', async () => {
  expect(await read(await sample('camt053/camt053.v4.xml'))).toEqual([
    transaction({
      accountIban: 'NL26VAYB8060476890',
      bookingDate: '2014-12-31',
      valueDate: '2015-01-02',
      amount: '8.85',
      externalId: 'AAAASESS-FP-CN_98765/01',
      counterpartyName: 'NAME NAME',
      counterpartyIban: 'NL56AGDH9619008421',
      reference: '4654654654654654',
    }),
  ]);
});

test('camt.053 version 2 with two statements: a creditor is no counterparty of a credit', async () => {
  const common = { accountIban: 'NL26VAYB8060476890', bookingDate: '2014-12-31', valueDate: '2015-01-02' };
  expect(await read(await sample('camt053/camt053.v2.multi.statement.xml'))).toEqual([
    transaction({ ...common, amount: '8.85', reference: 'Transaction Description 1 000000001' }),
    transaction({
      ...common,
      amount: '-7',
      counterpartyName: 'Company Name 2',
      counterpartyIban: 'NL56AGDH9619008421',
      reference: 'Transaction Description 2 000000002',
    }),
  ]);
});

test('ABN AMRO: preambles, blank lines, booking and value dates', async () => {
  const card = (booked: string, value: string, amount: string, reference: string) =>
    transaction({ accountIban: '517852257', bookingDate: booked, valueDate: value, amount, reference });
  expect(await read(await sample('mt940/abnamro.sta'))).toEqual([
    card(
      '2011-05-24',
      '2011-05-24',
      '-9',
      'GIRO   428428 KPN - DIGITENNE    BETALINGSKENM.  000000042188659 ' +
        '5314606715                       BETREFT FACTUUR D.D. 20-05-2011 INCL. 1,44 BTW',
    ),
    card('2011-05-23', '2011-05-21', '-11.59', 'BEA   NR:XXX1234   21.05.11/12.54 DIRCKIII FIL2500 KATWIJK,PAS999'),
    card('2011-05-23', '2011-05-23', '-11.63', 'BEA   NR:XXX1234   23.05.11/09.08 DIGROS FIL1015 KATWIJK Z,PAS999'),
    card('2011-05-23', '2011-05-22', '-11.8', 'BEA   NR:XXX1234   22.05.11/14.25 MC DONALDS A44 LEIDEN,PAS999'),
    card('2011-05-23', '2011-05-21', '-13.45', 'BEA   NR:XXX1234   21.05.11/12.09 PRINCE FIL. 55 KATWIJK Z,PAS999'),
    card('2011-05-23', '2011-05-21', '-15.49', 'BEA   NR:XXX1234   21.05.11/12.55 DIRX FIL6017 KATWIJK ZH ,PAS999'),
    card('2011-05-23', '2011-05-21', '-107', 'BEA   NR:XXX1234   21.05.11/12.04 HANS ANDERS OPT./056 KAT,PAS999'),
    card('2011-05-23', '2011-05-22', '-141.48', 'BEA   NR:XXX1234   22.05.11/13.45 MYCOM DEN HAAG  S-GRAVEN,PAS999'),
    card('2011-05-24', '2011-05-24', '-9.49', 'BEA   NR:XXX1234   24.05.11/09.18 PETS PLACE KATWIJK KATWI,PAS999'),
    card('2011-05-24', '2011-05-24', '-15', '52.89.39.882                    MYCOM DEN HAAG'),
  ]);
});

test('ASN: the counterparty beside the entry, text joined after a full line', async () => {
  const asn = (day: string, amount: string, name: string | null, iban: string | null, reference: string) =>
    transaction({
      accountIban: 'NL81ASNB9999999999',
      bookingDate: day,
      valueDate: day,
      amount,
      counterpartyName: name,
      counterpartyIban: iban,
      reference,
    });
  const cards = (time: string) =>
    `000000000000000000000000000000000 0000000000000000 Betaling aan ICS 99999999999 ICS Referentie: ${time} 000000000000000`;
  const [ics, ownName] = ['international card services', 'paulissen g j l m'];
  expect(await read(await sample('mt940/asnb.sta'))).toEqual([
    asn('2020-01-01', '-65', 'hr gjlm paulissen', 'NL47INGB9999999999', 'Betaling sieraden'),
    asn('2020-01-05', '1000', ownName, 'NL56ASNB9999999999', 'INTERNE OVERBOEKING VIA MOBIEL'),
    asn('2020-01-05', '-801.55', ics, 'NL08ABNA9999999999', cards('2020-01-05 19:47')),
    asn('2020-01-25', '-1.65', null, null, 'Kosten gebruik betaalrekening inclusief 1 betaalpas'),
    asn(
      '2020-01-29',
      '828.72',
      'transfer solutions bv',
      'NL25INGB9999999999',
      '2020-01-28T14:32:46-000000000000089-NL25INGB9999999999-Transfer Solutions BV-DIVIDEND 28/01/2020',
    ),
    asn('2020-01-29', '-1000', ics, 'NL08ABNA9999999999', cards('2020-01-29 18:36')),
    asn('2020-01-31', '1000.18', ownName, 'NL56ASNB9999999999', 'INTERNE OVERBOEKING VIA MOBIEL'),
    asn('2020-01-31', '-903.76', ics, 'NL08ABNA9999999999', cards('2020-01-31 21:27')),
  ]);
});

test('ING: no entry dates, unchanged tabs and soft hyphens; text after the balance belongs to the statement', async () => {
  const ing = (amount: string, reference: string, day = '2010-07-22') =>
    transaction({ accountIban: '0001234567', bookingDate: day, valueDate: day, amount, reference });
  expect(await read(await sample('mt940/ing.sta'))).toEqual([
    ing(
      '-25.03',
      'RC AFREKENING BETALINGSVERKEER BETREFT REKENING 4715589 PERIODE: 01-10-2010 / 31-12-2010 ' +
        'ING Bank N.V. tarifering ING',
    ),
    ing('-3.03', '0111111111 GPSEOUL SPOEDBETALING\tMPBZS1016000047 GPSEOUL'),
    ing(
      '-1.11',
      '0111111111 ING iDEAL KN: TMG TANGO TRANSACTIENR 0050000534527978 10\u00AD06\u00AD2010 15:32 TMG TANGO ' +
        'ING Bank inzake GPKyoto',
    ),
    ing('-20', 'ABN AMRO BANK>AMSTERDAM 22\u00AD07\u00AD2010 09:57 002\t5595781'),
    ing('-1.1', '0111111111 GPPeking 170000001AC'),
    ing('3.68', '0123456789 EJ46GREENP100610T1456 CLIEOP TMG GPHONGKONG AMSTERDAM'),
    ing(
      '1',
      '0111111111 Hr S Marechal ROSMALEN Hr S Marechal ROSMALEN Betaling transactiedatum: 22-07-2010',
      '2010-07-23',
    ),
  ]);
});

test('a German bank: names and texts joined from sub-fields, with the blanks that were lost at line ends', async () => {
  const transactions = await read(await sample('mt940/sepa_mt9401.sta'));
  const german = (known: Partial<(typeof transactions)[number]>) =>
    transaction({ bookingDate: '2007-09-04', valueDate: '2007-09-04', ...known });
  const find = (externalId: string) => transactions.find((one) => one.externalId === externalId);

  expect(find('0724710290658244')).toEqual(
    german({
      accountIban: '50880050/0194778300888',
      amount: '50.05',
      externalId: '0724710290658244',
      counterpartyName: 'Richter Renate 70 Zeichen Beginn Fuellzeichen xxxxxxxx',
      counterpartyIban: 'DE42100100100043921105',
      reference: 'Keine Buchung zu: TO13 TF52001 MINT EndToEndIdTFNR5200100001',
    }),
  );
  expect(find('0724710352996674')).toEqual(
    german({
      accountIban: '50880050/0194781300888',
      amount: '-57.34',
      externalId: '0724710352996674',
      counterpartyName: 'Empfaenger 1 mit 70 Zeichen Empfaenger 1 mit 70 Zeiche',
      counterpartyIban: 'FR1420041010050500013M02606',
      reference:
        'Unstrukturierter Verwendungszweck mit 140 Stellen fu/r SEPA COR Buchungsschema /A-CT-DTE-S01 und ' +
        'A-CT-NUD-/S01 CTSc-01 EBB TFNr 01011/ 0001 TFNR 01011 Instruction Id  00001',
    }),
  );
  // A reversed credit is a debit, and a collective entry stays one transaction.
  expect(transactions.filter((one) => one.amount === '-204.88')).toEqual([
    german({ accountIban: '50880050/0194774600888', amount: '-204.88', reference: '0904059003' }),
    german({
      accountIban: '50880050/0194780100888',
      amount: '-204.88',
      externalId: 'R724710290656678',
      reference: 'MSGIDCTSc03MintT',
    }),
  ]);
  expect(find('0724710333343453')).toMatchObject({ bookingDate: '2007-09-04' });
});

test('closes the source when the consumer stops reading', async () => {
  const file = await sample('mt940/sepa_mt9401.sta');
  let isClosed = false;
  async function* source() {
    try {
      yield* pieces(file, 5000);
    } finally {
      isClosed = true;
    }
  }
  for await (const first of readStatement(source())) {
    expect(plain(first).amount).toBe('300');
    break;
  }
  expect(isClosed).toBe(true);
});

test('reports progress in bytes, up to the last one', async () => {
  const reports: number[] = [];
  const file = await sample('mt940/sepa_mt9401.sta');
  await read(file, { size: 10_000, report: (bytesRead) => reports.push(bytesRead) });
  expect(reports).toEqual([10_000, 20_000, file.length]);
});
