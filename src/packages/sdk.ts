import { execFileSync } from 'node:child_process';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from '../sdk/generate.ts';
import { manifest, pack, root } from './pack.ts';

const sdk = join(root, 'src/sdk');

/** Generates, compiles, and packs @kontor/sdk. @returns the tarball's path */
export const buildSdk = (out: string, name: string): Promise<string> =>
  pack(out, name, async (folder) => {
    await generate();
    const emit = ['--noEmit', 'false', '--rootDir', join(sdk, 'client'), '--outDir', join(folder, 'dist')];
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', join(sdk, 'client'), ...emit], { stdio: ['ignore', 2, 2] });
    await nameCompiledModules(join(folder, 'dist'));
    await cp(join(sdk, 'README.md'), join(folder, 'README.md'));
    return {
      ...(await manifest('@kontor/sdk', 'Client of the Kontor REST API, and verification of its webhooks')),
      exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
      types: './dist/index.d.ts',
      sideEffects: false,
    };
  });

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
