import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { readRows } from '../../schema/csv-import/read-file.ts';

/** Files that this process has open in a folder. */
async function openFiles(folder: string): Promise<string[]> {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((each) => readlink(`/proc/self/fd/${each}`).catch(() => '')),
  );
  return links.filter((link) => link.startsWith(folder));
}

it('a file that is refused before it is read is not left open', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'file.csv');
  await writeFile(file, 'Id,Name\n1,Acme\n');
  const format = { dateFormat: 'YYYY-MM-DD', decimalSeparator: '.', encoding: 'klingon' } as const;
  const mapping = { columns: new Map([['name', 'Name']]), defaults: new Map() };
  for (let round = 0; round < 10; round += 1) await expect(readRows(file, format, mapping)).rejects.toThrow('encoding');
  await sleep(100); // streams open their files in the background
  expect(await openFiles(folder)).toEqual([]);
});
