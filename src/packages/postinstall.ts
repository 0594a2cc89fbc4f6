import { execSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { printError } from '../commands/output.ts';
import { isForBuild, readLock } from './shipped.ts';

// After `npm ci`: generates and builds. After `npm ci --omit=dev`, the tools for it are missing: what was built before stays.

const root = fileURLToPath(new URL('../../', import.meta.url));
const exists = (path: string): boolean => existsSync(`${root}${path}`);
const run = (command: string): void => void execSync(command, { cwd: root, stdio: 'inherit' });

const needed = ['prisma/generated', 'src/commands/remote/operations.json', 'src/dashboard/dist', 'src/pages/dist'];
if (exists('node_modules/vite')) {
  // The client needs no engine: none is downloaded.
  process.env['PRISMA_SCHEMA_ENGINE_BINARY'] = '/bin/true';
  run('prisma generate');
  run('npm run -s build');
} else if (!needed.every(exists)) {
  printError('Kontor is not built. Run npm ci first, which builds it, and then npm prune --omit=dev.');
  process.exitCode = 1;
} else {
  // npm keeps what is an optional peer of a package that stays: Prisma's command line and TypeScript, with all that they need.
  for (const [folder, entry] of readLock(root))
    if (isForBuild(entry)) rmSync(`${root}${folder}`, { recursive: true, force: true });
}
