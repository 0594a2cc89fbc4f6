import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { createToken } from '../../src/identity/index.ts';
import { enter, password as usualPassword, makeUser } from '../identity/browser.ts';
import { asIntegrator, startService, type Integrator, type Service } from '../harness.ts';
import { startReceiver, work, type Receiver } from '../webhooks/receiver.ts';
import { accessibilityViolations, launch, overflow, visit, type Watch } from './browser.ts';

/** A service with its worker, a webhook receiver, and a browser. */
export interface App {
  service: Service;
  receiver: Receiver;
  browser: Browser;
  /** Creates a user who is a member of these tenants, or of a new one. */
  newUser: (...tenantIds: string[]) => ReturnType<typeof makeUser>;
  /** Creates a user with a tenant and an API token. */
  bookkeeper: () => Promise<{ email: string; acme: Integrator }>;
  /** Runs steps in a new page; see visit(). */
  visit: (options: BrowserContextOptions, steps: (page: Page, watch: Watch) => Promise<void>) => Promise<void>;
  close: () => Promise<void>;
}

/** Sessions are limited to trusted documents, so that every document of the dashboard is shown to be one. */
export async function startApp(): Promise<App> {
  const [service, browser, receiver] = await Promise.all([
    startService({ sessionTrustedDocuments: true }),
    launch(),
    startReceiver(),
  ]);
  const worker = await work(service);
  return {
    service,
    receiver,
    browser,
    newUser: (...tenantIds) => makeUser(service, ...tenantIds),
    bookkeeper: async () => {
      const { email, tenantId, userId } = await makeUser(service);
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

/** Signs in by the form, and waits for the first page. */
export async function signIn(page: Page, email: string, at = '/', password = usualPassword): Promise<void> {
  await page.goto(at);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const navigation = page.getByRole('navigation', { name: 'Main', includeHidden: true }); // a phone hides it
  await navigation.waitFor({ state: 'attached' });
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** Signs in by a session cookie, for tests of something else. */
export async function signInByCookie(page: Page, cookie: string): Promise<void> {
  const [name = '', value = ''] = cookie.split('=', 2);
  await page.context().addCookies([{ name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Lax' }]);
  // Signing in sets this flag; see src/dashboard/session/auth.ts. Without it the sign-in page opens first.
  await page.context().addInitScript(() => {
    if (location.protocol === 'http:') localStorage.setItem('kontor-signed-in', 'yes');
  });
}

/** Creates a user with a tenant, whose pages are opened with a session cookie. */
export async function signedInBookkeeper(app: App) {
  const { email, acme } = await app.bookkeeper();
  const { cookie } = await enter(app.service, { email });
  const open = async (page: Page, path: string): Promise<void> => {
    await signInByCookie(page, cookie ?? '');
    await page.goto(`/${acme.tenantId}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await waitUntilIdle(page);
  };
  return { acme, open };
}

/** Issues an invoice to a new customer. */
export async function issueInvoice(acme: Integrator): Promise<{ id: string; number: string }> {
  const customer = await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Nordlicht Verlag' });
  const { body } = await acme.rest('POST', '/invoices', {
    customer_id: customer.body.data.id,
    invoice_date: '2026-01-31',
    status: 'issued',
    items: [{ title: 'Layout', quantity: 4.5, unit: 'h', unit_price_net: 85, vat_rate: 19 }],
  });
  return body.data;
}

/** Opens a page of the dashboard as a link on another does: a walk through many pages loads and runs its scripts once. */
export async function follow(page: Page, path: string): Promise<void> {
  const shown = page.url();
  // A link that changes only the query would keep the page as it is.
  if (shown.startsWith('http') && new URL(path, shown).pathname !== new URL(shown).pathname)
    await page.evaluate((to) => {
      history.pushState(null, '', to);
      dispatchEvent(new PopStateEvent('popstate'));
    }, path);
  else await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await waitUntilIdle(page);
}

/** Opens a page by the navigation, which is behind a button on a phone. */
export async function navigateTo(page: Page, name: string): Promise<void> {
  const burger = page.getByRole('button', { name: 'Navigation' });
  if (await burger.isVisible()) await burger.click();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** The name of the GraphQL operation that a request of the dashboard sends by hash. */
export const operationName = (request: Request): string | undefined =>
  /"operationName":"(\w+)"/.exec(request.postData() ?? '')?.[1];

/** Hides or shows the window. */
export const showWindow = (page: Page, state: 'hidden' | 'visible'): Promise<void> =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);

/** Waits until nothing is loading, and no animation runs. */
export async function waitUntilIdle(page: Page): Promise<void> {
  // A change of the color scheme starts its transition with the next frame.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.waitForFunction(
    () =>
      !document.querySelector('[aria-busy="true"], [data-stale="true"]') &&
      document.getAnimations().every(({ playState }) => playState !== 'running'),
  );
}

/** Waits until the page is idle, and has its listeners for keys and files: React adds them after it has painted. */
export async function waitForListeners(page: Page): Promise<void> {
  await waitUntilIdle(page);
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 10_000 })));
}

/** A file to choose or to drop. */
export interface Named {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** Drops files on the page, as from a folder. */
export async function drop(page: Page, files: Named[]): Promise<void> {
  await waitForListeners(page);
  const sent = files.map(({ buffer, ...file }) => ({ ...file, base64: buffer.toString('base64') }));
  await page.evaluate((all) => {
    const dataTransfer = new DataTransfer();
    for (const { name, mimeType, base64 } of all) {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      dataTransfer.items.add(new File([bytes], name, { type: mimeType }));
    }
    for (const type of ['dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
  }, sent);
}

/** Presses a key once the page is idle. */
export async function press(page: Page, key: string): Promise<void> {
  await waitForListeners(page);
  await page.keyboard.press(key);
}

/** Expects a page without accessibility violations and without horizontal scrolling. */
export async function expectAccessible(page: Page, { onlyColors = false } = {}): Promise<void> {
  await waitUntilIdle(page);
  expect([page.url(), await accessibilityViolations(page, { onlyColors })]).toEqual([page.url(), []]);
  expect([page.url(), await overflow(page)]).toEqual([page.url(), 0]);
}
