import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { npm } from './npm.ts';
import { copyProject } from './project-copy.ts';

/** Drafts a migration in a copy of the project whose schema.prisma has been changed. @returns the migration's SQL */
async function draftIn(name: string, change: (schema: string) => string): Promise<string> {
  const copy = await copyProject();
  onTestFinished(copy.remove);
  const schema = join(copy.path, 'prisma/schema.prisma');
  const text = await readFile(schema, 'utf8');
  await writeFile(schema, change(text));
  const environment = { PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' };
  const generate = npm(['exec', '--', 'prisma', 'generate'], environment, undefined, copy.path);
  expect((await generate.exited).code).toBe(0);

  const run = npm(['run', '-s', 'migration', '--', name], {}, undefined, copy.path);
  expect([await run.exited, run.err()]).toEqual([{ code: 0, signal: null }, '']);
  const file = run.out().trim();
  expect(file).toMatch(new RegExp(`/prisma/migrations/\\d{14}_${name}/migration\\.sql$`));
  return readFile(file, 'utf8');
}

it('npm run migration drafts the difference between the migrations and schema.prisma', async () => {
  const sql = await draftIn('nicknames', (schema) =>
    schema.replace(/^model Project \{$/m, 'model Project {\n  nickname String? @db.Text'),
  );
  expect(sql).toMatch(/^-- AlterTable\nALTER TABLE "projects" ADD COLUMN +"nickname" TEXT;\n$/);
});

it('a new table of the books is drafted with row-level security', async () => {
  const model = `model Note {
  tenantId String @default(dbgenerated("(NULLIF(current_setting('kontor.tenant_id'::text, true), ''::text))::uuid")) @map("tenant_id") @db.Uuid
  id       String @default(uuid(7)) @db.Uuid
  @@id([tenantId, id])
  @@map("notes")
}
model Setting {
  id String @id @default(uuid(7)) @db.Uuid
  @@map("settings")
}
`;
  const sql = await draftIn('notes', (schema) => schema + model);
  expect(sql).toContain('CREATE TABLE "settings" (');
  expect(sql.match(/^select .*$/gm)).toEqual([`select isolate('notes');`]);
});
