import type { BrowserContextOptions, Page } from 'playwright-core';
import { addExistingUser, createTenant, createToken } from '../../src/identity/index.ts';
import { enter } from '../identity/browser.ts';
import { asIntegrator, type Integrator } from '../harness.ts';
import { follow, signInByCookie, waitUntilIdle, type App } from './app.ts';
import { desktop, open, runSteps } from './browser.ts';

/** Pages that have loaded the dashboard. The tests of a file use them one after the other. */
export interface KeptPages {
  /** Creates a tenant of a test's own. All have the same user, who is signed in, and opens their pages. */
  bookkeeper: () => Promise<{ acme: Integrator; open: (page: Page, path: string) => Promise<void> }>;
  /**
   * Runs steps as App.visit() does, but in the page that earlier steps with these options have left, at any size. A test that
   * sets a clock, has init scripts, or changes what the browser keeps would disturb the next one: it uses App.visit().
   */
  visit: App['visit'];
}

/**
 * Most of a short test's time in a browser is the dashboard's scripts, which each new page loads and runs, and signing in. Here
 * they come once for a file. Each tenant has a client and a cache of its own in the dashboard, too; the app closes the pages.
 */
export function keepPages(app: App): KeptPages {
  const kept = new Map<string, Awaited<ReturnType<typeof open>>>();
  let user: Promise<{ email: string; tenantId: string; userId: string; cookie: string }> | undefined;
  const signIn = async () => {
    const person = await app.newUser();
    const { cookie = '' } = await enter(app.service, person);
    return { ...person, cookie };
  };

  const bookkeeper = async () => {
    const { client } = app.service;
    const { email, userId, cookie } = await (user ??= signIn());
    const { id: tenantId } = await createTenant(client, { name: 'Acme' });
    await addExistingUser(client, { email, tenantId });
    const { id: tokenId, token } = await createToken(client, { tenantId });
    const acme = asIntegrator(app.service, { tenantId, userId, token, tokenId });
    return { acme, open: (page: Page, path: string) => openPath(page, cookie, `/${tenantId}${path}`) };
  };

  const visit: App['visit'] = async ({ viewport = desktop, ...options }, steps) => {
    const key = JSON.stringify(options);
    const visited = kept.get(key) ?? (await open(app.browser, app.service.url, options));
    kept.delete(key);
    try {
      await visited.page.setViewportSize(viewport ?? desktop);
      await runSteps(visited, steps);
      await tidy(visited.page, options);
      visited.watch.errors.length = 0;
      visited.watch.allowed.length = 0;
      kept.set(key, visited);
    } finally {
      if (!kept.has(key)) await visited.close();
    }
  };

  return { bookkeeper, visit };
}

/** Opens a path as a link does, if the page shows the dashboard already. */
async function openPath(page: Page, cookie: string, path: string): Promise<void> {
  if (page.url().startsWith('http')) {
    // A page that is loaded has no messages of the page before. They would cover what is beneath.
    await page.locator('.mantine-Notification-closeButton').evaluateAll((buttons: HTMLElement[]) => {
      for (const button of buttons) button.click();
    });
    return follow(page, path);
  }
  await signInByCookie(page, cookie);
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await waitUntilIdle(page);
}

/** Leaves nothing of a test but the scripts that are loaded. */
async function tidy(page: Page, { colorScheme = null }: BrowserContextOptions): Promise<void> {
  const context = page.context();
  await context.setOffline(false);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.emulateMedia({ colorScheme });
  await page.mouse.move(0, 0);
  await page.evaluate(() => {
    sessionStorage.clear();
    for (const key of Object.keys(localStorage)) if (key !== 'kontor-signed-in') localStorage.removeItem(key);
  });
}
