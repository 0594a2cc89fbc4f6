import { describe, expect, test } from 'vitest';
import type { CsvMapping } from '../../schema/bank-statements/parsers/statement.ts';
import { camt, entry, read, sample } from './files.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => utf16le(text).swap16();
const mark = '\uFEFF';

const csv: CsvMapping = {
  dateFormat: 'YYYY-MM-DD',
  decimalSeparator: '.',
  accountIban: 'DE1',
  currency: 'EUR',
  columns: { bookingDate: 'date', amount: 'amount', reference: 'text' },
};

const text = 'Bücher für Zoë';
const xml = (encoding: string, content = text) =>
  camt(entry({ more: `<AddtlNtryInf>${content}</AddtlNtryInf>` })).replace('UTF-8', encoding);
const table = (content: string) => `date;amount;text\n2026-03-02;1;${content}\n`;
const mt940 = (content: string) =>
  `:20:1\n:25:1\n:28C:1\n:60F:C260302EUR0,\n:61:260302C1,NTRF\n:86:${content}\n:62F:C260302EUR1,\n-\n`;

const referencesOf = async (file: Uint8Array, size: number) =>
  (await read(file, { csv, size })).map((one) => one.reference);

describe.each([1, 2, 3, 5, 100, 100_000])('in pieces of %d bytes', (size) => {
  test.each([
    ['XML in UTF-8', Buffer.from(xml('UTF-8'))],
    ['XML in UTF-8 with a byte order mark', Buffer.from(mark + xml('utf-8'))],
    ['XML without a declaration', Buffer.from(xml('UTF-8').replace(/^<\?xml.*\n/, ''))],
    ['XML in ISO-8859-1', latin1(xml('ISO-8859-1'))],
    ['XML in Windows-1252', latin1(xml('windows-1252'))],
    ['XML in UTF-16 with a byte order mark', utf16le(mark + xml('UTF-16'))],
    ['XML in UTF-16, big end first', utf16be(mark + xml('UTF-16'))],
    ['XML in UTF-16 without a byte order mark', utf16le(xml('UTF-16'))],
    ['XML in UTF-8 that says UTF-16', Buffer.from(xml('utf-16'))],
    ['MT940 in UTF-8', Buffer.from(mt940(text))],
    ['MT940 in UTF-8 with a byte order mark', Buffer.from(mark + mt940(text))],
    ['MT940 in ISO-8859-1', latin1(mt940(text))],
    ['MT940 in UTF-16', utf16le(mark + mt940(text))],
    ['CSV in UTF-8', Buffer.from(table(text))],
    ['CSV in UTF-8 with a byte order mark', Buffer.from(mark + table(text))],
    ['CSV in ISO-8859-1', latin1(table(text))],
    ['CSV in UTF-16', utf16be(mark + table(text))],
  ])('%s', async (_, file) => {
    expect(await referencesOf(file, size)).toEqual([text]);
  });
});

test('ISO-8859-1 is read as Windows-1252, which also has € and “quotes”', async () => {
  const file = Buffer.concat([latin1(table('').slice(0, -1)), Buffer.from([0x80, 0x93, 0xe4, 0x94, 0x0a])]);
  expect(await referencesOf(file, 100)).toEqual(['€“ä”']);
});

test('reads a given encoding, and rejects an unknown one', async () => {
  const file = Buffer.from([...latin1(table('').slice(0, -1)), 0x81, 0x0a]);
  expect((await read(file, { csv: { ...csv, encoding: 'ibm866' } })).map((one) => one.reference)).toEqual(['Б']);
  await expect(read(file, { csv: { ...csv, encoding: 'klingon' } })).rejects.toThrow(
    'This file is in an encoding that isn\'t known: "klingon".',
  );
  await expect(read(xml('klingon'))).rejects.toThrow('is in an encoding that isn\'t known: "klingon"');
});

test.each([
  [
    'XML with a wrong declaration of UTF-8',
    latin1(xml('UTF-8', `\n${text}`)),
    'Line 6: this text has bytes that are not UTF-8.',
  ],
  [
    'XML without a declaration that isn’t UTF-8',
    latin1(xml('UTF-8').replace(/^<\?xml.*\n/, '')),
    'this text has bytes that are not UTF-8.',
  ],
  [
    'half a character in UTF-16',
    Buffer.concat([utf16le(mark + table('a')), Buffer.from([0, 0xd8, 65, 0])]),
    'that are not UTF-16LE.',
  ],
  [
    'half a character at the end',
    Buffer.concat([utf16le(mark + table('a')), Buffer.from([0, 0xd8])]),
    'that are not UTF-16LE.',
  ],
  [
    'UTF-8 with a broken letter',
    Buffer.concat([Buffer.from(table(text)), Buffer.from([0xc3]), Buffer.from('\n')]),
    'Line 3: this text has bytes that are not UTF-8.',
  ],
])('%s is rejected', async (_, file, reason) => {
  for (const size of [1, 7, 100_000]) {
    const reading = read(file, { csv, size });
    // Reading byte by byte, the parser may notice it only at the next character, a line later.
    await expect(reading).rejects.toThrow(size === 100_000 ? reason : 'this text has bytes that are not');
  }
});

test.each([
  ['nothing', Buffer.alloc(0), 'This file is empty.'],
  ['a ZIP archive', Buffer.from('PK\x03\x04rest'), 'This file is a ZIP archive; import the files in it.'],
  ['a PDF', Buffer.from('%PDF-1.7'), 'This file is a PDF; ask the bank for CAMT.053, MT940 or CSV.'],
])('%s is rejected', async (_, file, reason) => {
  await expect(read(file, { csv })).rejects.toThrow(reason);
});

test('a given format is not detected', async () => {
  const file = await sample('mt940/ing.sta');
  await expect(read(file, { format: 'camt053' })).rejects.toThrow('is no well-formed XML');
  await expect(read(await sample('camt053/camt053.v4.xml'), { format: 'mt940' })).rejects.toThrow(
    'holds no MT940 message',
  );
});
