import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('SECURITY.md names code and tests that are there', () => {
  const text = readFileSync('SECURITY.md', 'utf8');
  const files = [...text.matchAll(/`((?:src|schema|rest-shim|prisma|test)\/[^`]+)`/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
