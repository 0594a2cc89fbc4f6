import { existsSync } from 'node:fs';

/** Set where the tests in a browser must not be left out: `.ci/run`. */
export const requireBrowser = process.env['REQUIRE_BROWSER'] === '1';

const places = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
);

/** Debian's Chromium, or another named by CHROMIUM. Its build without windows takes the least time. */
export const chromiumPath = (): string | undefined =>
  [process.env['CHROMIUM'], ...places].find((path) => path !== undefined && existsSync(path));
