import { describe, expect, test } from 'vitest';
import { readStatement, StatementError, type CsvMapping } from '../../schema/bank-statements/parsers/statement.ts';
import { camt, entry, pieces, read, readAll, transaction, readWarnings } from './files.ts';

// Files that are designed to cost the parser memory or time. Each is read or rejected, at a cost that doesn't depend on
// its form.

const repeated = (text: string, count: number): string => text.repeat(count);

async function refusal(file: string, csv?: CsvMapping): Promise<string> {
  try {
    for await (const _ of readStatement(pieces(Buffer.from(file), 65_536), csv ? { csv } : {}));
  } catch (error) {
    expect(error).toBeInstanceOf(StatementError);
    return (error as StatementError).message;
  }
  return 'was read';
}

describe('after 100 warnings the others are only counted', () => {
  const cases: [string, string][] = [
    ['balances without an amount', camt('', { balances: repeated('<Bal/>', 20_000) })],
    ['balances without a direction', camt('', { balances: repeated('<Bal><Amt Ccy="EUR">1</Amt></Bal>', 20_000) })],
    ["statuses of the bank's own", camt(repeated(`<Ntry><Sts><Prtry>${'x'.repeat(100)}</Prtry></Sts></Ntry>`, 20_000))],
    [
      'details that do not add up',
      camt(repeated(entry({ details: repeated('<TxDtls><Amt Ccy="EUR">1</Amt></TxDtls>', 2) }), 20_000)),
    ],
    [
      'MT940 statements that do not add up',
      repeated(':20:1\n:25:DE1\n:60F:C260302EUR0,\n:62F:C260302EUR1,\n-\n', 20_000),
    ],
  ];
  test.each(cases)('%s', async (_what, file) => {
    const warnings = await readWarnings(file);
    expect(warnings).toHaveLength(101);
    expect(warnings.at(-1)).toBe('There are 19900 more warnings like these.');
    expect(warnings.join('').length).toBeLessThan(30_000);
  });

  test('100 warnings are reported in full', async () => {
    const warnings = await readWarnings(camt('', { balances: repeated('<Bal/>', 100) }));
    expect(warnings).toHaveLength(100);
    expect(warnings.at(-1)).toMatch(/has no amount/);
  });
});

describe('CAMT.053', () => {
  test('an entry with a hundred thousand empty details is one transaction', async () => {
    const file = camt(entry({ details: repeated('<TxDtls/>', 100_000) }));
    const { transactions, warnings } = await readAll(file, { size: 65_536 });
    expect(transactions).toHaveLength(1);
    expect(warnings).toEqual([expect.stringMatching(/has 100000 details that don't make its 10 EUR/)]);
  });

  test('rejects an entry with more details than the limit of transactions', async () => {
    expect(await refusal(camt(entry({ details: repeated('<TxDtls/>', 250_001) })))).toMatch(
      /entry 1: this entry has more than 250000 details/,
    );
  });

  test('rejects a file with more transactions than the limit', async () => {
    const mt940 = `:20:1\n:25:DE1\n:60F:C260302EUR0,\n${repeated(':61:2603020302C1,\n', 250_001)}:62F:C260302EUR0,\n-\n`;
    expect(await refusal(mt940)).toBe(
      'This file has more than 250000 transactions; ask the bank for files of shorter periods.',
    );
  });

  test.each([
    ['a text of two million characters', camt(entry({ more: `<AddtlNtryInf>${'x'.repeat(2e6)}</AddtlNtryInf>` }))],
    ['a comment of two million characters', camt(`<!--${'x'.repeat(2e6)}-->`)],
    ['an element name of two million characters', camt(`<${'x'.repeat(2e6)}/>`)],
    ['an attribute of two million characters', camt(`<Any a="${'x'.repeat(2e6)}"/>`)],
    ['a CDATA section of two million characters', camt(`<Any><![CDATA[${'x'.repeat(2e6)}]]></Any>`)],
  ])('rejects %s while reading it', async (_what, file) => {
    expect(await refusal(file)).toMatch(/^Line \d+: this .* is longer than 1048576 characters/);
  });

  test('rejects a long text in many pieces in a used element, and skips it in an unused one', async () => {
    const pieced = repeated('x<!-- -->', 300_000);
    expect(await refusal(camt(entry({ more: `<AddtlNtryInf>${pieced}</AddtlNtryInf>` })))).toMatch(
      /holds more than 200000 characters of text/,
    );
    expect(await read(camt(entry({ more: `<Any>${pieced}</Any>` })))).toEqual([transaction({})]);
  });

  test.each([
    ['an entry', entry({ more: repeated('<AddtlNtryInf>x</AddtlNtryInf>', 100_001) })],
    [
      'a set of details',
      entry({ details: `<TxDtls><RmtInf>${repeated('<Ustrd>x</Ustrd>', 100_001)}</RmtInf></TxDtls>` }),
    ],
  ])('rejects %s with too much text', async (_what, entries) => {
    expect(await refusal(camt(entries))).toMatch(/holds more than 200000 characters of text/);
  });

  test('reads nested elements with long names in bounded time', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `n${at}${'x'.repeat(30_000)}`);
    const open = names.map((name) => `<${name}>`).join('');
    const close = names
      .toReversed()
      .map((name) => `</${name}>`)
      .join('');
    const file = camt(entry() + open + repeated('<a/>', 20_000) + close);
    expect(await read(file, { size: 65_536 })).toEqual([transaction({})]);
  });

  test('rejects entries in more currencies than exist', async () => {
    const currencies = Array.from({ length: 301 }, (_, at) => `X${at}`);
    expect(await refusal(camt(currencies.map((currency) => entry({ currency })).join('')))).toMatch(
      /entry 301: this statement has entries in more than 300 currencies/,
    );
  });
});

describe('rejects a transaction with text too long to store', () => {
  test.each<[string, string]>([
    ['an account', camt(entry(), { account: `<Id><Othr><Id>${'x'.repeat(256)}</Id></Othr></Id>` })],
    ['a currency', camt(entry({ currency: 'x'.repeat(256) }))],
    ['a reference of the bank', camt(entry({ more: `<AcctSvcrRef>${'x'.repeat(1001)}</AcctSvcrRef>` }))],
    [
      "a counterparty's account",
      camt(
        entry({
          details: `<TxDtls><RltdPties><DbtrAcct><Id><IBAN>${'x'.repeat(256)}</IBAN></Id></DbtrAcct></RltdPties></TxDtls>`,
        }),
      ),
    ],
    [
      "a counterparty's name",
      camt(entry({ details: `<TxDtls><RltdPties><Dbtr><Nm>${'x'.repeat(1001)}</Nm></Dbtr></RltdPties></TxDtls>` })),
    ],
  ])('in %s', async (_what, file) => {
    expect(await refusal(file)).toMatch(/entry 1: this entry has more than \d+ characters in "x+…"/);
  });
});

describe('MT940', () => {
  const message = (fields: string): string => `:20:1\n:25:DE1\n:60F:C260302EUR0,\n${fields}:62F:C260302EUR0,\n-\n`;

  test('rejects a field of a million blank lines', async () => {
    expect(await refusal(message(`:61:2603020302C1,\n:86:x${repeated('\n', 1e6)}`))).toMatch(
      /field :86: is too long for an MT940/,
    );
  });

  test('rejects an entry with a hundred thousand empty fields of information', async () => {
    expect(await refusal(message(`:61:2603020302C1,\n${repeated(':86:\n', 100_000)}`))).toMatch(
      /entry is too long for an MT940/,
    );
  });

  test.each([
    ['a line of a million characters', 'x'.repeat(1e6)],
    ['a line of 30,000 characters in a single chunk', 'x'.repeat(30_000)],
  ])('rejects %s', async (_what, line) => {
    expect(await refusal(message(`${line}\n`))).toMatch(/line is too long for an MT940/);
  });

  test('reads nested blocks without a stack overflow', async () => {
    expect(await refusal(`:20:1\n${repeated('{4:', 6000)}\n`)).toMatch(/^Line/);
  });
});

describe('CSV', () => {
  const csv: CsvMapping = {
    dateFormat: 'YYYY-MM-DD',
    decimalSeparator: '.',
    accountIban: 'DE89370400440532013000',
    currency: 'EUR',
    columns: { bookingDate: 1, amount: 2, reference: 3 },
    headerRow: false,
  };

  test.each([
    ['a quote that is never closed', `2026-03-02,1,"${'x'.repeat(1e6)}`, /quote that is never closed/],
    ['a line of two million characters', `2026-03-02,1,${'x'.repeat(2e6)}`, /never closed|too long/],
    [
      'a hundred thousand cells',
      `2026-03-02,1,x${repeated(',', 100_000)}\n`,
      /^Line 1: this row has more than 1000 cells/,
    ],
  ])('rejects %s', async (_what, file, message) => {
    expect(await refusal(file, csv)).toMatch(message);
  });

  test('skips two million blank lines', async () => {
    const file = `${repeated('\n', 2e6)}2026-03-02,10,x\n`;
    expect(await read(file, { csv: { ...csv, delimiter: ',' }, size: 65_536 })).toEqual([
      transaction({ reference: 'x' }),
    ]);
  });

  test('skips a first line of any length', async () => {
    const file = `${'x'.repeat(2e6)}\n2026-03-02,10,x\n`;
    expect(await refusal(file, { ...csv, skipLines: 1 })).toMatch(/was read|never closed|too long/);
  });

  test('has the delimiter of the first row that is not blank', async () => {
    expect(await read('\n\n2026-03-02;10;x\n', { csv })).toEqual([transaction({ reference: 'x' })]);
    expect(await read('2026-03-02;10;x', { csv })).toEqual([transaction({ reference: 'x' })]);
  });
});
