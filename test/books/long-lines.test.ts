import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportBooks } from '../../schema/tenant-archive/export-archive.ts';
import { LineErrors, type LineError } from '../../schema/tenant-archive/lines.ts';
import { importBooks } from '../../schema/tenant-archive/restore-archive.ts';
import { makeInvoice } from '../graphql/books.ts';
import { startService, type Integrator, type Service } from '../harness.ts';

// The files of an invoice stand in the line of their record, so that lines are long.

let service: Service;
let folder: string;
beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), 'kontor-lines-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

async function exported(who: Integrator): Promise<string[]> {
  let text = '';
  await exportBooks(await service.contextOf(who), async (lines) => void (text += lines));
  return text.trimEnd().split('\n');
}

async function importInto(who: Integrator, lines: string[]): Promise<readonly LineError[]> {
  const file = join(folder, 'books.jsonl');
  await writeFile(file, lines.join('\n'));
  try {
    await importBooks(await service.contextOf(who), service.domain.schema, file, {
      dryRun: false,
      acceptUnproven: true,
    });
    return [];
  } catch (error) {
    if (error instanceof LineErrors) return error.errors;
    throw error;
  }
}

const isFile = (line: string): boolean => line.startsWith('{"record":"invoice_file"');

it('an invoice whose e-invoice is long comes back with it', async () => {
  const from = await service.integrator();
  const invoiceId = await makeInvoice(from, { status: 'ISSUED' });
  // As of 500 items whose texts are of characters that XML escapes.
  const bytes = Buffer.alloc(10_000_000, '&lt;');
  const sha256 = hash('sha256', bytes, 'buffer');
  await from.db.invoiceFile.create({ data: { invoiceId, format: 'xrechnung-cii', sha256, bytes } });
  const lines = await exported(from);
  expect(Math.max(...lines.map(({ length }) => length))).toBeGreaterThan(13_000_000);
  const to = await service.integrator();
  expect(await importInto(to, lines)).toEqual([]);
  expect((await exported(to)).filter(isFile).join() === lines.filter(isFile).join()).toBe(true);
});

it('a line that is longer than any of an export is refused', async () => {
  const to = await service.integrator();
  const [head = ''] = await exported(to);
  expect(await importInto(to, [head, '['.repeat(33_600_000)])).toEqual([
    { line: 2, message: 'Is longer than 33554432 characters.' },
  ]);
});
