import { describe, expect, test } from 'vitest';
import { camt, entry, read, readAll, transaction, readWarnings } from './files.ts';
import { debtor, creditor, detail, amount } from './camt053.ts';

describe('the counterparty', () => {
  const counterparty = async (options: Parameters<typeof entry>[0], parties: string, reversal = '') => {
    const file = camt(
      entry({ ...options, details: detail(`<RltdPties>${parties}</RltdPties>`) }).replace('<Sts>', `${reversal}<Sts>`),
    );
    const [one] = await read(file);
    return [one?.counterpartyName, one?.counterpartyIban];
  };
  const own = 'DE89370400440532013000';

  test('is the debtor of a credit and the creditor of a debit', async () => {
    const parties = debtor('Ada') + creditor('Charles');
    expect(await counterparty({}, parties)).toEqual(['Ada', 'FR7630006000011234567890189']);
    expect(await counterparty({ direction: 'DBIT' }, parties)).toEqual(['Charles', 'NL91ABNA0417164300']);
    expect(await counterparty({}, creditor('Charles'))).toEqual([null, null]);
  });

  test('of a reversal or a return is from the original payment', async () => {
    const directDebit = debtor('Ada') + creditor('Us', own);
    expect(await counterparty({ direction: 'DBIT' }, directDebit, '<RvslInd>true</RvslInd>')).toEqual([
      'Ada',
      'FR7630006000011234567890189',
    ]);
    expect(await counterparty({ direction: 'DBIT' }, directDebit)).toEqual(['Ada', 'FR7630006000011234567890189']);
    expect(await counterparty({}, debtor('Ada'), '<RvslInd>true</RvslInd>')).toEqual([
      'Ada',
      'FR7630006000011234567890189',
    ]);
  });

  test('can be the ultimate party or a bank, with an account that is no IBAN', async () => {
    expect(await counterparty({}, '<UltmtDbtr><Nm>Ada</Nm></UltmtDbtr>')).toEqual(['Ada', null]);
    expect(await counterparty({}, '<UltmtDbtr><Pty><Nm>Ada</Nm></Pty></UltmtDbtr>')).toEqual(['Ada', null]);
    expect(await counterparty({}, '<Dbtr><Agt><FinInstnId><Nm>Bank</Nm></FinInstnId></Agt></Dbtr>')).toEqual([
      'Bank',
      null,
    ]);
    expect(await counterparty({}, '<DbtrAcct><Id><Othr><Id>12-34</Id></Othr></Id></DbtrAcct>')).toEqual([
      null,
      '12-34',
    ]);
  });
});

describe('the reference', () => {
  const reference = async (details: string, more = '') =>
    (await read(camt(entry({ details: detail(details), more }))))[0]?.reference;
  const structured = '<Strd><CdtrRefInf><Ref>RF18539007547034</Ref></CdtrRefInf></Strd>';

  test('has structured references first, then text, then the end-to-end id, each once', async () => {
    expect(
      await reference(
        `<Refs><EndToEndId>E-1</EndToEndId></Refs><RmtInf><Ustrd>Rechnung</Ustrd><Ustrd>2026-0007</Ustrd>${structured}` +
          `<Strd><RfrdDocInf><Nb>2026-0007</Nb></RfrdDocInf><AddtlRmtInf>thanks</AddtlRmtInf></Strd></RmtInf>`,
      ),
    ).toBe('RF18539007547034 2026-0007 Rechnung 2026-0007 thanks E-1');
    expect(
      await reference(
        `<Refs><EndToEndId>2026-0007</EndToEndId></Refs><RmtInf><Ustrd>Invoice 2026-0007</Ustrd></RmtInf>`,
      ),
    ).toBe('Invoice 2026-0007');
    expect(await reference('<Refs><EndToEndId>2026-0007</EndToEndId></Refs>')).toBe('2026-0007');
  });

  test('joins text that was split after 140 characters without a blank', async () => {
    const full = 'x'.repeat(130) + 'Invoice 20';
    expect(await reference(`<RmtInf><Ustrd>${full}</Ustrd><Ustrd>26-0007</Ustrd></RmtInf>`)).toBe(`${full}26-0007`);
  });

  test('falls back to the bank’s information about the entry', async () => {
    const more = '<AddtlNtryInf>Card payment</AddtlNtryInf>';
    expect(await reference('<Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>', more)).toBe('Card payment');
    expect(await reference('<AddtlTxInf>Fee</AddtlTxInf>', more)).toBe('Fee');
    expect(await reference('<RmtInf><Ustrd>Text</Ustrd></RmtInf>', more)).toBe('Text');
  });
});

describe('batches', () => {
  const text = (value: string) => `<RmtInf><Ustrd>${value}</Ustrd></RmtInf>`;

  test('an entry with one set of details keeps its own amount and currency', async () => {
    const details = amount('12.34', text('abroad'), 'USD');
    expect(await read(camt(entry({ details })))).toEqual([transaction({ reference: 'abroad' })]);
  });

  test('an entry with several details becomes several transactions, each with its own amount, party, and reference', async () => {
    const details = [
      amount('7.50', `<RltdPties>${debtor('Ada', 'FR1')}</RltdPties>${text('one')}`),
      detail(`<Refs><AcctSvcrRef>B-2</AcctSvcrRef></Refs><Amt Ccy="EUR">4.50</Amt>${text('two')}`),
      detail(`<Amt Ccy="EUR">2</Amt><CdtDbtInd>DBIT</CdtDbtInd>${text('a return')}`),
    ];
    const more = '<AcctSvcrRef>B-1</AcctSvcrRef>';
    const inOne = camt(entry({ details: `<Btch><NbOfTxs>3</NbOfTxs></Btch>${details.join('')}`, more }));
    const inThree = camt(entry({ details: details.join('</NtryDtls><NtryDtls>'), more }));
    for (const file of [inOne, inThree]) expect(await readAll(file).then(({ warnings }) => warnings)).toEqual([]);
    expect(await read(inThree)).toEqual(await read(inOne));
    expect(await read(inOne)).toEqual([
      transaction({
        amount: '7.5',
        externalId: 'B-1',
        counterpartyName: 'Ada',
        counterpartyIban: 'FR1',
        reference: 'one',
      }),
      transaction({ amount: '4.5', externalId: 'B-2', reference: 'two' }),
      transaction({ amount: '-2', externalId: 'B-1', reference: 'a return' }),
    ]);
  });

  test('details in another currency have their amount in the entry’s currency', async () => {
    const abroad = (dollars: string, euros: string) =>
      detail(
        `<AmtDtls><InstdAmt><Amt Ccy="USD">${dollars}</Amt></InstdAmt><TxAmt><Amt Ccy="USD">${dollars}</Amt></TxAmt>` +
          `<CntrValAmt><Amt Ccy="EUR">${euros}</Amt></CntrValAmt></AmtDtls>`,
      );
    const details = abroad('6', '5.5') + abroad('5', '4.5');
    expect((await read(camt(entry({ details })))).map((one) => `${one.amount} ${one.currency}`)).toEqual([
      '5.5 EUR',
      '4.5 EUR',
    ]);
  });

  test.each([
    ['don’t add up', amount('7.50', text('one')) + amount('2.00', text('two'))],
    ['lack amounts', detail(text('one')) + detail(text('two'))],
    ['are in another currency', amount('5', text('one'), 'USD') + amount('5', text('two'), 'USD')],
    ['go the wrong way', amount('5', text('one')) + amount('5', `<CdtDbtInd>DBIT</CdtDbtInd>${text('two')}`)],
  ])('an entry with details that %s stays one transaction, with a warning', async (_, details) => {
    const { transactions, warnings } = await readAll(camt(entry({ details })));
    expect(transactions.map((one) => [one.amount.toFixed(), one.reference])).toEqual([['10', 'one two']]);
    expect(warnings).toEqual([
      "Line 5, statement 1, entry 1 has 2 details that don't make its 10 EUR: it was kept as one transaction.",
    ]);
  });

  test('a batch without details is one transaction', async () => {
    const details = '<Btch><NbOfTxs>200</NbOfTxs></Btch>';
    expect(await readAll(camt(entry({ details })))).toMatchObject({
      transactions: [{ reference: null }],
      warnings: [],
    });
  });

  test('an entry with very many details is read without a stack overflow, in bounded time', async () => {
    const details = amount('1').repeat(150_000);
    expect((await readAll(camt(entry({ amount: '150000', details })))).transactions).toHaveLength(150_000);
  });
});

describe('balances', () => {
  const balance = (kind: string, value: string, direction = 'CRDT', currency = 'EUR') =>
    `<Bal><Tp><CdOrPrtry><Cd>${kind}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${value}</Amt>` +
    `<CdtDbtInd>${direction}</CdtDbtInd><Dt><Dt>2026-03-02</Dt></Dt></Bal>`;
  const warningsFor = (balances: string, entries = entry() + entry({ direction: 'DBIT', amount: '15' })) =>
    readWarnings(camt(entries, { balances }));

  test('that add up, also to a negative one, cause no warning', async () => {
    expect(await warningsFor(balance('OPBD', '2') + balance('CLBD', '3', 'DBIT'))).toEqual([]);
    expect(await warningsFor(balance('PRCD', '2') + balance('CLAV', '9') + balance('CLBD', '3', 'DBIT'))).toEqual([]);
    expect(await warningsFor(balance('ITBD', '5') + balance('ITBD', '0'))).toEqual([]);
    expect(await warningsFor(balance('OPBD', '2') + balance('ITBD', '3', 'DBIT'))).toEqual([]);
    expect(await warningsFor(balance('CLBD', '3'))).toEqual([]);
    // The balance doesn't include pending entries.
    expect(await warningsFor(balance('OPBD', '2') + balance('CLBD', '2'), entry({ status: 'PDNG' }))).toEqual([]);
  });

  test('that can’t be read cause a warning, not an error', async () => {
    expect(await warningsFor(balance('OPBD', '2').replace('CRDT', '') + balance('CLBD', '3'))).toEqual([
      'Line 4, statement 1, balance OPBD: this has no CdtDbtInd of CRDT or DBIT.',
    ]);
  });

  test('that don’t add up cause a warning, not an error', async () => {
    expect(await warningsFor(balance('OPBD', '2') + balance('CLBD', '3'))).toEqual([
      "Statement 1 doesn't add up: 2 and entries of -5 don't make 3 EUR.",
    ]);
  });
});
