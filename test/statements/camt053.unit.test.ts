import { describe, expect, test } from 'vitest';
import { camt, entry, read, readAll, transaction } from './files.ts';
import { detail } from './camt053.ts';

describe('versions 02 to 13', () => {
  const full = (status: string, party: (name: string) => string, amounts: string) =>
    entry({
      status,
      amount: '119.00',
      more: '<AcctSvcrRef>2026030200001</AcctSvcrRef>',
      dates: '<BookgDt><Dt>2026-03-02</Dt></BookgDt><ValDt><Dt>2026-03-03</Dt></ValDt>',
      details: detail(
        `<Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>${amounts}<RltdPties><Dbtr>${party('Ada Lovelace')}</Dbtr>` +
          `<DbtrAcct><Id><IBAN>FR7630006000011234567890189</IBAN></Id></DbtrAcct></RltdPties>` +
          `<RmtInf><Ustrd>Rechnung 2026-0007</Ustrd></RmtInf>`,
      ),
    });
  const old = full('BOOK', (name) => `<Nm>${name}</Nm>`, '<AmtDtls><TxAmt><Amt Ccy="EUR">119</Amt></TxAmt></AmtDtls>');
  const middle = full('BOOK', (name) => `<Nm>${name}</Nm>`, '<Amt Ccy="EUR">119</Amt><CdtDbtInd>CRDT</CdtDbtInd>');
  const recent = full(
    '<Cd>BOOK</Cd>',
    (name) => `<Pty><Nm>${name}</Nm></Pty>`,
    '<Amt Ccy="EUR">119</Amt><CdtDbtInd>CRDT</CdtDbtInd>',
  );

  test.each([
    ...['02', '03'].map((version) => [version, old]),
    ...['04', '05', '06', '07'].map((version) => [version, middle]),
    ...['08', '09', '10', '11', '12', '13'].map((version) => [version, recent]),
  ] as [string, string][])('%s', async (version, entries) => {
    expect(await read(camt(entries, { version }))).toEqual([
      transaction({
        amount: '119',
        valueDate: '2026-03-03',
        externalId: '2026030200001',
        counterpartyName: 'Ada Lovelace',
        counterpartyIban: 'FR7630006000011234567890189',
        reference: 'Rechnung 2026-0007',
      }),
    ]);
  });

  test.each(['01', '14'])('version %s is rejected', async (version) => {
    await expect(read(camt(entry(), { version }))).rejects.toThrow(
      `Line 2: this document is a camt.053.001.${version}; versions 02 to 13 can be read.`,
    );
  });
});

describe('the document', () => {
  test('may have any prefix, an envelope, elements of other namespaces, CDATA, and comments', async () => {
    const file = `<?xml version='1.0'?><env:Envelope xmlns:env="urn:bank" xmlns:i="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">
      <AppHdr><Ntry/></AppHdr><i:Document><i:BkToCstmrStmt><i:Stmt><i:Acct><i:Id><i:IBAN>DE1</i:IBAN></i:Id></i:Acct>
      <i:Ntry><env:Amt Ccy="USD">5</env:Amt><i:Amt Ccy="EUR">1<!-- no, -->0</i:Amt><i:CdtDbtInd>DBIT</i:CdtDbtInd>
      <i:Sts>BOOK</i:Sts><i:BookgDt><i:Dt>2026-03-02</i:Dt></i:BookgDt>
      <i:AddtlNtryInf>A &amp; <![CDATA[B < C]]> &#x20AC;</i:AddtlNtryInf><i:SplmtryData><Ntry/></i:SplmtryData></i:Ntry>
      </i:Stmt></i:BkToCstmrStmt></i:Document></env:Envelope>`;
    expect(await read(file)).toEqual([transaction({ accountIban: 'DE1', amount: '-10', reference: 'A & B < C €' })]);
  });

  test.each([
    [
      'the Document only',
      (file: string) => file.replace('<Document xmlns=', '<d:Document xmlns:d=').replace('</Document', '</d:Document'),
    ],
    [
      'its child only',
      (file: string) => file.replace(/<Document xmlns=("[^"]*")><BkToCstmrStmt>/, '<Document><BkToCstmrStmt xmlns=$1>'),
    ],
    [
      'its child only, by a prefix',
      (file: string) =>
        file
          .replace(/<Document xmlns=("[^"]*")>/, '<Document xmlns:p=$1>')
          .replaceAll(/<(\/?)(?=[A-Z])(?!Document)/g, '<$1p:'),
    ],
  ])('is recognized by a namespace on %s', async (_what, changed) => {
    expect(await read(changed(camt(entry())))).toEqual([transaction({})]);
  });

  test('is rejected with the namespace’s name if its child has another namespace', async () => {
    const file = camt('').replace('<BkToCstmrStmt>', '<BkToCstmrStmt xmlns="urn:bank">');
    await expect(read(file)).rejects.toThrow(
      /its BkToCstmrStmt is of the namespace "urn:bank", not "urn:iso:std:iso:20022:tech:xsd:camt\.053/,
    );
    const old = camt('').replace(
      /<Document xmlns="[^"]*"><BkToCstmrStmt>/,
      '<Document><BkToCstmrStmt xmlns="urn:bank">',
    );
    await expect(read(old)).rejects.toThrow('its namespace is "urn:bank"');
  });

  test('may have a statement without entries', async () => {
    expect(await readAll(camt(''))).toEqual({ transactions: [], warnings: [] });
  });

  test.each([
    [
      camt('').replaceAll('BkToCstmrStmt', 'BkToCstmrAcctRpt'),
      'Line 2: this document is no CAMT.053 statement: it holds "BkToCstmrAcctRpt", not "BkToCstmrStmt".',
    ],
    [
      camt('').replace('camt.053', 'camt.052'),
      'Line 2: this document is a camt.052, a report during the day whose entries may still change, not a camt.053 statement.',
    ],
    [
      camt('').replace('camt.053', 'camt.054'),
      'Line 2: this document is a camt.054, a notice of single entries which the statement repeats, not a camt.053 statement.',
    ],
    [camt('').replace('camt.053', 'pain.001'), 'its namespace is "urn:iso:std:iso:20022:tech:xsd:pain.001.…"'],
    [
      '<html><body>Please log in</body></html>',
      'This file is XML, but no CAMT.053 statement: its root element is "html", not "Document".',
    ],
  ])('is rejected if it is no camt.053 statement: %#', async (file, reason) => {
    await expect(read(file)).rejects.toThrow(reason);
  });

  test.each([
    ['<!DOCTYPE Document [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>\n', 'document has a DTD'],
    ['<!DOCTYPE Document SYSTEM "file:///etc/passwd">\n', 'document has a DTD'],
    ['<!DOCTYPE Document>\n', 'document has a DTD'],
  ])('is rejected with a DTD: %s', async (head, reason) => {
    await expect(read(camt(entry(), { head }))).rejects.toThrow(reason);
  });

  test('is rejected with undeclared entities, unlimited depth, or unlimited attributes', async () => {
    await expect(read(camt(entry({ more: '<AddtlNtryInf>&b;</AddtlNtryInf>' })))).rejects.toThrow(
      /^Line 5: this is no well-formed XML: undefined entity/,
    );
    await expect(read(camt('<a>'.repeat(1000)))).rejects.toThrow('element is more than 40 levels deep');
    const attributes = Array.from({ length: 1000 }, (_, at) => `a${at}=""`).join(' ');
    await expect(read(camt(`<a ${attributes}/>`))).rejects.toThrow('element has more than 40 attributes');
  });

  test.each([
    ['&#0;', /^Line 6: this is no well-formed XML/],
    ['&#xD800;', /^Line 6: this is no well-formed XML/],
    ['\0', /^Line 6: this is no well-formed XML/],
  ])('is rejected with text that PostgreSQL can’t store: %j', async (text, reason) => {
    await expect(read(camt(entry({ more: `<AddtlNtryInf>\n${text}</AddtlNtryInf>` })))).rejects.toThrow(reason);
  });
});

describe('an entry', () => {
  test.each(['PDNG', 'INFO', 'FUTR'])(
    'with status %s is left out in every version, also if it is incomplete',
    async (status) => {
      const entries = [status, `<Cd>${status}</Cd>`]
        .map((one) => entry({ status: one, dates: '', amount: 'soon' }))
        .join('');
      expect(await read(camt(entries + entry()))).toEqual([transaction({})]);
    },
  );

  test('with a proprietary status is left out with a warning; one without a status is booked', async () => {
    const { transactions, warnings } = await readAll(
      camt(`${entry({ status: '<Prtry>MAYBE</Prtry>' })}\n${entry().replace('<Sts>BOOK</Sts>', '')}`),
    );
    expect(transactions).toHaveLength(1);
    expect(warnings).toEqual([
      'Line 5, statement 1, entry 1 has a status of the bank\'s own, "MAYBE", and was left out.',
    ]);
  });

  test('has the bank’s dates, independent of their time offset; the value date replaces a missing booking date', async () => {
    const dates = [
      '<BookgDt><DtTm>2026-03-02T23:59:59-05:00</DtTm></BookgDt><ValDt><DtTm>2026-03-03T00:00:00+14:00</DtTm></ValDt>',
      '<BookgDt><Dt>2026-03-02+01:00</Dt></BookgDt>',
      '<ValDt><Dt>2026-03-04Z</Dt></ValDt>',
    ];
    expect(await read(camt(dates.map((one) => entry({ dates: one })).join('')))).toEqual([
      transaction({ valueDate: '2026-03-03' }),
      transaction({}),
      transaction({ bookingDate: '2026-03-04', valueDate: '2026-03-04' }),
    ]);
  });

  test.each([
    [entry({ dates: '' }), 'Line 5, statement 1, entry 1: this entry has neither a booking date nor a value date.'],
    [entry({ dates: '<BookgDt><Dt>2026-02-30</Dt></BookgDt>' }), 'this date is no calendar day: "2026-02-30"'],
    [entry({ amount: '1,5' }), 'this amount is no number without a sign: "1,5"'],
    [entry({ amount: '-5' }), 'this amount is no number without a sign: "-5"'],
    [
      entry({ amount: '1234567890123456.78' }),
      'this amount has more than 15 digits, or more than 5 decimals: "1234567890123456.78"',
    ],
    [entry({ amount: '0.000001' }), 'this amount has more than 15 digits, or more than 5 decimals: "0.000001"'],
    [entry({ direction: 'credit' }), 'this has no CdtDbtInd of CRDT or DBIT: "credit"'],
    [entry({ currency: '' }), 'this entry has no currency'],
    [`${entry()}\n${entry()}\n\n${entry({ amount: 'x' })}`, 'Line 8, statement 1, entry 3: this amount'],
  ])('is rejected with its position if it is invalid: %#', async (entries, reason) => {
    await expect(read(camt(entries))).rejects.toThrow(reason);
  });

  test('keeps its account unchanged, also without an IBAN; without an account it is rejected', async () => {
    const account = '<Id><Othr><Id>0815 / 4711</Id></Othr></Id>';
    expect(await read(camt(entry(), { account }))).toEqual([transaction({ accountIban: '0815 / 4711' })]);
    await expect(read(camt(entry(), { account: '' }))).rejects.toThrow('entry is in a statement without an account');
  });

  test('keeps its currency unchanged, also an obsolete one, and five decimals', async () => {
    expect(await read(camt(entry({ currency: 'DEM', amount: '1.23456' })))).toEqual([
      transaction({ currency: 'DEM', amount: '1.23456' }),
    ]);
  });

  test('has the direction of CdtDbtInd, also in a reversal', async () => {
    const more = '<AcctSvcrRef>1</AcctSvcrRef>';
    const reversal = (direction: string, indicator: string) =>
      entry({ direction, more }).replace('<Sts>', `<RvslInd>${indicator}</RvslInd><Sts>`);
    const entries = reversal('DBIT', 'true') + reversal('CRDT', 'true') + reversal('DBIT', 'false');
    expect((await read(camt(entries))).map((one) => one.amount)).toEqual(['-10', '10', '-10']);
  });

  test('has no bank reference for NONREF, NOTPROVIDED, and its position in the file', async () => {
    const references = [
      '<AcctSvcrRef>NONREF</AcctSvcrRef>',
      '<AcctSvcrRef>NOTPROVIDED</AcctSvcrRef>',
      '<AcctSvcrRef>B1</AcctSvcrRef>',
    ];
    const entries =
      references.map((more) => entry({ more })).join('') + entry().replace('<Amt', '<NtryRef>17</NtryRef><Amt');
    const own = entry().replace('<Amt', '<NtryRef>2026030200000000017</NtryRef><Amt');
    const inDetail = entry({ details: detail('<Refs><AcctSvcrRef>B2</AcctSvcrRef></Refs>') });
    expect((await read(camt(entries + own + inDetail))).map((one) => one.externalId)).toEqual([
      null,
      null,
      'B1',
      null,
      '2026030200000000017',
      'B2',
    ]);
  });
});
