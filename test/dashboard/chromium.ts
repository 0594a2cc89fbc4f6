import { existsSync } from 'node:fs';

/** Set where the tests in a browser must not be left out: `.ci/run`. */
export const requireBrowser = process.env['REQUIRE_BROWSER'] === '1';

/** Debian's Chromium, or another named by CHROMIUM. */
export const chromiumPath = (): string | undefined =>
  [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
    (path) => path !== undefined && existsSync(path),
  );
