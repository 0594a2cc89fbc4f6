import { defineConfig } from 'vitest/config';

// Tests that take minutes and print figures. They run one after the other, as they measure the machine's limits.
export default defineConfig({
  test: {
    include: ['test/reliability/**/*.test.ts'],
    globalSetup: 'test/global-setup.ts',
    setupFiles: 'test/every-statement.ts',
    env: { CAMPAIGN: 'long' },
    fileParallelism: false,
    testTimeout: 60 * 60_000,
    hookTimeout: 10 * 60_000,
    disableConsoleIntercept: true, // prints progress at once
    experimental: { viteModuleRunner: false },
  },
});
