import { existsSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { requireBrowser, whereChromiumIs } from './chromium.ts';

/** Whether there is nothing to test with, and nobody minds. */
export const noBrowser = whereChromiumIs() === undefined && !requireBrowser;

/** Debian's Chromium, which can't reach anything but this machine. */
export async function launch(): Promise<Browser> {
  const executablePath = whereChromiumIs();
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
export const desk = { width: 1280, height: 900 };

/** What a page under test may not do: complain, break its policy, or ask anybody but the service. */
export interface Watch {
  complaints: string[];
  /** Console errors that a step is about, such as the 401 of a wrong password. */
  expecting: RegExp[];
}

/** Opens a page on the service, watched from its first byte. */
export async function open(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; watch: Watch; close: () => Promise<void> }> {
  const context = await browser.newContext({ baseURL: url, viewport: desk, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(30_000);
  const watch: Watch = { complaints: [], expecting: [] };
  const complain = (text: string): void => {
    if (!watch.expecting.some((pattern) => pattern.test(text))) watch.complaints.push(text);
  };
  context.on('console', (message) => {
    if (message.type() === 'error') complain(`console: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => complain(`error: ${error.error().stack}`));
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== url && !['data:', 'blob:'].includes(protocol)) complain(`asks another host: ${request.url()}`);
  });
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
      // eslint-disable-next-line no-console
      console.error(`policy: ${violatedDirective} ${blockedURI} ${sourceFile}`);
    });
  });
  return { page: await context.newPage(), watch, close: () => context.close() };
}

/** Opens a page for one piece of work, and fails if it had anything to complain of. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
  work: (page: Page, watch: Watch) => Promise<void>,
): Promise<void> {
  const { page, watch, close } = await open(browser, url, options);
  try {
    await work(page, watch);
    expect(watch.complaints).toEqual([]);
  } catch (error) {
    if (watch.complaints.length > 0)
      throw new Error(`The page complained:\n${watch.complaints.join('\n')}`, { cause: error });
    throw error;
  } finally {
    await close();
  }
}

/**
 * What axe-core finds that is serious or worse, one line each.
 * @param except a selector of what others have made, and nobody here can mend
 */
export async function barriers(page: Page, except?: string): Promise<string[]> {
  const axe = new AxeBuilder({ page });
  const { violations } = await (except ? axe.exclude(except) : axe).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary}`),
    );
}

/** By how many pixels a page is wider than its window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
