import { join } from 'node:path';
import { readThirdParty } from './licences.ts';
import { isPermitted } from './permitted.ts';
import { listShipped, parsePackageName, type Locked } from './shipped.ts';

/** Finds the faults in the licences of packages that are shipped. @param root of the project */
export const findLicenceFaults = (root: string): string[] =>
  listShipped().flatMap(({ folder, name, version }) => {
    if (folder === undefined) return [];
    const { licence, text } = readThirdParty(join(root, folder));
    return [
      ...(isPermitted(licence) ? [] : [`${name} ${version} has the licence ${licence} (src/packages/permitted.ts)`]),
      ...(text === undefined ? [`${name} ${version} has no licence file (src/packages/without-licence-file.ts)`] : []),
    ];
  });

/**
 * Finds the faults of a lock file: packages without a strong hash, and install scripts that nobody decided on.
 * @param decided `allowScripts` of package.json; undefined where scripts never run
 */
export const findLockFaults = (
  packages: readonly [folder: string, entry: Locked][],
  decided: Record<string, boolean> | undefined,
): string[] =>
  packages.flatMap(([folder, { name = parsePackageName(folder), integrity, inBundle, hasInstallScript }]) => {
    if (folder === '') return [];
    return [
      ...(inBundle || integrity?.startsWith('sha512-') ? [] : [`${folder} has no hash of its content`]),
      ...(hasInstallScript && decided && !Object.hasOwn(decided, name)
        ? [`${name} has an install script: decide in package.json's allowScripts`]
        : []),
    ];
  });
