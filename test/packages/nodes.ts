import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const installed = ['20', '22', '24'].flatMap((version) => {
  const path = fileURLToPath(new URL(`node_modules/node${version}-${process.arch}/bin/node`, import.meta.url));
  return existsSync(path) ? [{ version, path }] : [];
});
/** The versions of Node that the packages promise to run on; without them, that of the tests. */
export const nodes = installed.length > 0 ? installed : [{ version: process.versions.node, path: process.execPath }];

/** Whether other versions of Node are left out, because they are not installed and not required. */
export const noNodes = installed.length < 3 && process.env['REQUIRE_NODES'] !== '1';
