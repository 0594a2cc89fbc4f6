import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/global-setup.ts',
    setupFiles: 'test/every-statement.ts',
    reporters: ['default', './test/left-out.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Node runs TypeScript itself: what is tested is what runs.
    experimental: { viteModuleRunner: false },
  },
});
