import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';
import { listen, nameless } from './isolation/statements.ts';

// Runs beside every test: each statement that Prisma makes for a table of the books must name the tenant, in its
// condition or among its columns; not only among what it selects. Citus wants the same.

const models = readFileSync(new URL('../prisma/schema.prisma', import.meta.url), 'utf8').split(/^model /m);
const books = models
  .filter((model) => model.includes('@@id([tenantId, ') && !model.startsWith('Membership '))
  .map((model) => /@@map\("(\w+)"\)/.exec(model)?.[1]);
const table = `"public"\\."(?:${books.join('|')})"`; // as Prisma writes it, and tests that look behind the doors don't

const touches = new RegExp(table);
const names = new RegExp(
  [
    `^insert into ${table} \\([^)]*"tenant_id"`,
    `^insert into ${table} default values`, // whose default is the connection's tenant
    `\\swhere\\s.*"tenant_id"`,
  ].join('|'),
  'is',
);

listen(({ text }) => {
  if (touches.test(text) && !names.test(text)) nameless.add(text);
});

afterAll(() => {
  if (nameless.size > 0) throw new Error(`Statements that don't name the tenant:\n${[...nameless].join('\n')}`);
});
