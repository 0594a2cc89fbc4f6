import { spawn } from 'node:child_process';

// `npm run typecheck`: the server's program beside those of its clients, whose types are generated before. TypeScript keeps
// what it knows of unchanged files in node_modules/.cache.

const tsc = (project: string, name: string): string[] => {
  const known = `node_modules/.cache/typescript/${name}.tsbuildinfo`;
  return ['node_modules/typescript/bin/tsc', '-p', project, '--incremental', '--tsBuildInfoFile', known];
};

const programs: string[][][] = [
  [tsc('.', 'server')],
  [
    ['src/dashboard/introspect.ts'],
    tsc('src/dashboard', 'dashboard'),
    ['src/sdk/generate.ts'],
    tsc('src/sdk/client', 'sdk'),
  ],
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

const results = await Promise.all(programs.map(runInOrder));
if (results.includes(false)) process.exitCode = 1;
