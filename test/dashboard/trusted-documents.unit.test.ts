import { expect, it } from 'vitest';
import { toSchema } from '../../schema/index.ts';
import { readOperations } from '../../src/dashboard/trusted-documents.ts';
import { manifestErrors } from '../../src/server/graphql/trusted-documents.ts';

it('the dashboard’s operations are valid as trusted documents, each with a constant of its own', () => {
  const operations = readOperations();
  expect(operations.length).toBeGreaterThan(80);
  expect(manifestErrors(toSchema(), operations)).toEqual([]);
  expect(new Set(operations.map(({ file, constant }) => `${file} ${constant}`)).size).toBe(operations.length);
});
