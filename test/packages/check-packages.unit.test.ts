import { expect, it } from 'vitest';
import { findLicenceFaults, findLockFaults } from '../../src/packages/check-packages.ts';
import { root } from '../../src/packages/pack.ts';
import { listShipped } from '../../src/packages/shipped.ts';
import { isPermitted } from '../../src/packages/permitted.ts';

it('each package that is shipped has a permitted licence, and its text', () => {
  expect(findLicenceFaults(root)).toEqual([]);
});

it('what only a build needs is not shipped, nor what that consists of on each machine', () => {
  const names = listShipped().map(({ name }) => name);
  expect(names).toContain('qrcode');
  expect(names.filter((name) => /^(@?typescript|vite|prisma)(\/|$)/.test(name))).toEqual([]);
});

it('a licence is permitted if a choice of it is, as a whole', () => {
  expect(['MIT', '(MIT OR GPL-3.0)', 'MIT AND OFL-1.1', 'GPL-3.0 OR MIT AND ISC'].filter(isPermitted)).toHaveLength(4);
  expect(['GPL-3.0', 'MIT AND GPL-3.0', 'unknown', '', 'UNLICENSED', 'SEE LICENSE IN x'].filter(isPermitted)).toEqual(
    [],
  );
});

it('a package without a strong hash is found, and an install script that nobody decided on', () => {
  const integrity = 'sha512-x';
  expect(
    findLockFaults(
      [
        ['', {}],
        ['node_modules/good', { integrity, hasInstallScript: true }],
        ['node_modules/inner', { inBundle: true }],
        ['node_modules/none', {}],
        ['node_modules/weak', { integrity: 'sha1-x' }],
        ['node_modules/a/node_modules/@b/c', { integrity, hasInstallScript: true }],
        ['node_modules/constructor', { integrity, hasInstallScript: true }],
      ],
      { good: false },
    ),
  ).toEqual([
    'node_modules/none has no hash of its content',
    'node_modules/weak has no hash of its content',
    "@b/c has an install script: decide in package.json's allowScripts",
    "constructor has an install script: decide in package.json's allowScripts",
  ]);
});
