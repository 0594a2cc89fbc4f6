import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('OPERATING.md has every setting that Kontor reads, and no other', () => {
  const [, part = ''] = readFileSync('OPERATING.md', 'utf8').split('\n## Settings\n');
  const [section = ''] = part.split('\n## ');
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const documented = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name));
  const code = readFileSync('src/config/config.ts', 'utf8');
  const read = [...code.matchAll(/(?:read\(|env\[)\s*'([A-Z_]+)'/g)].map(([, name]) => name);
  expect(read.length).toBeGreaterThan(20);
  expect([...new Set(documented)].toSorted()).toEqual([...new Set(read)].toSorted());
});
