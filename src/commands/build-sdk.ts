import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { print, printError } from './output.ts';
import { generate } from '../sdk/generate.ts';

// npm run -s sdk -- --out DIR: generates, compiles, and packs @kontor/sdk. Prints the tarball's path.

const root = fileURLToPath(new URL('../../', import.meta.url));
const sdk = join(root, 'src/sdk');

async function build(out: string): Promise<string> {
  await generate();
  const folder = await mkdtemp(join(tmpdir(), 'kontor-sdk-'));
  try {
    const emit = ['--noEmit', 'false', '--rootDir', join(sdk, 'client'), '--outDir', join(folder, 'dist')];
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', join(sdk, 'client'), ...emit], { stdio: ['ignore', 2, 2] });
    await nameCompiledModules(join(folder, 'dist'));
    await cp(join(sdk, 'README.md'), join(folder, 'README.md'));
    await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    await writeFile(join(folder, 'package.json'), JSON.stringify(await manifest(), null, 2));
    await mkdir(out, { recursive: true });
    const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', out], {
      cwd: folder,
      encoding: 'utf8',
    });
    return join(out, packed.trim());
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Makes the declarations name `.js` instead of `.ts`, which the compiler changes in the code only, and write type exports as
 * ordinary ones. TypeScript before 5.0 reads neither.
 */
async function nameCompiledModules(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue;
    const text = await readFile(join(folder, name), 'utf8');
    const readable = text
      .replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'")
      .replaceAll(/^export type \* from/gm, 'export * from');
    await writeFile(join(folder, name), readable);
  }
}

const ownManifest = z.object({ version: z.string(), license: z.string() });

async function manifest(): Promise<object> {
  const own = ownManifest.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  return {
    name: '@kontor/sdk',
    version: own.version,
    description: 'Client of the Kontor REST API, and verification of its webhooks',
    license: own.license,
    type: 'module',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    types: './dist/index.d.ts',
    files: ['dist'],
    sideEffects: false,
    engines: { node: '>=20' },
  };
}

const { values } = parseArgs({ options: { out: { type: 'string' } } });
if (values.out === undefined) {
  printError('npm run -s sdk -- --out DIR');
  process.exitCode = 2;
} else {
  print(await build(resolve(values.out)));
}
