import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readBundled } from './bundled.ts';
import { root } from './pack.ts';

export const locked = z.object({
  name: z.string().optional(),
  version: z.string().optional(),
  integrity: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().optional(),
  optional: z.boolean().optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
  devOptional: z.boolean().optional(),
  inBundle: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
});
export type Locked = z.infer<typeof locked>;

/** The packages of a lock file, by folder; the first is the project itself. */
export function readLock(folder: string): [folder: string, entry: Locked][] {
  const { packages } = z
    .object({ packages: z.record(z.string(), locked) })
    .parse(JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')));
  const entries = Object.entries(packages);
  // npm doesn't mark the programs for each machine that TypeScript consists of, though it marks TypeScript.
  const optional = (isFor: boolean): Set<string> =>
    new Set(
      entries
        .filter(([, entry]) => isForBuild(entry) === isFor)
        .flatMap(([, { optionalDependencies }]) => Object.keys(optionalDependencies ?? {})),
    );
  const [ofBuild, ofService] = [optional(true), optional(false)];
  return entries.map(([path, entry]) => {
    const name = parsePackageName(path);
    return [path, ofBuild.has(name) && !ofService.has(name) ? { ...entry, devOptional: true } : entry];
  });
}

/** Whether only development needs it. `devOptional` is what a package that the service needs would use if it were there. */
export const isForBuild = ({ dev, devOptional }: Locked): boolean => dev === true || devOptional === true;

interface Shipped {
  name: string;
  version: string;
  /** Undefined where it is not installed here, as what is for other machines. */
  folder: string | undefined;
}

/** Lists the packages that are installed with Kontor or are in a bundle of it. @throws if the bundles are not built */
export function listShipped(): Shipped[] {
  const bundled = readBundled();
  return readLock(root).flatMap(([folder, entry]) => {
    const { name, version } = entry;
    if (folder === '' || version === undefined || (isForBuild(entry) && !bundled.has(folder))) return [];
    const isHere = existsSync(join(root, folder, 'package.json'));
    return [{ name: name ?? parsePackageName(folder), version, folder: isHere ? folder : undefined }];
  });
}

/** `node_modules/a/node_modules/@b/c` → `@b/c` */
export const parsePackageName = (folder: string): string => folder.slice(folder.lastIndexOf('node_modules/') + 13);
