import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attachmentKey } from '../../schema/resources/attachment/files.ts';
import { exportBooks } from '../../schema/tenant-archive/export-archive.ts';
import { LineErrors, type LineError } from '../../schema/tenant-archive/lines.ts';
import { importBooks } from '../../schema/tenant-archive/restore-archive.ts';
import { booksIn } from '../books/lines.ts';
import { makeReceipt } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { proveAndSeal, verify } from '../verify/books.ts';
import { attach, jpeg, makePdf, sending } from './files.ts';

// A tenant's archive has the bytes of attachments in lines of their own. A stranger may have written it.

let service: Service;
let acme: Integrator;
let folder: string;
let lines: string[];
const sent = [makePdf(1_600_000), jpeg, makePdf(500)];
const ids: string[] = [];

beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'kontor-archive-'));
  acme = await service.integrator();
  const send = sending(service, acme);
  const booked = await makeReceipt(acme);
  const draft = await makeReceipt(acme);
  for (const [at, receipt] of [booked, booked, draft].entries())
    ids.push((await attach(send, receipt, sent[at], `${at}.pdf`)).body.data.id);
  await acme.rest('POST', `/receipts/${booked}/book`);
  await proveAndSeal(service, acme);
  lines = (await exported(acme)).trimEnd().split('\n');
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

async function exported(who: Integrator): Promise<string> {
  let text = '';
  await exportBooks(await service.contextOf(who), async (part) => void (text += part));
  return text;
}

async function importInto(who: Integrator, all: string[], dryRun = false): Promise<readonly LineError[]> {
  const file = join(folder, 'books.jsonl');
  await writeFile(file, all.join('\n'));
  try {
    await importBooks(await service.contextOf(who), service.domain.schema, file, { dryRun });
    return [];
  } catch (error) {
    if (error instanceof LineErrors) return error.errors;
    throw error;
  }
}

it('moves attachments, in lines of at most a million characters', async () => {
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(1_000_000);
  expect(lines.filter((line) => line.startsWith('{"record":"attachment_part"'))).toHaveLength(5);
  const globex = await service.integrator();
  expect(await importInto(globex, lines, true)).toEqual([]);
  expect(await globex.db.attachment.count()).toBe(0);
  expect(await importInto(globex, lines)).toEqual([]);
  for (const [at, id] of ids.entries()) {
    const file = await service.fileStorage.read(attachmentKey(globex.tenantId, id));
    expect((await buffer(file!.content)).equals(sent[at]!)).toBe(true);
  }
  expect(await globex.db.unusedFile.count()).toBe(0);
  expect(await globex.db.unprovenReceipt.count()).toBe(0);
  await proveAndSeal(service, globex);
  expect((await verify(service, globex)).all).toEqual([]);
  expect(booksIn(await exported(globex))).toEqual(booksIn(lines.join('\n')));
  // They are frozen there, too.
  await expect(globex.db.attachment.deleteMany({ where: { id: ids[0] } })).rejects.toThrow('is booked');
});

describe('refuses by its line', () => {
  type Fields = Record<string, unknown>;
  const edit = (line: string, change: Fields): string => JSON.stringify({ ...(JSON.parse(line) as Fields), ...change });
  const recordAt = (): number => lines.findIndex((line) => line.startsWith('{"record":"attachment",'));
  const html = Buffer.from('<html><script>alert(1)</script></html>');

  it.each<[name: string, change: (at: number) => string[], at: (record: number) => number, message: RegExp]>([
    [
      'a byte of a part',
      (at) => lines.with(at + 1, lines[at + 1]!.replace(/"bytes":"..../, '"bytes":"AAAA')),
      (at) => at,
      /^sha256: Must be that of the bytes that follow\.$/,
    ],
    [
      'a part that is missing',
      (at) => lines.toSpliced(at + 2, 1),
      (at) => at,
      /^length: Is 1\d{6}, but \d+ bytes follow\.$/,
    ],
    [
      'a part that is there twice',
      (at) => lines.toSpliced(at + 3, 0, lines[at + 3]!),
      (at) => at + 4,
      /^bytes: The attachment has \d+ bytes, and not more\.$/,
    ],
    [
      'parts in another order',
      (at) => lines.with(at + 1, lines[at + 2]!).with(at + 2, lines[at + 1]!),
      (at) => at,
      /^sha256/,
    ],
    [
      'a part of another attachment',
      (at) => lines.with(at + 1, edit(lines[at + 1]!, { attachment_id: ids[1] })),
      (at) => at + 1,
      /^attachment_id: Must be that of the attachment before\.$/,
    ],
    ['a part before its attachment', (at) => lines.toSpliced(at, 0, lines[at + 1]!), (at) => at, /^attachment_id/],
    [
      'a part that is no Base64',
      (at) => lines.with(at + 1, edit(lines[at + 1]!, { bytes: '<>' })),
      (at) => at + 1,
      /^bytes: Must be as an export has it\.$/,
    ],
    [
      'a part with another field',
      (at) => lines.with(at + 1, edit(lines[at + 1]!, { more: 1 })),
      (at) => at + 1,
      /Must be as an export has it\.$/,
    ],
    [
      'another length',
      (at) => lines.with(at, edit(lines[at]!, { length: 26_214_400 })),
      (at) => at,
      /^length: Is 26214400, but/,
    ],
    [
      'a length beyond the limit',
      (at) => lines.with(at, edit(lines[at]!, { length: 26_214_401 })),
      (at) => at,
      /^length: Must be from 1 to 26214400\.$/,
    ],
    [
      'another hash',
      (at) => lines.with(at, edit(lines[at]!, { sha256: Buffer.alloc(32).toString('base64') })),
      (at) => at,
      /^sha256/,
    ],
    [
      'a short hash',
      (at) => lines.with(at, edit(lines[at]!, { sha256: 'AAAA' })),
      (at) => at,
      /^sha256: Must have 32 bytes\.$/,
    ],
    [
      'another type',
      (at) => lines.with(at, edit(lines[at]!, { content_type: 'image/png' })),
      (at) => at,
      /^content_type: Must be that of the bytes that follow\.$/,
    ],
    [
      'a type of no attachment',
      (at) => lines.with(at, edit(lines[at]!, { content_type: 'text/html' })),
      (at) => at,
      /^content_type: Must be one of/,
    ],
    [
      'a name with a folder',
      (at) => lines.with(at, edit(lines[at]!, { filename: '../a.pdf' })),
      (at) => at,
      /^filename: Must be the name of a file/,
    ],
    [
      'another name',
      (at) => lines.with(at, edit(lines[at]!, { filename: 'other.pdf' })),
      () => -1,
      /what it says is not what was proven/,
    ],
    [
      'HTML with its own hash and length as a PDF',
      (at) =>
        lines
          .with(at, edit(lines[at]!, { length: html.length, sha256: hash('sha256', html, 'base64') }))
          .with(at + 1, edit(lines[at + 1]!, { bytes: html.toString('base64') }))
          .toSpliced(at + 2, 2),
      (at) => at,
      /^content_type/,
    ],
  ])('%s', async (_, change, at, message) => {
    const record = recordAt();
    const errors = await importInto(await service.integrator(), change(record), true);
    expect(errors.map((each) => each.message)).toContainEqual(expect.stringMatching(message));
    const line = at(record);
    if (line >= 0) expect(errors[0]).toMatchObject({ line: line + 1, message: expect.stringMatching(message) });
  });
});
