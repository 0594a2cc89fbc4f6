import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { enter, password as usualPassword, someone } from '../identity/browser.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import { startReceiver, work, type Receiver } from '../webhooks/receiver.ts';
import { barriers, launch, overflow, visit, type Watch } from './browser.ts';

/** The whole of it: service and worker, an endpoint that hears of events, and a browser. */
export interface App {
  service: Service;
  receiver: Receiver;
  browser: Browser;
  /** Someone who can sign in, a member of these tenants; of a new one when none is named. */
  someone: (...tenantIds: string[]) => ReturnType<typeof someone>;
  /** Someone with books of their own, and a token to fill them with. */
  bookkeeper: () => Promise<{ email: string; acme: Integrator }>;
  /** Opens a page for one piece of work; see visit(). */
  visit: (options: BrowserContextOptions, work: (page: Page, watch: Watch) => Promise<void>) => Promise<void>;
  close: () => Promise<void>;
}

export async function startApp(): Promise<App> {
  const [service, browser, receiver] = await Promise.all([startService(), launch(), startReceiver()]);
  const worker = await work(service);
  return {
    service,
    receiver,
    browser,
    someone: (...tenantIds) => someone(service, ...tenantIds),
    bookkeeper: async () => {
      const { email, tenantId, userId } = await someone(service);
      const { id: tokenId, token } = await createToken(service.client, { tenantId });
      return { email, acme: asIntegrator(service, { tenantId, userId, token, tokenId }) };
    },
    visit: (options, steps) => visit(browser, service.url, options, steps),
    close: async () => {
      await browser.close();
      await worker.stop();
      await Promise.all([service.close(), receiver.close()]);
    },
  };
}

/** Signs in as a user does, and waits until there are books. */
export async function signIn(page: Page, email: string, at = '/', password = usualPassword): Promise<void> {
  await page.goto(at);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'attached' });
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** Someone's cookie, given to the page where signing in isn't what is tested. */
export async function enterWith(page: Page, cookie: string): Promise<void> {
  const [name = '', value = ''] = cookie.split('=', 2);
  await page.context().addCookies([{ name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Lax' }]);
  // What signing in leaves behind, see auth.ts of the dashboard. Without it the way leads over the page to sign in.
  await page.context().addInitScript(() => {
    if (location.protocol === 'http:') localStorage.setItem('kontor-signed-in', 'yes');
  });
}

/** Someone with books of their own, whose pages can be opened without signing in at each. */
export async function signedInBookkeeper(app: App) {
  const { email, acme } = await app.bookkeeper();
  const { cookie } = await enter(app.service, { email });
  const open = async (page: Page, path: string): Promise<void> => {
    await enterWith(page, cookie ?? '');
    await page.goto(`/${acme.tenantId}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settle(page);
  };
  return { acme, open };
}

/** Follows the navigation, which a phone keeps behind a button. */
export async function go(page: Page, name: string): Promise<void> {
  const burger = page.getByRole('button', { name: 'Navigation' });
  if (await burger.isVisible()) await burger.click();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Waits until nothing is fetched, and nothing moves. */
export const settle = (page: Page): Promise<unknown> =>
  page.waitForFunction(
    () =>
      !document.querySelector('[aria-busy="true"], [data-stale="true"]') &&
      document.getAnimations().every(({ playState }) => playState !== 'running'),
  );

/** What no page may have, once it has settled: barriers, and more width than its window. */
export async function expectUsable(page: Page): Promise<void> {
  await settle(page);
  expect([page.url(), await barriers(page)]).toEqual([page.url(), []]);
  expect([page.url(), await overflow(page)]).toEqual([page.url(), 0]);
}
