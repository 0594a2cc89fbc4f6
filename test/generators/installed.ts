import { existsSync } from 'node:fs';

const isInstalled = existsSync(new URL('node_modules', import.meta.url));

/** Whether the test of generated clients is left out, because its packages are not installed and not required. */
export const noGenerators = !isInstalled && process.env['REQUIRE_GENERATORS'] !== '1';
