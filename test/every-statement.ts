import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';
import { splitStatements } from '../prisma/migrate/split-statements.ts';
import { listen, nameless, refused } from './isolation/statements.ts';

// Runs with every test. No code may use deprecated features of pg. Each generated statement for a tenant table must name
// the tenant in its condition or among its inserted columns; Citus requires the same. The query compiler gives each table
// an alias, and must name the tenant for each alias. Statements for tenant tables must do nothing else that Citus refuses.

const models = readFileSync(new URL('../prisma/schema.prisma', import.meta.url), 'utf8').split(/^model /m);
const books = models
  .filter((model) => model.includes('@@id([tenantId, ') && !model.startsWith('Membership '))
  .map((model) => /@@map\("(\w+)"\)/.exec(model)?.[1]);
const table = `"public"\\."(?:${books.join('|')})"`; // the spelling of Prisma; raw SQL of tests is spelled differently

const touches = new RegExp(table);
const insertions = new RegExp(`insert into ${table} (?:\\([^)]*\\)|default values)`, 'gi');
const insertion = /"tenant_id"|default values$/i; // the column's default is the connection's tenant
const condition = /\swhere\s.*"tenant_id"/is;

/** Checks each insertion of an INSERT, and the condition of any other statement. */
function namesTheTenant(text: string): boolean {
  const inserted = text.match(insertions) ?? [];
  return inserted.length > 0 ? inserted.every((each) => insertion.test(each)) : condition.test(text);
}

if (process.env['LOG_SQL']) await import('../src/dev/log-statements.ts');

const named = new RegExp(`\\b(?:${books.join('|')})\\b`);
/** The assignments of an UPDATE, or of ON CONFLICT. */
const assignments = /\bupdate\b[^;]*?\sset\s(.*?)(?:\s(?:where|from|returning)\s|$)/gis;
/** Functions whose result depends on settings of the session. An UPDATE may not call them with values of the row. */
const stable = /\bto_jsonb? *\(|_at"? - make_interval/i;
/** A RETURNING clause, to the end of its statement or CTE. */
const returned = /\sreturning\s((?:[^()]|\([^()]*\))*)/gi;

/** The assignments of an INSERT for a row that there is already. */
const onConflict = /\bon conflict\b.*?\bdo update set\s(.*?)(?:\sreturning\s|$)/gis;

/** An INSERT that reads from a function. Citus would send its rows by COPY, which row-level security doesn't allow. */
const insertedFromFunction = new RegExp(`insert into ${table} \\([^)]*\\)\\s*select\\s.*?\\sfrom\\s+\\w+\\s*\\(`, 'is');

/** A SELECT that joins tables with what a CTE inserted. Citus 13.2 crashes where it joins two of them. */
const insertedAndJoined = /^\s*with\b.*\binsert into\b.*\)\s*select\b.*\bjoin\b/is;

/** An outer join with a table of the tenant that a subquery's rows name. Citus 13.2 crashes at some of them; $1 is safe. */
const joinedWithSubquery = /\)\s+as (\w+)\s+left join \w+ as (\w+)\s+on \2\.tenant_id = \1\.tenant_id/i;

/**
 * A condition of parameters alone. Where it is false, PostgreSQL plans to read no table, so that Citus doesn't see of which tenant they
 * are read: it splits the statement, and refuses what comes of that.
 */
const ofParametersAlone =
  /\b(?:where|and)\s+(?:not\s+)?\$\d+(?:::[\w[\]]+)?\s+is\s+(?:not\s+)?null\b(?!\s+(?:or|and\b[^()]*\sor)\b)/i;

/** The reasons why Citus refuses a statement for a distributed table. */
function refusedByCitus(text: string): string[] {
  const parts = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, part]) => part ?? '');
  return [
    ...(parts(assignments).some((part) => /\btenant_id"? *=/.test(part)) ? ['it sets tenant_id'] : []),
    ...(parts(assignments).some((part) => stable.test(part)) ? ['it sets what depends on the session'] : []),
    ...(parts(returned).some((part) => /::|\bcast *\(/i.test(part)) ? ['it returns a cast'] : []),
    ...(parts(onConflict).some((part) => /::|\bcast *\(/i.test(part)) ? ['it casts on conflict'] : []),
    ...(insertedFromFunction.test(text) ? ['it inserts what a function returns'] : []),
    ...(insertedAndJoined.test(text) ? ['it joins tables with what it inserts'] : []),
    ...(ofParametersAlone.test(text) ? ['it has a condition of parameters alone'] : []),
    ...(joinedWithSubquery.test(text) ? ['it joins a table with the tenant of a subquery'] : []),
  ];
}

const aliases = new RegExp(`${table} (t\\d+)`, 'g');

/** The statements that were checked: one that a file repeats is checked once. */
const checked = new Set<string>();

const stopListening = listen(({ text }) => {
  if (checked.has(text)) return;
  checked.add(text);
  if (touches.test(text) && !namesTheTenant(text)) nameless.add(text);
  for (const [, alias] of text.matchAll(aliases)) if (!text.includes(`${alias}."tenant_id" = $1`)) nameless.add(text);
  if (!named.test(text)) return;
  for (const statement of text.includes(';') ? splitStatements(text) : [text])
    for (const reason of refusedByCitus(statement)) refused.add(`${reason}: ${statement}`);
});

const deprecations: string[] = [];
const hearWarning = ({ name, message, stack }: Error): void => {
  if (name === 'DeprecationWarning' && message.includes('pg@')) deprecations.push(stack ?? message);
};
process.on('warning', hearWarning);

// Several files run in one process, one after the other. Each is told of its own statements.
nameless.clear();
refused.clear();
afterAll(() => {
  stopListening();
  process.off('warning', hearWarning);
  if (deprecations.length > 0) throw new Error(`pg's next version breaks this:\n${deprecations.join('\n')}`);
  if (refused.size > 0) throw new Error(`Statements that Citus refuses:\n${[...refused].join('\n')}`);
  if (nameless.size > 0) throw new Error(`Statements that don't name the tenant:\n${[...nameless].join('\n')}`);
});
