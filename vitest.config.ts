import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/reliability/**'], // minutes: npm run test:reliability
    globalSetup: 'test/global-setup.ts',
    setupFiles: 'test/every-statement.ts',
    reporters: ['default', './test/left-out.ts'],
    // Tests wait for PostgreSQL, processes and a browser much of the time. One worker less than cores would idle.
    maxWorkers: '100%',
    // These end a test that hangs. No promise of ours depends on them, so they leave room for a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Node runs TypeScript itself: what is tested is what runs.
    experimental: { viteModuleRunner: false },
  },
});
