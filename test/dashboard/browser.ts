import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { chromiumPath, headlessPath, requireBrowser } from './chromium.ts';

/** Whether browser tests are skipped, because Chromium is missing and not required. */
export const noBrowser = headlessPath() === undefined && !requireBrowser;
/** The same for tests that look at a PDF in it. */
export const noPdfViewer = chromiumPath() === undefined && !requireBrowser;

/** Launches Chromium. It can't reach other machines. */
export async function launch({ showsPdfs = false } = {}): Promise<Browser> {
  const executablePath = showsPdfs ? chromiumPath() : headlessPath();
  if (!executablePath || !existsSync(executablePath))
    throw new Error('REQUIRE_BROWSER is set, and Chromium is missing');
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
}

export const phone = { width: 380, height: 800 };
export const desktop = { width: 1280, height: 900 };

/** The errors of a page: console errors, policy violations, and requests to other hosts. */
export interface Watch {
  errors: string[];
  /** Errors that a test expects, such as the 401 after a wrong password. */
  allowed: RegExp[];
}

/** Opens a page of the service, and records its errors. */
export async function open(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; watch: Watch; close: () => Promise<void> }> {
  const context = await browser.newContext({ baseURL: url, viewport: desktop, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(90_000);
  const watch: Watch = { errors: [], allowed: [] };
  const record = (text: string): void => {
    if (!watch.allowed.some((pattern) => pattern.test(text))) watch.errors.push(text);
  };
  context.on('console', (message) => {
    if (message.type() === 'error') record(`console: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => record(`error: ${error.error().stack}`));
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== url && !['data:', 'blob:'].includes(protocol)) record(`request to another host: ${request.url()}`);
  });
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
      // eslint-disable-next-line no-console
      console.error(`policy: ${violatedDirective} ${blockedURI} ${sourceFile}`);
    });
  });
  return { page: await context.newPage(), watch, close: () => context.close() };
}

/** Runs steps in a new page. Fails if the page has unexpected errors. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
  steps: Steps,
): Promise<void> {
  const visited = await open(browser, url, options);
  try {
    await runSteps(visited, steps);
  } finally {
    await visited.close();
  }
}

export type Steps = (page: Page, watch: Watch) => Promise<void>;

/** Runs steps in a page. Fails if it has unexpected errors. */
export async function runSteps({ page, watch }: { page: Page; watch: Watch }, steps: Steps): Promise<void> {
  try {
    await steps(page, watch);
    expect(watch.errors).toEqual([]);
  } catch (error) {
    if (watch.errors.length > 0) throw new Error(`Errors of the page:\n${watch.errors.join('\n')}`, { cause: error });
    if (error instanceof Error) error.message += `\n${await describe(page)}`;
    throw error;
  }
}

/** The address and the content of a page, for the message of a test that failed. */
async function describe(page: Page): Promise<string> {
  const content = await page
    .locator('body')
    .ariaSnapshot({ timeout: 10_000 })
    .catch((error: unknown) => String(error));
  return `The page was ${page.url()}:\n${content.slice(0, 5000)}`;
}

/** The one that AxeBuilder uses. */
const axeCore: { source: string } = createRequire(import.meta.resolve('@axe-core/playwright'))('axe-core');

/** The rules of axe-core whose results depend on colors. All others find the same in light and dark. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/**
 * The serious and critical violations that axe-core finds, one line each.
 * @param except a selector of third-party content that this project can't change
 * @param onlyColors checks only what depends on colors: for a page that was checked in the other color scheme
 */
export async function accessibilityViolations(
  page: Page,
  { except, onlyColors = false }: { except?: string; onlyColors?: boolean } = {},
): Promise<string[]> {
  // AxeBuilder would compile axe-core anew for each check. A document keeps it, and what V8 has optimized of it.
  if (await page.evaluate('!window.axe')) await page.evaluate(axeCore.source);
  // Without the legacy mode, axe-core opens another page each time, to merge the results of frames. There are none.
  const axe = new AxeBuilder({ page, axeSource: ';' }).options({ resultTypes: ['violations'] }).setLegacyMode();
  if (except !== undefined) axe.exclude(except);
  if (onlyColors) axe.withRules(colorRules);
  const { violations } = await axe.analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary}`),
    );
}

/** The number of pixels by which a page is wider than its window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
