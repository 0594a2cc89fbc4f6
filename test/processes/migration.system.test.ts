import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { dataFolder, npm } from './npm.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('npm run migration drafts what takes the tables from the migrations to schema.prisma', async () => {
  const copy = await dataFolder();
  onTestFinished(copy.remove);
  for (const name of ['package.json', 'src', 'schema', 'rest-shim', 'prisma'])
    await cp(join(root, name), join(copy.path, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(copy.path, 'node_modules'));
  const schema = join(copy.path, 'prisma/schema.prisma');
  const text = await readFile(schema, 'utf8');
  await writeFile(schema, text.replace(/^model Project \{$/m, 'model Project {\n  nickname String? @db.Text'));

  const run = npm(['run', '-s', 'migration', '--', 'nicknames'], {}, undefined, copy.path);
  expect([await run.exited, run.err()]).toEqual([{ code: 0, signal: null }, '']);
  const file = run.out().trim();
  expect(file).toMatch(/\/prisma\/migrations\/\d{14}_nicknames\/migration\.sql$/);
  expect(await readFile(file, 'utf8')).toMatch(
    /^-- AlterTable\nALTER TABLE "projects" ADD COLUMN +"nickname" TEXT;\n$/,
  );
});
