import { defineConfig } from 'vitest/config';

// What takes minutes. Each prints its figures; one after the other, as they are after the machine's limits.
export default defineConfig({
  test: {
    include: ['test/reliability/**/*.test.ts'],
    globalSetup: 'test/global-setup.ts',
    setupFiles: 'test/every-statement.ts',
    fileParallelism: false,
    testTimeout: 60 * 60_000,
    hookTimeout: 10 * 60_000,
    disableConsoleIntercept: true, // progress, as it goes
    experimental: { viteModuleRunner: false },
  },
});
