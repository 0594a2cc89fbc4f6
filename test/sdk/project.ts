import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A project that has installed the SDK's tarball, as an integrator's has. */
export interface Project {
  folder: string;
  /** Runs a JavaScript file of the project. @returns its output. @throws with the output of a program that failed */
  run(file: string, env: Record<string, string>, nodeOptions?: string[]): Promise<string>;
  remove(): Promise<void>;
}

/** Builds, packs, and installs the SDK. */
export async function projectWithSdk(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-sdk-project-'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  const tarball = (await execute('npm', ['run', '-s', 'sdk', '--', '--out', folder], root)).trim();
  // Without the network: the package has no dependencies.
  await execute('npm', ['install', '--offline', tarball], folder);
  return {
    folder,
    run: (file, env, nodeOptions = []) => execute(process.execPath, [...nodeOptions, file], folder, env),
    remove: () => rm(folder, { recursive: true }),
  };
}

/** The compiler options of strict projects. The types of the package are checked as well. */
const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  rootDir: '.',
};

/** Copies the programs of test/sdk/programs/ to a project, and compiles them there. */
export async function compilePrograms({ folder }: Project): Promise<void> {
  await cp(fileURLToPath(new URL('programs/', import.meta.url)), folder, { recursive: true });
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await execute(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], folder);
}

/** Checks the types of a program with TypeScript 4.9, the oldest version that they are made for. */
export async function checkWithOldestTypeScript({ folder }: Project, file: string): Promise<void> {
  // The types of Node and the newer libraries are not readable by it.
  const readable = { ...compilerOptions, lib: ['es2022', 'dom', 'dom.iterable'], types: [], noEmit: true };
  const config = { compilerOptions: readable, files: [file] };
  await writeFile(join(folder, 'tsconfig.oldest.json'), JSON.stringify(config));
  const tsc = join(root, 'test/front-ends/node_modules/typescript-4.9/bin/tsc');
  await execute(process.execPath, [tsc, '-p', 'tsconfig.oldest.json'], folder);
}

/** Checks the types of a JavaScript file of a project, as an editor does. */
export async function checkTypes({ folder }: Project, file: string): Promise<void> {
  const { rootDir: _, ...options } = compilerOptions;
  const checked = { ...options, allowJs: true, checkJs: true, noImplicitAny: false, noEmit: true };
  await writeFile(join(folder, 'tsconfig.check.json'), JSON.stringify({ compilerOptions: checked, files: [file] }));
  await execute(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.check.json'], folder);
}

function execute(command: string, args: string[], cwd: string, env: Record<string, string> = {}): Promise<string> {
  const own = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS|VITEST)/.test(name)),
  );
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, env: { ...own, ...env } }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`));
      else resolve(stdout);
    });
  });
}
