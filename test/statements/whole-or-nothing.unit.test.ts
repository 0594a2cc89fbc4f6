import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal } from '../../schema/money/money.ts';
import {
  StatementError,
  readStatement,
  type CsvMapping,
  type StatementOptions,
} from '../../schema/bank-statements/parsers/statement.ts';
import { camt, entry, pieces, plain, read, readAll, sample } from './files.ts';

// A file is read completely or with an error. Transactions that were read before an error are not a complete file.

const outcome = async (file: Uint8Array | string) => {
  try {
    return await read(file);
  } catch (error) {
    expect(error).toBeInstanceOf(StatementError);
    return undefined;
  }
};

const numberOfMessages = (text: string) => text.split(/^:62[FM]:.*,/m).length - 1;

describe('a truncated file', () => {
  test('in XML is an error at any position, except after the last element', async () => {
    const file = (await sample('camt053/camt053.v2.multi.statement.xml')).toString();
    const whole = await read(file);
    const end = file.indexOf('</Document>') + '</Document>'.length;
    // Every position near the ends of important elements, and random other ones.
    const positions = fc.oneof(fc.nat(file.length), fc.integer({ min: end - 400, max: file.length }));
    await fc.assert(
      fc.asyncProperty(positions, async (at) => {
        expect(await outcome(file.slice(0, at))).toEqual(at >= end ? whole : undefined);
      }),
      { numRuns: 400 },
    );
  });

  test('in UTF-16 XML is an error, also within a letter', async () => {
    const file = Buffer.from(`\uFEFF${camt(entry({ more: '<AddtlNtryInf>🏦</AddtlNtryInf>' }))}`, 'utf16le');
    for (let at = 0; at < file.length - 4; at += 1) expect(await outcome(file.subarray(0, at))).toBeUndefined();
    expect(await outcome(file)).toHaveLength(1);
  });

  // MT940 can't show whether messages are missing after a complete one.
  test.each(['abnamro', 'asnb', 'ing'])('in MT940 never gives a part of a message: %s', async (name) => {
    const file = (await sample(`mt940/${name}.sta`)).toString();
    const whole = await read(file);
    const messages = file.split(/(?=^:20:)/m);
    await fc.assert(
      fc.asyncProperty(fc.nat(file.length), async (at) => {
        const cut = file.slice(0, at);
        const transactions = await outcome(cut);
        if (!transactions) return;
        const complete = messages.slice(1, numberOfMessages(cut) + 1).join('');
        expect(transactions).toEqual(whole.slice(0, complete.split(/^:61:/m).length - 1));
      }),
      { numRuns: 400 },
    );
  });

  test('in MT940 with SWIFT blocks or terminated messages is an error within a message', async () => {
    const file = (await sample('mt940/asnb.sta')).toString();
    const end = file.indexOf('-}{5:}');
    for (let at = file.indexOf('{4:') + 3; at < end; at += 1) expect(await outcome(file.slice(0, at))).toBeUndefined();
    const second = (await sample('mt940/abnamro.sta')).toString();
    for (let at = second.lastIndexOf(':20:') + 4; at < second.length - 2; at += 1)
      expect(await outcome(second.slice(0, at))).toBeUndefined();
  });

  test('with an error of its source fails with that error', async () => {
    const file = await sample('mt940/abnamro.sta');
    async function* source() {
      yield* pieces(file, 100);
      throw new Error('connection reset');
    }
    const csv: CsvMapping = {
      skipLines: 1000,
      dateFormat: 'YYYYMMDD',
      decimalSeparator: ',',
      accountIban: 'x',
      currency: 'EUR',
      columns: { bookingDate: 1, amount: 2 },
    };
    const given: StatementOptions[] = [{}, { format: 'csv', csv }, { format: 'csv', csv: { ...csv, delimiter: ';' } }];
    for (const options of given)
      await expect(Array.fromAsync(readStatement(source(), options))).rejects.toThrow('connection reset');
  });
});

describe('any file', () => {
  test('is read or rejected with a reason, with any content', async () => {
    const samples = await Promise.all(
      ['camt053/camt053.v4.xml', 'mt940/ing.sta', 'mt940/asnb.sta'].map((path) => sample(path)),
    );
    const damaged = fc
      .tuple(fc.constantFrom(...samples), fc.nat(), fc.uint8Array({ maxLength: 6 }), fc.nat(8))
      .map(([file, at, bytes, lost]) =>
        Buffer.concat([file.subarray(0, at % file.length), bytes, file.subarray((at % file.length) + lost)]),
      );
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, fc.uint8Array({ maxLength: 200 })), async (file) => {
        await outcome(file);
      }),
      { numRuns: 500 },
    );
  });
});

describe('transactions written as CAMT.053 are read unchanged', () => {
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(']]>', ']]&gt;');
  // All characters of XML, without the line breaks that XML normalizes.
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 100 })
    .map((one) => one.replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, '').trim())
    .filter((one) => one !== '' && !/^(non ?ref|not ?provided)/i.test(one));
  const maybe = fc.option(text);
  const date = fc
    .date({ min: new Date('1999-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    .map((one) => one.toISOString().slice(0, 10));
  const one = fc.record({
    accountIban: fc.constant('DE89370400440532013000'),
    bookingDate: date,
    valueDate: fc.option(date),
    amount: fc
      .integer({ min: -(10 ** 12), max: 10 ** 12 })
      .map((cents) => new Decimal(cents).dividedBy(1000).toFixed()),
    currency: fc.constantFrom('EUR', 'TND', 'DEM'),
    externalId: maybe.filter((id) => id === null || !/^\d{1,6}$/.test(id)),
    counterpartyName: maybe,
    counterpartyIban: maybe,
    reference: maybe,
  });
  type One = ReturnType<typeof plain>;

  const element = (name: string, content: string | null) => (content === null ? '' : `<${name}>${content}</${name}>`);
  const optional = (name: string, content: string | null) => element(name, content && escaped(content));

  const details = (of: One, isRecent: boolean) => {
    const party = of.amount.startsWith('-') ? 'Cdtr' : 'Dbtr';
    const name = optional('Nm', of.counterpartyName);
    return (
      `<TxDtls><Refs>${optional('AcctSvcrRef', of.externalId)}</Refs><Amt Ccy="${of.currency}">${of.amount.replace('-', '')}</Amt>` +
      `<CdtDbtInd>${of.amount.startsWith('-') ? 'DBIT' : 'CRDT'}</CdtDbtInd>` +
      `<RltdPties>${element(party, isRecent ? element('Pty', name) : name)}` +
      `${optional('IBAN', of.counterpartyIban).replace(/^(.+)$/s, `<${party}Acct><Id>$1</Id></${party}Acct>`)}</RltdPties>` +
      `<RmtInf>${optional('Ustrd', of.reference)}</RmtInf></TxDtls>`
    );
  };
  const dates = (of: One) =>
    `<BookgDt><Dt>${of.bookingDate}</Dt></BookgDt>${of.valueDate ? `<ValDt><Dt>${of.valueDate}</Dt></ValDt>` : ''}`;
  const entryOf = (of: One, isRecent: boolean) =>
    entry({
      amount: of.amount.replace('-', ''),
      currency: of.currency,
      direction: of.amount.startsWith('-') ? 'DBIT' : 'CRDT',
      status: isRecent ? '<Cd>BOOK</Cd>' : 'BOOK',
      dates: dates(of),
      details: details(of, isRecent),
    });

  test('as entries, in every version and in chunks of any size', async () => {
    const version = fc.integer({ min: 2, max: 13 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(one, { maxLength: 8 }),
        version,
        fc.integer({ min: 1, max: 300 }),
        async (all, number, size) => {
          const file = camt(all.map((of) => entryOf(of, number >= 8)).join('\n'), {
            version: String(number).padStart(2, '0'),
          });
          expect(await read(file, { size })).toEqual(all);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('as one batch, with none added and none lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 2, maxLength: 8 }), async (all) => {
        const batch = all.map((of) => ({ ...of, currency: 'EUR', bookingDate: '2026-03-02', valueDate: null }));
        const total = batch.reduce((sum, of) => sum.plus(of.amount), new Decimal(0));
        const file = camt(
          entry({
            amount: total.abs().toFixed(),
            direction: total.isNegative() ? 'DBIT' : 'CRDT',
            details: batch.map((of) => details(of, false)).join(''),
          }),
        );
        const { transactions, warnings } = await readAll(file);
        expect(warnings).toEqual([]);
        expect(transactions.map(plain)).toEqual(batch);
      }),
      { numRuns: 200 },
    );
  });
});
