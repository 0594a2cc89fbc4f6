import type { Browser, Page } from 'playwright-core';
import { forTenant } from '../../prisma/client.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiGroup, readContents } from '../../src/pages/contents.ts';
import { startService, type Service } from '../harness.ts';
import { fromOurPage, password, makeUser, signedIn } from '../identity/browser.ts';
import { makeTestTenant } from '../test-tenants/make.ts';
import { signInByCookie } from './app.ts';
import { accessibilityViolations, desktop, launch, noBrowser, open, overflow, phone, visit } from './browser.ts';

const toPath = ({ slug }: { slug: string }): string => `/docs/${slug}`;
const guides = readContents().flatMap(({ title, pages: all }) => (title === apiGroup ? [] : all.map(toPath)));
// One generator makes the pages of the API reference: these stand for all.
const reference = ['/docs/api', '/docs/api-invoices', '/docs/api-changes', '/docs/api-exports'];
const pages = ['/docs', ...guides, ...reference, '/changelog', '/docs/not-a-page'];
const widths = [1440, 768, 390];

/** The guides before and after one. */
function neighboursOf(path: string): { prev?: string; next?: string } {
  const at = guides.indexOf(path);
  const [prev, next] = [guides[at - 1], guides[at + 1]];
  return { ...(prev && { prev }), ...(next && { next }) };
}

/** Where the links of a guide to the one before and the one after lead. */
const readNeighbours = async (page: Page): Promise<object> =>
  Object.fromEntries(
    await page
      .getByRole('navigation', { name: 'Previous and next page' })
      .getByRole('link')
      .evaluateAll((links: HTMLAnchorElement[]) => links.map(({ rel, pathname }) => [rel, pathname])),
  );

// Zod, inside Scalar, tests whether it may compile its checks. The violation has no effect.
const zodEvalTest = /policy: script-src eval .*scalar/;

describe.skipIf(noBrowser)('documentation in a browser', { timeout: 120_000 }, () => {
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
  });
  afterAll(() => Promise.all([service?.close(), browser?.close()]));

  describe('one after the other', () => {
    /** All are visited in one window: each other would start a process of its own. */
    let visited: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      visited = await open(browser, service.url);
      visited.watch.allowed.push(/not-a-page/);
    });
    afterAll(() => visited?.close());

    it.each(pages)('%s is accessible, in light and dark, on a desktop and on a phone', async (path) => {
      const { page, watch } = visited;
      watch.errors.length = 0;
      await page.goto(path);
      if (guides.includes(path)) expect(await readNeighbours(page)).toEqual(neighboursOf(path));
      for (const viewport of [desktop, phone]) {
        await page.setViewportSize(viewport);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await accessibilityViolations(page, { onlyColors: colorScheme === 'dark' })).toEqual([]);
          expect(await overflow(page)).toBe(0);
        }
      }
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        expect([width, await overflow(page)]).toEqual([width, 0]);
        const cut = await page.$$eval('.bar a, .text pre', (all) =>
          all.filter(
            (each) => each.getBoundingClientRect().right > innerWidth || each.scrollWidth > each.clientWidth + 1,
          ),
        );
        expect([width, cut.length]).toEqual([width, 0]);
      }
      expect(watch.errors).toEqual([]);
    });
  });

  it('the theme is that of the system, or the chosen one, on the next page from its first painting', async () => {
    await visit(browser, service.url, { colorScheme: 'dark' }, async (page) => {
      const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const [white, dark] = ['rgb(255, 255, 255)', 'rgb(22, 25, 29)'];
      await page.goto('/docs');
      expect(await ground()).toBe(dark);
      await page.getByLabel('Theme').selectOption('Light');
      expect(await ground()).toBe(white);
      // The script that paints nothing else first: the body has no other colour when it begins.
      await page.addInitScript(() => {
        const colors: string[] = [];
        Object.assign(window, { colors });
        new MutationObserver(() => {
          if (document.body) colors.push(getComputedStyle(document.body).backgroundColor);
        }).observe(document, { childList: true, subtree: true });
      });
      await page.goto('/docs/webhooks');
      expect(await page.evaluate(() => [...new Set((window as unknown as { colors: string[] }).colors)])).toEqual([
        white,
      ]);
      expect(await page.getByLabel('Theme').inputValue()).toBe('light');
      expect(await page.evaluate(() => localStorage.getItem('kontor-color-scheme'))).toBe('light');
      await page.getByLabel('Theme').selectOption('System');
      expect(await ground()).toBe(dark);
      // A value that another program left there is no theme.
      await page.evaluate(() => localStorage.setItem('kontor-color-scheme', '"><img src=x>'));
      await page.reload();
      expect([await ground(), await page.getByLabel('Theme').inputValue()]).toEqual([dark, 'auto']);
    });
  });

  it('samples show a reader’s own test token once they ask for it, in this tab, while they are signed in', async () => {
    const reader = await signedIn(service);
    const tenantId = await makeTestTenant(service, reader, 'Try');
    await service.client.membership.create({ data: { tenantId, userId: reader.userId } });
    await visit(browser, service.url, {}, async (page) => {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      const offer = page.getByRole('button', { name: 'Show my test token in the samples' });
      const samples = async (on = page): Promise<string> =>
        (await on.locator('.text pre').allTextContents()).join('\n');
      await page.goto('/docs/quick-start', { waitUntil: 'networkidle' });
      const plain = await samples();
      expect(plain).toContain('"Authorization: Bearer $TOKEN"');
      expect([await offer.count(), asked.filter((path) => path.startsWith('/api/'))]).toEqual([0, []]);

      await signInByCookie(page, reader.browser.cookie ?? '');
      await page.goto('/docs/quick-start');
      expect(await accessibilityViolations(page)).toEqual([]);
      await offer.click();
      await page.getByText('The samples have your token of the test tenant Try, for a day.').waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      const shown = await samples();
      const [token = ''] = /kontor_test_[0-9A-Za-z]{46}/.exec(shown) ?? [];
      for (const text of [`export TOKEN=${token}`, `Bearer ${token}"`, `token: '${token}'`, `'${token}'`])
        expect(shown).toContain(text);
      expect(shown).not.toMatch(/\$TOKEN|env\.TOKEN|environ\['TOKEN|getenv\('TOKEN/);
      expect(await page.evaluate(() => JSON.stringify(localStorage) + document.cookie)).not.toContain(token);

      await page.goto('/docs/webhooks');
      await page.getByText('The samples have your token').waitFor();
      expect(await samples()).toContain(token);
      const beside = await page.context().newPage();
      await beside.goto('/docs/quick-start');
      await beside.getByRole('button', { name: 'Show my test token in the samples' }).waitFor();
      expect(await samples(beside)).toBe(plain);
      await beside.close();
      expect(await service.client.apiToken.count({ where: { userId: reader.userId } })).toBe(1);

      await page.context().clearCookies();
      await page.goto('/docs/quick-start', { waitUntil: 'networkidle' });
      expect([await samples(), await offer.count()]).toEqual([plain, 0]);
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    });
  });

  it('the search opens by / or Ctrl-K, is used from the keyboard, and opens a heading', async () => {
    await visit(browser, service.url, {}, async (page) => {
      const loaded: string[] = [];
      page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
      await page.goto('/docs/quick-start');
      expect(loaded.filter((path) => /minisearch|search-index/.test(path))).toEqual([]);
      const input = page.getByRole('combobox', { name: 'Search the documentation' });
      const options = page.getByRole('dialog').getByRole('option');
      const chosen = page.getByRole('dialog').getByRole('option', { selected: true });
      await page.keyboard.press('Control+k');
      await input.waitFor();
      await page.getByRole('status').getByText('Arrow keys choose').waitFor();
      expect(await input.getAttribute('aria-expanded')).toBe('false');
      await page.keyboard.press('Escape');
      expect(await input.isVisible()).toBe(false);

      await page.keyboard.press('/');
      await page.keyboard.type('rotáte secret');
      await options.first().waitFor();
      expect(await input.getAttribute('aria-expanded')).toBe('true');
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await chosen.innerText()).toMatch(/^Webhooks\s+A new secret\s/);
      const active = (): Promise<string | null> => input.getAttribute('aria-activedescendant');
      expect(await active()).toBe('found-0');
      await page.keyboard.press('ArrowUp');
      expect([await active(), await chosen.count()]).toEqual([`found-${(await options.count()) - 1}`, 1]);
      await page.keyboard.press('ArrowDown');
      expect(await active()).toBe('found-0');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/docs/webhooks#a-new-secret');

      // On the same page: the dialog closes, the heading is in sight and focused; a slash that is typed opens nothing.
      await page.getByRole('button', { name: 'Search' }).click();
      await input.fill('out of order');
      await chosen.getByText('Twice, late, and out of order').waitFor();
      await page.keyboard.press('/');
      expect(await input.inputValue()).toBe('out of order/');
      await page.keyboard.press('Backspace');
      await chosen.getByText('Twice, late, and out of order').click();
      await page.waitForURL('**#twice-late-and-out-of-order');
      expect(await input.isVisible()).toBe(false);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('twice-late-and-out-of-order');
      expect(loaded.filter((path) => /search-index/.test(path)).length).toBeLessThanOrEqual(2);
    });
  });

  it('the search shows what is typed as text, fits on a phone, and says that it can’t be loaded', async () => {
    await visit(browser, service.url, { viewport: { width: 390, height: 700 } }, async (page, watch) => {
      await page.goto('/docs/quick-start?q=<img src=x>#<img src=x>');
      await page.route('**/search-index*', (route) => route.abort());
      watch.allowed.push(/search-index/);
      await page.getByRole('button', { name: 'Search' }).click();
      const input = page.getByRole('combobox', { name: 'Search the documentation' });
      await page.getByText('The search can’t be loaded').waitFor();
      await page.unroute('**/search-index*');
      await input.fill('<img src=x onerror=alert(1)>zzzzqqq');
      const hostile = page.locator('dialog img, dialog script');
      await expect.poll(() => page.getByRole('dialog').getByRole('status').textContent()).toMatch(/result|Nothing is/);
      expect(await hostile.count()).toBe(0);
      await input.fill('<qqzzq>zzzzqqq</qqzzq>');
      await page.getByText('Nothing is found for “<qqzzq>zzzzqqq</qqzzq>”.').waitFor();
      expect(await page.getByRole('dialog').getByRole('option').count()).toBe(0);
      await input.fill('backup');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
      expect(await overflow(page)).toBe(0);
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Close' }).click();
      expect(await input.isVisible()).toBe(false);
    });
  });

  it('samples are tabs: one choice for all, from the keyboard, kept for other pages', async () => {
    await visit(browser, service.url, {}, async (page) => {
      await page.goto('/docs/quick-start');
      const lists = page.getByRole('tablist', { name: 'Language' });
      const chosen = (): Promise<string[]> => page.getByRole('tab', { selected: true }).allInnerTexts();
      const shown = (): Promise<string[]> =>
        page
          .locator('[role=tabpanel]:visible pre')
          .evaluateAll((all) => all.map((each) => each.dataset['language'] ?? ''));
      const four = (name: string): string[] => [name, name, name, name];
      expect(await lists.count()).toBe(4);
      expect([await chosen(), await shown()]).toEqual([four('curl'), four('sh')]);
      const tab = (name: string) => lists.nth(2).getByRole('tab', { name });
      await tab('curl').focus();
      const top = (): Promise<number> => lists.nth(2).evaluate((each) => Math.round(each.getBoundingClientRect().top));
      const before = await top();
      await page.keyboard.press('ArrowRight');
      expect([await chosen(), await shown(), await top()]).toEqual([four('SDK'), four('js'), before]);
      for (const [key, name] of [
        ['End', 'PHP'],
        ['ArrowRight', 'curl'],
        ['ArrowLeft', 'PHP'],
        ['Home', 'curl'],
        ['ArrowLeft', 'PHP'],
        ['ArrowLeft', 'Python'],
      ] as const) {
        await page.keyboard.press(key);
        expect([await chosen(), await page.evaluate(() => document.activeElement?.textContent)]).toEqual([
          four(name),
          name,
        ]);
      }
      // Tab leaves the list for the panel that belongs to it.
      await page.keyboard.press('Tab');
      const panel = await page.evaluate(() => document.activeElement?.getAttribute('aria-labelledby'));
      expect(panel).toBe(await tab('Python').getAttribute('id'));
      expect(await accessibilityViolations(page)).toEqual([]);

      await page.goto('/docs/webhooks');
      expect(await chosen()).toEqual(['Python']);
      await page.getByRole('tab', { name: 'Ruby' }).click();
      // A page without that language keeps its first; nothing that is stored is more than compared.
      await page.goto('/docs/quick-start');
      expect(await chosen()).toEqual(four('curl'));
      await page.evaluate(() => localStorage.setItem('kontor-docs-language', '<img src=x>'));
      await page.reload();
      expect([await chosen(), await page.locator('main img').count()]).toEqual([four('curl'), 0]);
    });
  });

  it('pages lead to the one before and the one after, and a phone opens the list of all', async () => {
    await visit(browser, service.url, { viewport: phone }, async (page) => {
      await page.goto('/docs');
      const list = page.getByRole('navigation', { name: 'Pages' });
      expect(await list.isVisible()).toBe(false);
      const button = page.getByRole('button', { name: 'All pages' });
      await button.focus();
      await page.keyboard.press('Enter');
      await list.getByRole('link', { name: 'Quick start' }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      expect(await list.isVisible()).toBe(false);
      await button.click();
      await list.getByRole('link', { name: 'Quick start' }).click();
      const neighbours = page.getByRole('navigation', { name: 'Previous and next page' });
      await neighbours.locator('[rel=next]').click();
      await page.waitForURL(`**${guides[1]}`);
      await neighbours.locator('[rel=prev]').click();
      await page.waitForURL(`**${guides[0]}`);
    });
  });

  it('a guide works without JavaScript, and the keyboard can skip to its content', async () => {
    await visit(browser, service.url, { javaScriptEnabled: false }, async (page) => {
      await page.goto('/docs/quick-start');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/docs/quick-start#content');
      await page.getByRole('link', { name: 'A payment', exact: true }).first().click();
      await page.waitForURL('**/docs/quick-start#a-payment');
      // Samples in several languages stand one after the other, each with its name.
      expect(await page.locator('.tab:visible').count()).toBe(16);
      expect(await page.locator('.tab:visible .tab-name').allInnerTexts()).toEqual(
        Array.from({ length: 4 }, () => ['curl', 'SDK', 'Python', 'PHP']).flat(),
      );
    });
  });

  it('a button copies a code block and confirms it', async () => {
    await visit(browser, service.url, { permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await page.goto('/docs/quick-start');
      await page.getByRole('tab', { name: 'SDK' }).first().click();
      const blocks = page.locator('.text pre:visible');
      const buttons = page.getByRole('button', { name: 'Copy this code' });
      expect(await buttons.count()).toBe(await blocks.count());
      await buttons.first().click();
      await page.getByRole('status').getByText('The code is copied.').waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toBe(await blocks.first().textContent());
      expect(copied).toContain(`baseUrl: '${service.url}'`);
      await page.evaluate(() => navigator.clipboard.writeText(''));
      // On plain HTTP from another machine, browsers have no clipboard API.
      await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
      await buttons.nth(1).click();
      await page.getByRole('status').getByText('The code is copied.').waitFor();
    });
  });

  it('the API reference loads no megabyte, and leads to each request', async () => {
    await visit(browser, service.url, {}, async (page) => {
      let bytes = 0;
      page.on('response', (response) => {
        void response.body().then((body) => (bytes += body.length));
      });
      await page.goto('/docs/api');
      await page.getByRole('link', { name: 'Records a payment without a bank transaction' }).first().click();
      await page.waitForURL('**/docs/api-invoices#records-a-payment-without-a-bank-transaction');
      const heading = page.getByRole('heading', { name: 'Records a payment without a bank transaction' });
      expect((await heading.boundingBox())?.y).toBeLessThan(200);
      const bar = page.getByRole('navigation', { name: 'Documentation' });
      expect(await bar.locator('[aria-current]').allInnerTexts()).toEqual(['API reference']);
      await page.waitForLoadState('networkidle');
      expect(bytes).toBeLessThan(300_000);
    });
  });

  it('the console sends a request with a token, is accessible in light and dark, and fits on a phone', async () => {
    const { token } = await service.integrator({ name: 'Tried & Co' });
    await visit(browser, service.url, { colorScheme: 'dark' }, async (page, watch) => {
      watch.allowed.push(zodEvalTest);
      await page.goto('/docs/console');
      await page.getByPlaceholder('Token').first().fill(token);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await accessibilityViolations(page, { except: '#reference' })).toEqual([]);
      }
      await page.setViewportSize(phone);
      expect(await overflow(page)).toBe(0);
      await page.setViewportSize(desktop);
      await page.getByRole('button', { name: /Test Request.*\/me/ }).click();
      await page.getByRole('button', { name: /^Send/ }).filter({ visible: true }).first().click();
      await page.getByText('Tried & Co').first().waitFor();
    });
  });

  it('GraphiQL uses the session, and loads its code from the service', async () => {
    const { email, tenantId } = await makeUser(service);
    await forTenant(service.books, tenantId).customer.create({
      data: { type: 'CUSTOMER', companyName: 'Nordlicht Verlag' },
    });
    await visit(browser, service.url, {}, async (page) => {
      await page.request.post('/api/auth/sign-in/email', { data: { email, password }, headers: fromOurPage });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(`/graphql?query=${encodeURIComponent('{ customers { nodes { companyName } } }')}`);
        await page.getByRole('button', { name: /Execute query/ }).click();
        await page.getByText('"Nordlicht Verlag"').waitFor();
        expect(page.workers().length).toBeGreaterThan(0);
        // GraphiQL's tabs contain a button, which this project can't change.
        expect(
          (await accessibilityViolations(page)).filter((violation) => !violation.startsWith('nested-interactive')),
        ).toEqual([]);
      }
    });
  });
});
