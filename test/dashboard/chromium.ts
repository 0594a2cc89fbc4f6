import { existsSync } from 'node:fs';

/** Set where the tests in a browser must not be left out: `.ci/run`. */
export const requireBrowser = process.env['REQUIRE_BROWSER'] === '1';

const find = (...names: string[]): string | undefined =>
  [process.env['CHROMIUM'], ...names.map((name) => `/usr/bin/${name}`)].find(
    (path) => path !== undefined && existsSync(path),
  );

/** Debian's Chromium, or another named by CHROMIUM. */
export const chromiumPath = (): string | undefined => find('chromium', 'chromium-browser', 'google-chrome');

/** A build without windows, which takes a third less of the processor but shows no PDF. Where it is missing, the other. */
export const headlessPath = (): string | undefined => find('chromium-headless-shell') ?? chromiumPath();
