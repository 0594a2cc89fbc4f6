import { existsSync } from 'node:fs';

const isInstalled = existsSync(new URL('node_modules', import.meta.url));

/** Whether the tests of front ends are left out, because their packages are not installed and not required. */
export const noFrontEnds = !isInstalled && process.env['REQUIRE_FRONT_ENDS'] !== '1';
