import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { compileCache } from './test/compile-cache.ts';
import LongestFirst from './test/longest-first.ts';

// Modules are compiled once for all processes.
process.env['NODE_COMPILE_CACHE'] ??= compileCache;

const filesNamed = (...names: string[]): string[] => names.map((name) => `test/${name}.test.ts`);

const unit = 'test/**/*.unit.test.ts';
const system = 'test/**/*.system.test.ts';
const campaigns = 'test/reliability/*.test.ts';
/** Campaigns that the suite runs under other names, or that stop a cluster's servers, or, as that of the image, install all packages. */
const onlyInFull = [
  'bulk',
  'citus',
  'copy',
  'faults',
  'hostile-documents',
  'hostile-rest',
  'image',
  'operating',
  'soak',
  'sockets',
  'workers',
  'year',
].map((name) => `reliability/${name}`);

/** The first two replace a module that must not be loaded before. The others count the open sockets of their process. */
const apiApart = filesNamed(
  'identity/administration',
  'identity/invitations',
  ...['attempt-bodies', 'attempt-connections', 'attempt-responses', 'attempt-tls', 'name-lookup'].map(
    (name) => `webhooks/${name}`,
  ),
);
/** These replace a module, measure their process's memory, or run files that were run, with other connections. */
const systemApart = filesNamed(
  ...['backup/backup', 'bank/import-upload', 'bank/uploads', 'distributed/suite', 'pooler/suite'].map(
    (name) => `${name}.system`,
  ),
);

/** For tests with a PostgreSQL, and a database for each file. */
const database = {
  globalSetup: 'test/global-setup.ts',
  setupFiles: ['test/every-statement.ts', 'test/property-failures.ts'],
};
const allBut = (...files: string[]): { exclude: string[] } => ({ exclude: [...configDefaults.exclude, ...files] });

/** A test's name says what it needs; each project can be run by itself: `vitest run --project unit`. */
export default defineConfig({
  test: {
    projects: [
      // No database: parsers, money, signing, formats.
      { extends: true, test: { name: 'unit', include: [unit] } },
      // A service in the tests' process.
      {
        extends: true,
        test: {
          name: 'api',
          include: ['test/**/*.test.ts'],
          ...allBut(unit, system, campaigns, ...apiApart),
          ...database,
        },
      },
      { extends: true, test: { name: 'api-apart', include: apiApart, isolate: true, ...database } },
      // Processes, faults, a browser, a pooler.
      {
        extends: true,
        test: { name: 'system', include: [system], ...allBut(...systemApart), ...database },
      },
      { extends: true, test: { name: 'system-apart', include: systemApart, isolate: true, ...database } },
      // Each for seconds. `npm run test:reliability` runs them in full.
      {
        extends: true,
        test: {
          name: 'campaigns',
          include: [campaigns],
          ...allBut(...filesNamed(...onlyInFull)),
          ...database,
        },
      },
    ],
    // A process runs many files, one after the other, because loading the service takes longer than many a file's tests.
    isolate: false,
    reporters: ['default', './test/left-out.ts'],
    sequence: { sequencer: LongestFirst },
    // Tests wait for PostgreSQL, processes, and a browser some of the time. As many workers as cores would idle.
    maxWorkers: availableParallelism() + 1,
    // These end a test that hangs. No promise of ours depends on them, so they leave room for a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Node runs TypeScript itself, so that tests run the same code as production.
    experimental: { viteModuleRunner: false },
  },
});
