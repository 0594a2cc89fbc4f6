import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { version } from '../../schema/version.ts';

// Common parts of the npm packages. Nothing in a package depends on the day or the machine, so its bytes are the same.

export const root = fileURLToPath(new URL('../../', import.meta.url));

const ownManifest = z.object({ license: z.string() });

/** The common part of a package's manifest. */
export async function manifest(name: string, description: string): Promise<object> {
  const { license } = ownManifest.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    files: ['dist'],
    engines: { node: '>=20' },
    publishConfig: { access: 'public', provenance: true },
  };
}

/**
 * Packs a package.
 * @param fill writes its files to a folder, and returns its manifest
 * @param name of the tarball, in `out`
 * @returns the tarball's path
 */
export async function pack(out: string, name: string, fill: (folder: string) => Promise<object>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-package-'));
  try {
    const itsManifest = await fill(folder);
    await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    await writeFile(join(folder, 'package.json'), JSON.stringify(itsManifest, null, 2));
    // npm gives its scripts settings of their own, such as the folder of `npm ci --prefix`.
    const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('npm_')));
    const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
    const packed = execFileSync('npm', args, { cwd: folder, env, encoding: 'utf8' }).trim();
    // Who reads it meanwhile reads the whole file, the old one or the new one.
    const draft = join(out, `${name}.${process.pid}`);
    await cp(join(folder, packed), draft);
    await rename(draft, join(out, name));
    return join(out, name);
  } finally {
    await rm(folder, { recursive: true });
  }
}
