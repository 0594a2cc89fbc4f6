import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeWholeFile } from '../../src/backup/whole-file.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kontor-whole-file-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('tells of a draft before it is there, and once none is there any more', async () => {
  const heard: [string, boolean][] = [];
  let over = false;
  await makeWholeFile(
    join(folder, 'a'),
    async (draft) => {
      heard.push(['write', existsSync(draft)]);
      await writeFile(draft, 'whole');
    },
    (draft) => {
      heard.push(['draft', existsSync(draft)]);
      return () => (over = true);
    },
  );
  expect(heard).toEqual([
    ['draft', false],
    ['write', true],
  ]);
  expect(over).toBe(true);
  expect(await readdir(folder)).toEqual(['a']);
});

it('forgets a draft that can’t be made', async () => {
  let over = false;
  const made = makeWholeFile(
    join(folder, 'nowhere', 'a'),
    async () => {},
    () => () => (over = true),
  );
  await expect(made).rejects.toThrow(/there is no folder/);
  expect(over).toBe(true);
});
