import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportBooks } from '../../schema/tenant-archive/export-archive.ts';
import { importBooks, type BooksImportOptions } from '../../schema/tenant-archive/restore-archive.ts';
import { LineErrors } from '../../schema/tenant-archive/lines.ts';
import { sealNext } from '../../schema/resources/audit-log/seal.ts';
import { proveNext } from '../../schema/resources/document/proofs.ts';
import { verifyDocuments } from '../../schema/resources/document/verify.ts';
import { buyer, setCompany } from '../documents/parties.ts';
import { makeCreditNote, makeCustomer, makeInvoice } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { booksIn } from './lines.ts';

// A file of books in which somebody changed one field. What a document says, its files, and its proofs depend on each other, so
// a change is refused by its line. Any other value is one that somebody could have entered: the books are then those of the file.

let service: Service;
let folder: string;
let to: Integrator;
let lines: string[];
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'kontor-books-'));
  const from = await service.integrator();
  to = await service.integrator();
  await setCompany(from);
  const customerId = await makeCustomer(from, buyer);
  for (let count = 0; count < 2; count += 1) await makeInvoice(from, { status: 'ISSUED', customerId });
  await makeCreditNote(from);
  await proveNext(await service.contextOf(from));
  while (await sealNext(await service.contextOf(from)));
  await makeCustomer(from);
  let text = '';
  await exportBooks(await service.contextOf(from), async (part) => void (text += part));
  lines = text.trimEnd().split('\n');
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

// JSON of a file: the tests know its shape.
type Fields = Record<string, unknown>;
const fieldsOf = (line: string): Fields => JSON.parse(line) as Fields;

/** The line errors of a dry run; none if it would be imported. */
async function errorsOf(
  changed: string[],
  options: Partial<BooksImportOptions> = {},
): Promise<readonly { line: number; message: string }[]> {
  const file = join(folder, 'books.jsonl');
  await writeFile(file, changed.join('\n'));
  try {
    await importBooks(await service.contextOf(to), service.domain.schema, file, { dryRun: true, ...options });
    return [];
  } catch (error) {
    if (error instanceof LineErrors) return error.errors;
    throw error;
  }
}

/** Another value of the same kind. */
function otherThan(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (value === null) return 'x';
  if (Array.isArray(value)) return value.with(0, otherThan(value[0]));
  if (typeof value === 'object') {
    const [[key, first] = ['', null]] = Object.entries(value);
    return { ...value, [key]: otherThan(first) };
  }
  const text = value as string;
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return text.replace(/\d{3}Z$/, (digits) => (digits === '123Z' ? '124Z' : '123Z'));
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text.slice(0, 8)}${text.endsWith('11') ? '12' : '11'}`;
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return String(Number(text) + 1);
  return `${text.startsWith('a') ? 'b' : 'a'}${text.slice(1)}`;
}

/** Fields that change after a document was issued, or say nothing about it. */
const mutable: Record<string, string[]> = {
  invoice: [
    'status',
    'external_id',
    'metadata',
    'paid_at',
    'cancelled_at',
    'overdue_at',
    'version',
    'created_at',
    'updated_at',
  ],
  credit_note: ['external_id', 'metadata', 'version', 'updated_at'],
  invoice_file: ['created_at'],
  document_proof: [],
  invoice_parties: [],
};
/** Records whose ids nothing refers to. */
const withFreeIds = new Set(['invoice_file', 'document_proof']);

describe('a changed field is refused by its line:', () => {
  it.each(['invoice', 'credit_note', 'invoice_parties', 'invoice_file', 'document_proof'])(
    'any of %s',
    async (type) => {
      const at = lines.findIndex((line) => line.startsWith(`{"record":"${type}"`));
      const original = fieldsOf(lines[at]!);
      const accepted: string[] = [];
      const misplaced: Record<string, unknown> = {};
      for (const name of Object.keys(original)) {
        if (name === 'record' || mutable[type]?.includes(name) || (name === 'id' && withFreeIds.has(type))) continue;
        const errors = await errorsOf(
          lines.with(at, JSON.stringify({ ...original, [name]: otherThan(original[name]) })),
        );
        if (errors.length === 0) accepted.push(name);
        // A reference to an id is refused, and of two equal positions the later one.
        if (name === 'id' || name === 'position') continue;
        const document = lines.findIndex((line) => line.includes(`"id":"${original['id'] as string}"`)) + 1;
        if (!errors.some(({ line }) => line === at + 1 || line === document)) misplaced[name] = errors;
      }
      expect({ accepted, misplaced }).toEqual({ accepted: [], misplaced: {} });
    },
  );

  it('any of a line of an invoice', async () => {
    const at = lines.findIndex((line) => line.startsWith('{"record":"invoice"'));
    const original = fieldsOf(lines[at]!);
    const [item] = original['items'] as [Fields];
    const accepted: string[] = [];
    for (const name of Object.keys(item)) {
      const items = [{ ...item, [name]: otherThan(item[name]) }];
      const errors = await errorsOf(lines.with(at, JSON.stringify({ ...original, items })));
      if (!errors.some(({ line }) => line === at + 1)) accepted.push(name);
    }
    expect(accepted).toEqual([]);
  });
});

const positionOf = (at: number): unknown => fieldsOf(lines[at]!)['position'];
const proofs = (): number[] =>
  lines
    .flatMap((line, at) => (line.startsWith('{"record":"document_proof"') ? [at] : []))
    .toSorted((a, b) => Number(positionOf(a)) - Number(positionOf(b)));
const without = (ats: number[]): string[] => {
  const end = JSON.stringify({ record: 'end', records: lines.length - 2 - ats.length });
  return lines.with(lines.length - 1, end).filter((_line, at) => !ats.includes(at));
};
const lineOf = (of: string[], id: unknown): number =>
  of.findIndex((line) => line.includes(`"id":"${id as string}"`)) + 1;

it('a proof that is removed is missed', async () => {
  for (const [place, at] of proofs().entries()) {
    const { invoice_id, credit_note_id } = fieldsOf(lines[at]!);
    const changed = without([at]);
    const errors = await errorsOf(changed);
    expect(errors).toContainEqual({
      line: lineOf(changed, invoice_id ?? credit_note_id),
      message: expect.stringMatching(/^(?:Invoice|Credit note) [\w-]+ has no proof\.$/),
    });
    const isMissing = errors.some(({ message }) => message === `Proof ${place + 1} is missing.`);
    expect(isMissing).toBe(place < proofs().length - 1);
  }
});

it('all proofs that are removed are missed, and where documents may be without, a noted hash finds it', async () => {
  const changed = without(proofs());
  expect((await errorsOf(changed)).filter(({ message }) => message.endsWith('has no proof.'))).toHaveLength(3 + 1);
  expect(await errorsOf(changed, { acceptUnproven: true })).toEqual([]);
  const last = fieldsOf(lines[proofs().at(-1)!]!);
  const noted = {
    position: Number(last['position']),
    hash: Buffer.from(String(last['hash']), 'base64').toString('hex'),
  };
  expect(await errorsOf(lines, { expected: { documents: [noted], auditLog: [] } })).toEqual([]);
  expect(await errorsOf(changed, { acceptUnproven: true, expected: { documents: [noted], auditLog: [] } })).toEqual([
    { line: changed.length, message: `Proof ${noted.position} is missing, of which a hash was noted.` },
  ]);
});

it('the parties of an invoice must have the form that its documents need, also where it has no proof', async () => {
  const at = lines.findIndex((line) => line.startsWith('{"record":"invoice_parties"'));
  const original = fieldsOf(lines[at]!);
  const [seller, customer] = [original['seller'] as Fields, original['buyer'] as Fields];
  const errorsWith = async (changed: Fields) => {
    const withParties = without(proofs()).with(at, JSON.stringify({ ...original, ...changed }));
    return (await errorsOf(withParties, { acceptUnproven: true })).map(({ line, message }) => [
      line,
      message.split(':')[0],
    ]);
  };
  expect(proofs().every((proof) => proof > at)).toBe(true);
  expect(await errorsWith({ buyer: {} })).toEqual([[at + 1, 'buyer.company_name']]);
  expect(await errorsWith({ buyer: { ...customer, city: 7 } })).toEqual([[at + 1, 'buyer.city']]);
  expect(await errorsWith({ buyer: ['x'] })).toEqual([[at + 1, 'buyer']]);
  expect(await errorsWith({ seller: ['x'] })).toEqual([[at + 1, 'seller']]);
  expect(await errorsWith({ seller: { ...seller, legal_name: null, language: 'xx' } })).toEqual([
    [at + 1, 'seller.language'],
    [at + 1, 'seller.legal_name'],
  ]);
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const nested = without(proofs()).with(at, lines[at]!.replace('"buyer":{', `"buyer":{"fax":${deep},`));
  expect(await errorsOf(nested, { acceptUnproven: true })).toEqual([
    { line: at + 1, message: 'buyer: Must not have more than 32 levels.' },
  ]);
  expect(await errorsWith({ seller: null, buyer: { ...customer, fax: 7, city: null } })).toEqual([]); // without a profile, and with a column of another version
});

it('a changed field that says nothing about a document is as if it had been entered', async () => {
  const at = lines.findIndex((line) => line.startsWith('{"record":"customer"'));
  const changed = lines.with(at, JSON.stringify({ ...fieldsOf(lines[at]!), city: 'Another city' }));
  const file = join(folder, 'changed.jsonl');
  await writeFile(file, changed.join('\n'));
  const into = await service.integrator();
  const context = await service.contextOf(into);
  await importBooks(context, service.domain.schema, file, { dryRun: false });
  let text = '';
  await exportBooks(context, async (part) => void (text += part));
  expect(booksIn(text)).toEqual(booksIn(changed.join('\n')));
  expect((await verifyDocuments(context)).difference).toBeNull();
});

describe('an entry of the audit log', () => {
  const entries = () => lines.flatMap((line, at) => (line.startsWith('{"record":"audit_entry"') ? [at] : []));

  it.each<[string, (fields: Fields) => Fields]>([
    [
      'another amount',
      (entry) => ({ ...entry, content: String(entry['content']).replace('"currency"', '"Currency"') }),
    ],
    ['a NUL', (entry) => ({ ...entry, content: String(entry['content']).replace('"currency"', '"\\u0000"') })],
    ['half a character', (entry) => ({ ...entry, content: String(entry['content']).replace('"EUR"', '"\\ud800"') })],
    ['another time', (entry) => ({ ...entry, content: String(entry['content']).replace('"20', '"21') })],
    ['another hash', (entry) => ({ ...entry, hash: 'a'.repeat(64) })],
    ['another hash before', (entry) => ({ ...entry, previous_hash: 'a'.repeat(64) })],
    ['no hash before', (entry) => ({ ...entry, previous_hash: null })],
    ['no text', (entry) => ({ ...entry, content: '' })],
    ['what is no entry', (entry) => ({ ...entry, content: '["x"]' })],
    ['a number', (entry) => ({ ...entry, content: 7 })],
    ['deep JSON', (entry) => ({ ...entry, content: '['.repeat(100_000) })],
    ['a field of another name', (entry) => ({ ...entry, position: 1 })],
  ])('with %s is refused by its line', async (_what, change) => {
    const at = entries().find((each) => lines[each]!.includes('\\"currency\\"'))!;
    const errors = await errorsOf(lines.with(at, JSON.stringify(change(fieldsOf(lines[at]!)))));
    expect(errors.map(({ line }) => line)).toContain(at + 1);
  });

  it('that is removed is missed by the next', async () => {
    const [, second] = entries() as [number, number];
    const end = lines.length - 1;
    const fewer = lines.with(end, JSON.stringify({ record: 'end', records: end - 2 })).toSpliced(second, 1);
    expect(await errorsOf(fewer)).toEqual([
      { line: second + 1, message: 'previous_hash: Must be the hash of the entry before.' },
    ]);
  });
});

it('a log that is not the one of which an anchor was kept is refused, until its time may be over', async () => {
  const hashes = lines
    .map(fieldsOf)
    .flatMap(({ record, hash }) => (record === 'audit_entry' && hash ? [String(hash)] : []));
  const [position, hash] = [hashes.length, hashes.at(-1)!];
  const kept = (at: Date, of = hash) => ({ expected: { documents: [], auditLog: [{ position, hash: of, at }] } });
  expect(await errorsOf(lines, kept(new Date()))).toEqual([]);
  expect(await errorsOf(lines, kept(new Date(), '1'.repeat(64)))).toEqual([
    { line: lines.length, message: `Entry ${position} of the audit log is missing, of which a hash was noted.` },
  ]);
  expect(await errorsOf(lines, kept(new Date('2019-01-01'), '1'.repeat(64)))).toEqual([]);
});
