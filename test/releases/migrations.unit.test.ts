import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { migrations } from '../../prisma/migrate/migrate.ts';
import type { Migration } from '../../prisma/migrate/schema-engine.ts';
import { readOf, versions, writeOnce } from './descriptions.ts';

// A database may have each migration of each released version. A later version has these as they are, and adds its own after
// them: CONTRIBUTING.md#migrations.

const file = 'migrations.json';
type Digests = Record<string, string>;

const digest = (all: readonly Migration[]): Digests =>
  Object.fromEntries(all.map(({ name, script }) => [name, createHash('sha256').update(script).digest('hex')]));

/** The changes that a database of that version would not get, or would get in another order than a new one. */
function findFaults(released: Digests, today: Digests): string[] {
  const last = Object.keys(released).toSorted().at(-1) ?? '';
  return [
    ...Object.entries(released)
      .filter(([name, hash]) => today[name] !== hash)
      .map(([name]) => `${name} is released, and has changed`),
    ...Object.keys(today)
      .filter((name) => !(name in released) && name < last)
      .map((name) => `${name} comes before the released ${last}`),
  ];
}

it.runIf(process.env['RECORD'])('writes the migrations of this version', async () => {
  writeOnce(process.env['RECORD'] ?? '', file, `${JSON.stringify(digest(await migrations()), null, 2)}\n`);
});

it.each(versions.filter((version) => !version.startsWith('0.')))(
  'those of version %s are as they were',
  async (version) => {
    expect(findFaults(JSON.parse(readOf(version, file)) as Digests, digest(await migrations()))).toEqual([]);
  },
);

it('one that has changed, or is gone, and one that comes before are found', () => {
  const released = digest([
    { name: '2_a', script: 'a' },
    { name: '3_b', script: 'b' },
  ]);
  expect(findFaults(released, { ...released, '4_c': 'x' })).toEqual([]);
  expect(findFaults(released, { ...digest([{ name: '2_a', script: 'A' }]), '1_c': 'x' })).toEqual([
    '2_a is released, and has changed',
    '3_b is released, and has changed',
    '1_c comes before the released 3_b',
  ]);
});
