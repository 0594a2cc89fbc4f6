import { spawnSync } from 'node:child_process';

/** Set where the test of the benchmark must not be left out: `.ci/run`. */
const requireWrk = process.env['REQUIRE_WRK'] === '1';

/** Whether there is no load generator, and nobody minds. */
export const noWrk = !requireWrk && spawnSync('wrk', ['--version']).error !== undefined;
