import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';

const database = { globalSetup: 'test/global-setup.ts', setupFiles: 'test/every-statement.ts' };
// Each file of tests has a process of its own: modules are compiled once for all of them.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'kontor-compile-cache');

const unit = 'test/**/*.unit.test.ts';
const system = 'test/**/*.system.test.ts';
const campaigns = 'test/reliability/*.test.ts';
/** Campaigns that the suite runs under other names, or, as that of the image, that install all packages. */
const onlyInFull = ['copy', 'faults', 'image', 'soak', 'sockets', 'workers'].map(
  (name) => `test/reliability/${name}.test.ts`,
);

/** A test's name says what it needs; each project can be run by itself: `vitest run --project unit`. */
export default defineConfig({
  test: {
    projects: [
      // No database: parsers, money, signing, formats.
      { extends: true, test: { name: 'unit', include: [unit], isolate: false } },
      // A service in the test's own process, on a database of its own.
      {
        extends: true,
        test: {
          name: 'api',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, unit, system, campaigns],
          ...database,
        },
      },
      // Processes, faults, a browser, a pooler.
      { extends: true, test: { name: 'system', include: [system], ...database } },
      // Each for seconds. `npm run test:reliability` runs them in full.
      {
        extends: true,
        test: {
          name: 'campaigns',
          include: [campaigns],
          exclude: [...configDefaults.exclude, ...onlyInFull],
          ...database,
        },
      },
    ],
    reporters: ['default', './test/left-out.ts'],
    // Tests wait for PostgreSQL, processes and a browser much of the time. One worker less than cores would idle.
    maxWorkers: '100%',
    // These end a test that hangs. No promise of ours depends on them, so they leave room for a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Node runs TypeScript itself, so that tests run the same code as production.
    experimental: { viteModuleRunner: false },
  },
});
