import { existsSync } from 'node:fs';

/** Set where the tests in a browser must not be left out: `.ci/run`. */
export const requireBrowser = process.env['REQUIRE_BROWSER'] === '1';

/** Those that draw no window come first: a window's own toolbar is a page too, and is loaded with each page. */
const usual = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Debian's Chromium, or another named by CHROMIUM. */
export const chromiumPath = (): string | undefined =>
  [process.env['CHROMIUM'], ...usual.map((name) => `/usr/bin/${name}`)].find(
    (path) => path !== undefined && existsSync(path),
  );
