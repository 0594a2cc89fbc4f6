import { spawn } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';

// `npm run typecheck`: generates types, and then checks the server's program beside those of its clients. TypeScript keeps what
// it knows of unchanged files in node_modules/.cache.

const getCache = (name: string): string => `node_modules/.cache/typescript/${name}.tsbuildinfo`;

const tsc = (project: string, name: string): string[] => {
  const known = getCache(name);
  return ['node_modules/typescript/bin/tsc', '-p', project, '--incremental', '--tsBuildInfoFile', known];
};

// TypeScript doesn't look again at what uses a JSON file that has changed: the texts of the dashboard.
const changedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (changedAt('src/dashboard/i18n/de.json') > changedAt(getCache('dashboard')))
  rmSync(getCache('dashboard'), { force: true });

const generators: string[][] = [['src/dashboard/introspect.ts'], ['src/sdk/generate.ts']];
const programs: string[][][] = [
  [tsc('.', 'server')],
  [tsc('src/dashboard', 'dashboard'), tsc('src/sdk/client', 'sdk')],
];

async function runInOrder(commands: string[][]): Promise<boolean> {
  for (const command of commands) if (!(await run(command))) return false;
  return true;
}

function run(command: string[]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  spawn(process.execPath, command, { stdio: 'inherit' }).on('close', (code) => resolve(code === 0));
  return promise;
}

const results = (await Promise.all(generators.map(run))).every(Boolean)
  ? await Promise.all(programs.map(runInOrder))
  : [false];
if (results.includes(false)) process.exitCode = 1;
