import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acme, id, serveImports, service, time } from './imports.ts';
import { entry, imported, upload, type Entry } from './statement.ts';
import { makeBankTransaction } from '../graphql/books.ts';
import type { Answer, Integrator } from '../harness.ts';

serveImports();

const dayMs = 86_400_000;
const day = (offset: number): string => new Date(Date.UTC(2026, 0, 1) + offset * dayMs).toISOString().slice(0, 10);

interface Stated {
  iban?: string;
  number?: string;
  from?: string;
  to: string;
  opening: string;
  closing: string;
  entries: Entry[];
}

const balance = (kind: string, amount: string, date: string): string => {
  const direction = amount.startsWith('-') ? 'DBIT' : 'CRDT';
  return `<Bal><Tp><CdOrPrtry><Cd>${kind}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount.replace('-', '')}</Amt>
    <CdtDbtInd>${direction}</CdtDbtInd><Dt><Dt>${date}</Dt></Dt></Bal>`;
};

const iban = 'DE02120300000000202051';

const statement = ({ iban: account = iban, number, from, to, opening, closing, entries }: Stated): string => `
  <Stmt>${number === undefined ? '' : `<ElctrncSeqNb>${number}</ElctrncSeqNb>`}
  ${from === undefined ? '' : `<FrToDt><FrDtTm>${from}T00:00:00</FrDtTm><ToDtTm>${to}T23:59:59</ToDtTm></FrToDt>`}
  <Acct><Id><IBAN>${account}</IBAN></Id></Acct>
  ${balance('OPBD', opening, from ?? to)}${balance('CLBD', closing, to)}${entries.map(entry).join('')}</Stmt>`;

const camt = (...statements: Stated[]): string => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.04"><BkToCstmrStmt>${statements.map(statement).join('')}
</BkToCstmrStmt></Document>`;

const read = async (who: Integrator, path: string): Promise<Answer['body']> => (await who.rest('GET', path)).body.data;

async function accountOf(who: Integrator): Promise<string> {
  const [account] = await read(who, '/bank-accounts');
  return account.id;
}

const balanceAt = async (who: Integrator, account: string, at: string): Promise<number> =>
  (await read(who, `/bank-accounts/${account}/balance?at=${at}`)).amount;

describe('an import adds accounts and statements', () => {
  it('with the balances and days that CAMT.053 states', async () => {
    const file = camt({
      number: '27',
      from: '2026-02-01',
      to: '2026-02-28',
      opening: '-20.5',
      closing: '98.50',
      entries: [{ amount: '119.00', date: '2026-02-10', id: 'B1' }],
    });
    await imported(service, acme, file);
    const [account] = await read(acme, '/bank-accounts');
    expect(account).toEqual({
      id,
      iban,
      currency: 'EUR',
      name: null,
      external_id: null,
      metadata: {},
      created_at: time,
      updated_at: time,
    });
    expect(await read(acme, '/bank-statements')).toEqual([
      {
        id,
        bank_account_id: account.id,
        number: '27',
        from_date: '2026-02-01',
        to_date: '2026-02-28',
        opening_balance: -20.5,
        closing_balance: 98.5,
        continuity: 'first',
        difference: 0,
        created_at: time,
      },
    ]);
    const [stated] = await read(acme, '/bank-statements');
    expect(await read(acme, `/bank-accounts/${account.id}/balance?at=2026-02-09`)).toEqual({
      at: '2026-02-09',
      amount: -20.5,
      currency: 'EUR',
      bank_statement_id: stated.id,
    });
    const events = await read(acme, `/events?resource_id=${account.id}`);
    expect(events.map(({ event }: { event: string }) => event)).toEqual(['bank_account.created']);
  });

  it('with those of MT940, a statement for each page', async () => {
    const file = [
      ':20:A\r\n:25:DE02120300000000202051\r\n:28C:5/1\r\n:60F:C260131EUR100,00\r\n:61:2602020202C50,00NTRFA//B1',
      ':62M:C260202EUR150,00\r\n-\r\n:20:A\r\n:25:DE02120300000000202051\r\n:28C:5/2\r\n:60M:C260202EUR150,00',
      ':61:2602030203D200,00NTRFB//B2\r\n:62F:D260203EUR50,00\r\n-\r\n',
    ].join('\r\n');
    await imported(service, acme, file);
    const shown = (await read(acme, '/bank-statements')).map((each: Answer['body']) => [
      each.number,
      each.from_date,
      each.to_date,
      each.opening_balance,
      each.closing_balance,
      each.continuity,
    ]);
    expect(shown).toEqual([
      ['5/2', '2026-02-03', '2026-02-03', 150, -50, 'continues'],
      ['5/1', '2026-02-02', '2026-02-02', 100, 150, 'first'],
    ]);
    const account = await accountOf(acme);
    expect(await balanceAt(acme, account, '2026-02-01')).toBe(100);
    expect(await balanceAt(acme, account, '2026-02-02')).toBe(150);
    expect(await balanceAt(acme, account, '2026-02-28')).toBe(-50);
  });

  it('once, also when the file is imported again, and by several imports at the same time', async () => {
    const file = camt({ to: day(9), opening: '0', closing: '1', entries: [{ amount: '1', date: day(9), id: 'B1' }] });
    await Promise.all(Array.from({ length: 4 }, () => imported(service, acme, file)));
    expect(await read(acme, '/bank-accounts')).toHaveLength(1);
    expect(await read(acme, '/bank-statements')).toHaveLength(1);
    expect(await read(acme, '/events?type=bank_account.created')).toHaveLength(1);
  });

  it('finds the account that was added by hand, however its IBAN was written', async () => {
    const add = (text: string) => acme.rest('POST', '/bank-accounts', { iban: text });
    const spaced = await add(' de02 1203 0000 0000 2020 51');
    expect([spaced.status, spaced.body.data.iban]).toEqual([201, iban]);
    expect((await add(iban)).body.details).toMatchObject([{ field: 'iban', code: 'taken' }]);
    // One that is no IBAN stays as it is.
    expect((await add('12 34-x')).body.data.iban).toBe('12 34-x');
    await imported(service, acme, camt({ to: day(9), opening: '0', closing: '0', entries: [] }));
    expect(await read(acme, '/bank-accounts')).toHaveLength(2);
  });

  it('one account for all ways to write its IBAN, with the balance of all transactions', async () => {
    const spaced = 'DE02 1203 0000 0000 2020 51';
    const rows = [
      ['Account', 'Date', 'Amount', 'Text'],
      [spaced, day(1), '100.00', 'First'],
      ['de02120300000000202051', day(1), '0.50', 'Second'],
    ];
    const csv = {
      dateFormat: 'YYYY-MM-DD',
      decimalSeparator: '.',
      currency: 'EUR',
      columns: { accountIban: 'Account', bookingDate: 'Date', amount: 'Amount', reference: ['Text'] },
    };
    await imported(service, acme, rows.map((row) => `${row.join(';')}\n`).join(''), { format: 'CSV', csv });
    const entries = [
      { amount: '100', date: day(1), reference: 'First' },
      { amount: '7', date: day(1), reference: 'Third' },
    ];
    const file = camt({ to: day(1), opening: '0', closing: '0', entries }).replaceAll(/<Bal>.*?<\/Bal>/gs, '');
    expect(await imported(service, acme, file)).toMatchObject({ imported: 1, skipped: 1 });
    const accounts = await read(acme, '/bank-accounts');
    expect(accounts.map((each: Answer['body']) => each.iban)).toEqual([iban]);
    expect(await balanceAt(acme, accounts[0].id, day(1))).toBe(107.5);
    expect((await acme.rest('POST', '/bank-accounts', { iban: spaced })).body.details).toMatchObject([
      { field: 'iban', code: 'taken' },
    ]);
    const transactions = await read(acme, '/bank-transactions');
    expect(transactions.map((each: Answer['body']) => each.account_iban)).toContain(spaced);
    expect(await read(acme, '/events?type=bank_account.created')).toHaveLength(1);
  });

  it('none where an earlier version made one as it was sent, and each of two keeps its own transactions', async () => {
    const spaced = 'DE02 1203 0000 0000 2020 51';
    const { id: old } = await acme.db.bankAccount.create({ data: { iban: spaced, currency: 'EUR' } });
    await makeBankTransaction(acme, {
      accountIban: spaced,
      bookingDate: new Date(day(1)),
      amount: 100,
      amountOpen: 100,
    });
    const entries = [{ amount: '7', date: day(1), id: 'B1' }];
    await imported(service, acme, camt({ to: day(1), opening: '0', closing: '107', entries }));
    expect(await read(acme, '/bank-accounts')).toHaveLength(1);
    expect(await read(acme, `/bank-statements?bank_account_id=${old}`)).toHaveLength(1);
    expect([await balanceAt(acme, old, day(0)), await balanceAt(acme, old, day(1))]).toEqual([0, 107]);
    const { id: plain } = await acme.db.bankAccount.create({ data: { iban, currency: 'EUR' } });
    expect([await balanceAt(acme, old, day(2)), await balanceAt(acme, plain, day(2))]).toEqual([107, 7]);
  });

  it('an account of its own for a number that is spelled as nobody does, with its transactions', async () => {
    const odd = 'de02\u00a01203000000 00202051';
    const entries = [{ amount: '3', date: day(1), id: 'B1' }];
    await imported(service, acme, camt({ iban: odd, to: day(1), opening: '0', closing: '3', entries }));
    const [account, ...others] = await read(acme, '/bank-accounts');
    expect([account.iban, others]).toEqual([odd, []]);
    expect(await balanceAt(acme, account.id, day(2))).toBe(3);
    expect(await read(acme, `/bank-statements?bank_account_id=${account.id}`)).toHaveLength(1);
  });

  it('accounts that are no IBAN as they were sent, and one for all ways to write it', async () => {
    const entries = (bankId: string) => [{ amount: '1', date: day(1), id: bankId }];
    const stated = { to: day(1), opening: '0', closing: '1' };
    const file = camt(
      { ...stated, iban: '1234 -x', entries: entries('B1') },
      { ...stated, iban: '1234-X', entries: entries('B2') },
      { ...stated, iban: '1234-Y', entries: entries('B3') },
    );
    await imported(service, acme, file.replaceAll(/<Bal>.*?<\/Bal>/gs, ''));
    const accounts = await read(acme, '/bank-accounts');
    expect(accounts.map((each: Answer['body']) => each.iban).toSorted()).toEqual(['1234 -x', '1234-Y']);
    const { id: first } = accounts.find((each: Answer['body']) => each.iban === '1234 -x');
    expect(await balanceAt(acme, first, day(1))).toBe(2);
  });

  it('an account for each currency, and one without a statement: its balance is the sum', async () => {
    const entries = [
      { amount: '10', date: day(1), id: 'B1' },
      { amount: '-4', date: day(3), id: 'B2' },
      { amount: '7', currency: 'CHF', date: day(1), id: 'B3' },
    ];
    const file = camt({ to: day(3), opening: '0', closing: '6', entries }).replaceAll(/<Bal>.*?<\/Bal>/gs, '');
    await imported(service, acme, file);
    const accounts = await read(acme, '/bank-accounts');
    const currencies = accounts.map(({ currency }: { currency: string }) => currency);
    expect(currencies.toSorted()).toEqual(['CHF', 'EUR']);
    const euros = accounts[currencies.indexOf('EUR')].id;
    expect(await balanceAt(acme, euros, day(2))).toBe(10);
    expect(await read(acme, `/bank-accounts/${euros}/balance?at=${day(3)}`)).toMatchObject({
      amount: 6,
      bank_statement_id: null,
    });
    expect(await read(acme, '/bank-statements')).toEqual([]);
  });

  it('not beyond 1,000 accounts of a file, of which nothing is imported then', async () => {
    const statements = Array.from({ length: 1001 }, (_, at) => ({
      iban: `X${at}`,
      to: day(1),
      opening: '0',
      closing: '0',
      entries: [],
    }));
    const answer = await upload(service, acme, camt(...statements));
    expect(answer.body.errors[0].message).toBe('This file has more than 1000 accounts.');
    expect(await read(acme, '/bank-accounts')).toEqual([]);
    await imported(service, acme, camt(...statements.slice(1)));
    expect((await acme.rest('GET', '/bank-accounts')).body.meta.total).toBe(1000);
  });

  it('leaves out balances without a day, and imports the transactions', async () => {
    const entries = [{ amount: '1', date: day(1), id: 'B1' }];
    const file = camt(
      { to: '2026-02-30', opening: '0', closing: '5', entries: [] },
      { to: day(1), opening: '0', closing: '1', entries },
    );
    await imported(service, acme, file);
    expect(await read(acme, '/bank-statements')).toHaveLength(1);
    expect(await read(acme, '/bank-transactions')).toHaveLength(1);
  });
});

describe('a statement says whether it continues the one before it', () => {
  const stated = (from: number, to: number, opening: string, closing: string, number?: string): Stated => ({
    from: day(from),
    to: day(to),
    opening,
    closing,
    entries: [],
    ...(number !== undefined && { number }),
  });
  const continuities = async (...statements: Stated[]): Promise<[string, number][]> => {
    for (const each of statements) await imported(service, acme, camt(each));
    const query = `{ bankStatements(orderBy: [{ field: TO_DATE, direction: ASC }]) { nodes { continuity difference } } }`;
    const { nodes } = (await acme.graphql(query)).bankStatements;
    return nodes.map(({ continuity, difference }: { continuity: string; difference: string }) => [
      continuity,
      Number(difference),
    ]);
  };

  it('whatever order they are imported in', async () => {
    const [first, second, third] = [stated(0, 9, '0', '5'), stated(10, 19, '5', '7'), stated(20, 29, '7', '7')];
    expect(await continuities(third, first, second)).toEqual([
      ['FIRST', 0],
      ['CONTINUES', 0],
      ['CONTINUES', 0],
    ]);
  });
  it('a gap where the balances differ', async () => {
    expect(await continuities(stated(0, 9, '0', '5'), stated(20, 29, '7.5', '7'))).toEqual([
      ['FIRST', 0],
      ['GAP', 2.5],
    ]);
  });
  it('a gap where the numbers leave one out', async () => {
    const leftOut = [stated(0, 9, '0', '5', '27'), stated(20, 29, '5', '7', '29'), stated(30, 39, '7', '7', '1')];
    expect((await continuities(...leftOut)).map(([continuity]) => continuity)).toEqual(['FIRST', 'GAP', 'CONTINUES']);
  });
  it('an overlap where it begins before the end of the other', async () => {
    expect(await continuities(stated(0, 9, '0', '5'), stated(5, 19, '5', '7'))).toEqual([
      ['FIRST', 0],
      ['OVERLAP', 0],
    ]);
  });
});

/** Statements of an account, as a bank makes them: cut anywhere, also within a day. */
const accounts = fc.record({
  opening: fc.integer({ min: -1000, max: 1000 }),
  entries: fc
    .array(
      fc.record({
        gap: fc.integer({ min: 0, max: 3 }),
        cents: fc.integer({ min: -99_999, max: 99_999 }),
        cut: fc.boolean(),
      }),
      {
        minLength: 1,
        maxLength: 25,
      },
    )
    .map((entries) => {
      let at = 3;
      return entries.map(({ gap, cents, cut }) => ({ day: (at += gap), cents: cents || 1, cut }));
    }),
  order: fc.infiniteStream(fc.nat()),
  again: fc.nat(),
});

const amount = (cents: number): string => (cents / 100).toFixed(2);

describe('the balance at a day', () => {
  it('is the bank’s, however the statements are cut, and in whatever order they are imported', async () => {
    await fc.assert(
      fc.asyncProperty(accounts, async ({ opening, entries, order, again }) => {
        const who = await service.integrator();
        const statements: Stated[] = [];
        let balanceNow = opening;
        let part: typeof entries = [];
        for (const [at, each] of entries.entries()) {
          part.push(each);
          if (!each.cut && at < entries.length - 1) continue;
          const closing = part.reduce((sum, { cents }) => sum + cents, balanceNow);
          statements.push({
            number: String(statements.length + 1),
            to: day(each.day),
            opening: amount(balanceNow),
            closing: amount(closing),
            entries: part.map(({ day: on, cents }, place) => ({
              amount: amount(cents),
              date: day(on),
              id: `B${statements.length}-${place}`,
            })),
          });
          balanceNow = closing;
          part = [];
        }
        const keys = statements.map(() => order.next().value as number);
        const shuffled = statements.map((each, at) => [keys[at]!, each] as const).toSorted(([a], [b]) => a - b);
        for (const [, each] of shuffled) await imported(service, who, camt(each));
        await imported(service, who, camt(statements[again % statements.length]!));
        const account = await accountOf(who);
        for (let on = 0; on <= entries.at(-1)!.day + 2; on += 1) {
          const expected = entries.filter((each) => each.day <= on).reduce((sum, { cents }) => sum + cents, opening);
          expect([on, await balanceAt(who, account, day(on))]).toEqual([on, expected / 100]);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('stays the bank’s after a statement that is missing', async () => {
    const at = (on: number, amountOn: string): Entry => ({ amount: amountOn, date: day(on), id: `B${on}` });
    await imported(
      service,
      acme,
      camt(
        { from: day(0), to: day(9), opening: '100', closing: '110', entries: [at(4, '10')] },
        // Days 10 to 19 are missing: 40 were received.
        { from: day(20), to: day(29), opening: '150', closing: '120', entries: [at(22, '-20'), at(27, '-10')] },
      ),
    );
    const account = await accountOf(acme);
    const balances = [0, 4, 9, 15, 20, 22, 26, 27, 40].map((on) => balanceAt(acme, account, day(on)));
    expect(await Promise.all(balances)).toEqual([100, 110, 110, 110, 150, 130, 130, 120, 120]);
    const [after] = await read(acme, `/bank-statements?bank_account_id=${account}&from=${day(29)}`);
    expect(after).toMatchObject({ continuity: 'gap', difference: 40 });
  });
});

describe('a bank account', () => {
  it('gets a name, and keeps the rest', async () => {
    await imported(service, acme, camt({ to: day(1), opening: '0', closing: '0', entries: [] }));
    const account = await accountOf(acme);
    const named = await acme.rest('PATCH', `/bank-accounts/${account}`, { name: 'Giro', metadata: { ledger: '1200' } });
    expect(named.body.data).toMatchObject({ name: 'Giro', metadata: { ledger: '1200' }, iban });
    await acme.rest('PATCH', `/bank-accounts/${account}`, { iban: 'DE1', currency: 'USD' });
    expect(await read(acme, `/bank-accounts/${account}`)).toEqual(named.body.data);
  });

  it('and its statements are their tenant’s', async () => {
    await imported(service, acme, camt({ to: day(1), opening: '0', closing: '0', entries: [] }));
    const account = await accountOf(acme);
    const other = await service.integrator();
    expect(await read(other, '/bank-accounts')).toEqual([]);
    for (const path of [`/bank-accounts/${account}`, `/bank-accounts/${account}/balance`])
      expect((await other.rest('GET', path)).status).toBe(404);
    expect(await read(other, `/bank-statements?bank_account_id=${account}`)).toEqual([]);
  });

  it('has statements that nobody changes', async () => {
    await imported(service, acme, camt({ to: day(1), opening: '0', closing: '0', entries: [] }));
    await expect(acme.db.bankStatement.updateMany({ data: { closingBalance: 1 } })).rejects.toThrow(
      /permission denied/,
    );
    await expect(acme.db.bankStatement.deleteMany({})).rejects.toThrow(/permission denied/);
  });
});
