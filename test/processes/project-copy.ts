import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const copied = new Set(['package.json', 'src', 'schema', 'rest-shim', 'prisma']);
const ownState = new Set(['.git', '.data']);

export interface ProjectCopy {
  path: string;
  remove(): Promise<void>;
}

/** A copy of the project, whose code can be changed. The rest are links. */
export async function copyProject(): Promise<ProjectCopy> {
  const path = await mkdtemp(join(tmpdir(), 'kontor-copy-'));
  for (const name of await readdir(root)) {
    if (copied.has(name)) await cp(join(root, name), join(path, name), { recursive: true });
    else if (!ownState.has(name)) await symlink(join(root, name), join(path, name));
  }
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export interface LaterMigration {
  name: string;
  script: string;
  backfill?: string;
}

/** The project of a later version, which has one more migration. */
export async function makeLaterVersion(
  { name, script, backfill }: LaterMigration,
  version?: string,
): Promise<ProjectCopy> {
  const copy = await copyProject();
  const folder = join(copy.path, 'prisma/migrations', name);
  await mkdir(folder);
  await writeFile(join(folder, 'migration.sql'), script);
  if (backfill !== undefined) await writeFile(join(folder, 'backfill.sql'), backfill);
  if (version !== undefined) {
    const manifest = join(copy.path, 'package.json');
    const text = await readFile(manifest, 'utf8');
    await writeFile(manifest, text.replace(/"version": "[^"]+"/, `"version": "${version}"`));
  }
  return copy;
}
