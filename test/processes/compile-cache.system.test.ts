import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { dataFolder, kontor } from './npm.ts';

/** The modules whose JavaScript Node looked for in the cache, by its own log: each with what it found. */
const findLookUps = (log: string): string[] =>
  [...log.matchAll(/retrieving transpile cache for StrippedTypeScript .*?\.\.\.(.*)/g)].map(([, found]) => found ?? '');

it('keeps what it has compiled in a folder, and needs no compiler of TypeScript the next time', async () => {
  const folder = await dataFolder();
  onTestFinished(() => folder.remove());
  const cache = join(folder.path, 'cache');
  const env = { NODE_COMPILE_CACHE: '', CACHE_DIRECTORY: cache, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };

  const first = await kontor(['--version'], env);
  expect(first.code).toBe(0);
  const kept = readdirSync(cache, { recursive: true });
  expect(new Set(findLookUps(first.err))).not.toContain('success');

  const second = await kontor(['--version'], env);
  expect(second.code).toBe(0);
  expect(new Set(findLookUps(second.err))).toEqual(new Set(['success']));
  expect(readdirSync(cache, { recursive: true })).toEqual(kept);
});

it('runs as well where it can keep nothing', async () => {
  const folder = await dataFolder();
  onTestFinished(() => folder.remove());
  const file = join(folder.path, 'file');
  writeFileSync(file, '');
  const env = { NODE_COMPILE_CACHE: '', CACHE_DIRECTORY: join(file, 'cache') };
  expect(await kontor(['--version'], env)).toMatchObject({ code: 0, err: '' });
});
