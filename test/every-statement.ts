import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';
import { listen, nameless } from './isolation/statements.ts';

// Runs beside every test. No code may rely on what the next major version of pg removes. And each statement that is made for a table of the books must name the tenant, in its
// condition or among its columns; not only among what it selects. Citus wants the same. The query compiler gives each table
// a name, and must name the tenant with each.

const models = readFileSync(new URL('../prisma/schema.prisma', import.meta.url), 'utf8').split(/^model /m);
const books = models
  .filter((model) => model.includes('@@id([tenantId, ') && !model.startsWith('Membership '))
  .map((model) => /@@map\("(\w+)"\)/.exec(model)?.[1]);
const table = `"public"\\."(?:${books.join('|')})"`; // as Prisma writes it, and tests that look behind the doors don't

const touches = new RegExp(table);
const insertions = new RegExp(`insert into ${table} (?:\\([^)]*\\)|default values)`, 'gi');
const insertion = /"tenant_id"|default values$/i; // whose default is the connection's tenant
const condition = /\swhere\s.*"tenant_id"/is;

/** Of a statement that inserts, each insertion; of any other, its condition. */
function namesTheTenant(text: string): boolean {
  const inserted = text.match(insertions) ?? [];
  return inserted.length > 0 ? inserted.every((each) => insertion.test(each)) : condition.test(text);
}

if (process.env['LOG_SQL']) await import('../src/dev/log-statements.ts');

const aliases = new RegExp(`${table} (t\\d+)`, 'g');

listen(({ text }) => {
  if (touches.test(text) && !namesTheTenant(text)) nameless.add(text);
  for (const [, alias] of text.matchAll(aliases)) if (!text.includes(`${alias}."tenant_id" = $1`)) nameless.add(text);
});

const deprecations: string[] = [];
process.on('warning', ({ name, message, stack }) => {
  if (name === 'DeprecationWarning' && message.includes('pg@')) deprecations.push(stack ?? message);
});

afterAll(() => {
  if (deprecations.length > 0) throw new Error(`pg's next version breaks this:\n${deprecations.join('\n')}`);
  if (nameless.size > 0) throw new Error(`Statements that don't name the tenant:\n${[...nameless].join('\n')}`);
});
