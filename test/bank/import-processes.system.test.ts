import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createDatabase, startService } from '../harness.ts';
import { makeInvoice } from '../graphql/books.ts';
import { kontor } from '../processes/command-lines.ts';
import { camt, many } from './statement.ts';
import { received, sent } from './imports.ts';

it('memory does not grow with the statement', async () => {
  const database = await createDatabase();
  try {
    const script = fileURLToPath(new URL('large-import.ts', import.meta.url));
    const { stdout } = await promisify(execFile)('node', ['--expose-gc', script, database.url, '22500']);
    expect(JSON.parse(stdout)).toMatchObject({ imported: 22_500, skipped: 22_500 });
    expect(JSON.parse(stdout).grownBy).toBeLessThan(5);
  } finally {
    await database.drop();
  }
}, 300_000); // the process collects its garbage four times a second

describe('kontor bank import', () => {
  it('prints results as JSON; imports nothing of a malformed file, and prints one line with the reason', async () => {
    const database = await createDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'kontor-bank-'));
    const own = await startService({ database });
    try {
      const globex = await own.integrator();
      const invoice = await makeInvoice(globex, { status: 'ISSUED' });
      const { number } = await globex.db.invoice.findFirstOrThrow({ where: { id: invoice } });
      const bank = (...args: string[]) =>
        kontor(['bank', 'import', '--tenant', globex.tenantId, ...args], {
          DATABASE_URL: database.url,
          KONTOR_SECRET: 'long-enough-to-be-one-for-the-tests',
        });
      const [good, more, broken] = ['good.xml', 'more.xml', 'broken.xml'].map((name) => join(folder, name));
      await writeFile(good!, camt([received, sent, { amount: '119.00', reference: `Invoice ${number}` }]));
      await writeFile(more!, camt([received, { amount: '7.00' }]));
      await writeFile(broken!, camt(many(700)).slice(0, -40));

      const first = await bank('--json', good!, more!);
      expect(first).toEqual({ code: 0, out: '{"imported":4,"skipped":1,"matched":1}\n', err: '' });
      expect((await globex.rest('GET', `/invoices/${invoice}`)).body.data).toMatchObject({ status: 'paid' });

      const second = await bank('--json', broken!);
      expect(second.code).toBe(1);
      expect(second.out).toBe('');
      expect(second.err).toMatch(/^kontor: \S*broken\.xml: Line 7\d\d: this is no well-formed XML[^\n]*\n$/);
      expect(await globex.db.bankTransaction.count()).toBe(4);

      const none = await bank('--json', join(folder, 'none.xml'));
      expect(none).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringMatching(/^kontor: There is no file [^\n]*\n$/),
      });
    } finally {
      await own.close();
      await database.drop();
      await rm(folder, { recursive: true });
    }
  });
});
