import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeInvoice } from '../graphql/books.ts';
import { enter } from '../identity/browser.ts';
import type { Integrator } from '../harness.ts';
import { createInvitation } from '../../src/identity/index.ts';
import { follow, signInByCookie, startApp, waitUntilIdle, type App } from './app.ts';
import { accessibilityViolations, desktop, noBrowser, open, overflow, phone } from './browser.ts';
import { findEnglish } from './foreign-texts.ts';
import { layoutProblems } from './layout-problems.ts';
import { makeLongValues } from './long-values.ts';
import { textsIn } from './page-texts.ts';

// Each page in German. Whether one is accessible in dark, and on a desktop, layout.system.test.ts finds.

const inGerman = textsIn('de');
const source = readFileSync(new URL('../../src/dashboard/routes.tsx', import.meta.url), 'utf8');
const patterns = [...source.matchAll(/path: '([^']+)',\s+Page/g)].map(([, path = '']) => path);
const isAt = (pattern: string, path: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}(?:\\?|$)`).test(path);

describe.skipIf(noBrowser)('the languages of the dashboard', { timeout: 900_000 }, () => {
  let app: App;
  let acme: Integrator;
  let cookie: string;
  /** Paths by name, below the tenant's. */
  let pages: Record<string, string>;

  beforeAll(async () => {
    app = await startApp();
    const { email, acme: made } = await app.bookkeeper();
    acme = made;
    cookie = (await enter(app.service, { email })).cookie ?? '';
    pages = await makeLongValues(app.service, acme);
  }, 240_000);
  afterAll(() => app?.close());

  it('each route has a page here', () => {
    const paths = [...Object.values(pages), '/sign-in', '/invitation/token'];
    expect(patterns.length).toBeGreaterThan(40);
    expect(patterns.filter((pattern) => !paths.some((path) => isAt(pattern, path)))).toEqual([]);
  });

  /** Finds the faults of the page that is open. */
  async function findFaults(page: Page): Promise<string[]> {
    await waitUntilIdle(page);
    // An open list is placed anew some frames after its window has become narrower.
    await expect
      .poll(() => overflow(page), { timeout: 5000 })
      .toBe(0)
      .catch(() => {});
    const wide = await overflow(page);
    return [
      ...(await findEnglish(page)).map((text) => `English: ${text}`),
      // A list of options scrolls by the keys of its field.
      ...(await accessibilityViolations(page, { except: '[data-offset-scrollbars="y"]' })),
      ...(wide > 0 ? [`wider than its window by ${wide} pixels`] : []),
    ];
  }

  /** Opens pages in a German browser, one after the other. @returns what is wrong with each */
  async function walk(
    tenantId: string,
    session: string,
    paths: Record<string, string>,
    use: (page: Page, name: string) => Promise<void> = async () => {},
  ): Promise<Record<string, string[]>> {
    const found: Record<string, string[]> = {};
    const { page, close } = await open(app.browser, app.service.url, { locale: 'de-DE' });
    try {
      await signInByCookie(page, session);
      for (const [name, path] of Object.entries(paths)) {
        await page.setViewportSize(desktop);
        await follow(page, `/${tenantId}${path}`);
        await use(page, name);
        await waitUntilIdle(page);
        const wide = (await findEnglish(page)).map((text) => `English: ${text}`);
        await page.setViewportSize(phone);
        const faults = new Set([...wide, ...(await findFaults(page))]);
        // At 320 pixels nothing is cut: WCAG's reflow.
        await page.setViewportSize({ ...phone, width: 320 });
        await waitUntilIdle(page);
        for (const problem of await layoutProblems(page, { touch: 20 })) faults.add(problem);
        if (faults.size > 0) found[name] = [...faults];
      }
    } finally {
      await close();
    }
    return found;
  }

  it('each page with rows is German, fits a phone, and is accessible', async () => {
    expect(await walk(acme.tenantId, cookie, pages)).toEqual({});
  });

  it('each list and report without rows is German', async () => {
    const { email, acme: empty } = await app.bookkeeper();
    const session = (await enter(app.service, { email })).cookie ?? '';
    const lists = Object.entries(pages).filter(([, path]) => !/[\da-f-]{36}|row=/.test(path));
    expect(await walk(empty.tenantId, session, Object.fromEntries(lists))).toEqual({});
  });

  it('each dialog is German', async () => {
    const buttons: Record<string, Parameters<typeof inGerman>[0]> = {
      customers: 'Add a customer',
      receipts: 'Add a receipt',
      'an issued invoice': 'Record a payment',
      'a part-paid invoice': 'Undo',
      'a booked receipt': 'Reverse',
      'a credit note': 'Record a refund',
      'an unmatched transaction': 'Match manually',
      'money out': 'Create receipt',
      'a project': 'Bill the time',
      'a customer': 'Delete',
      'API tokens': 'Generate a token',
      exports: 'New export',
    };
    const paths = Object.fromEntries(Object.keys(buttons).map((name) => [name, pages[name] ?? '']));
    const found = await walk(acme.tenantId, cookie, paths, async (page, name) => {
      await page
        .getByRole('button', { name: inGerman(buttons[name]!), exact: true })
        .first()
        .click();
      await page.getByRole('dialog').getByRole('button').first().waitFor();
    });
    expect(found).toEqual({});
  });

  it('the pages before the sign-in are German, and say in German why they refuse', async () => {
    const input = { tenantId: acme.tenantId, email: 'neu@example.com', inviterId: acme.userId, now: new Date() };
    const { secret } = await createInvitation(app.service.client, input);
    await app.visit({ locale: 'de-AT', viewport: { width: 390, height: 844 } }, async (page, { allowed }) => {
      allowed.push(/40[134]|422/);
      await page.goto(`/invitation/${secret}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await findFaults(page)).toEqual([]);
      await page.goto('/invitation/unknown');
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await findFaults(page)).toEqual([]);
      await page.goto('/sign-in');
      await page.getByRole('button', { name: inGerman('Sign in') }).click();
      await page.getByRole('textbox', { name: inGerman('E-mail address') }).waitFor();
      expect(await findFaults(page)).toEqual([]);
      await page.getByRole('textbox', { name: inGerman('E-mail address') }).fill('jemand@example.com');
      await page.locator('input[type=password]').fill('falsches Passwort');
      await page.getByRole('button', { name: inGerman('Sign in') }).click();
      await page.getByText('Die E-Mail-Adresse oder das Passwort stimmt nicht.').waitFor();
      expect(await findFaults(page)).toEqual([]);
    });
  });

  it('is chosen in the menu, and kept; numbers and dates go with it', async () => {
    const invoice = await makeInvoice(acme, { status: 'ISSUED', invoiceDate: '2026-03-09' });
    const choose = async (page: Page, menu: string, language: string): Promise<void> => {
      await page.getByRole('button', { name: menu, exact: true }).click();
      await Promise.all([
        page.waitForEvent('load'),
        page.getByRole('menuitemradio', { name: language, exact: true }).click(),
      ]);
    };
    const shown = async (page: Page): Promise<[language: string | null, heading: string, body: string]> => {
      await page.getByRole('heading', { level: 1 }).waitFor();
      await waitUntilIdle(page);
      return [
        await page.locator('html').getAttribute('lang'),
        await page.getByRole('heading', { level: 1 }).innerText(),
        (await page.getByRole('main').innerText()).replaceAll(/\s/g, ' '),
      ];
    };
    await app.visit({ locale: 'en-US' }, async (page) => {
      await page.goto('/sign-in');
      expect((await shown(page)).slice(0, 2)).toEqual(['en', 'Sign in']);
      await choose(page, 'Language', 'Deutsch');
      expect((await shown(page)).slice(0, 2)).toEqual(['de', 'Anmelden']);
      await page.reload();
      expect((await shown(page)).slice(0, 2)).toEqual(['de', 'Anmelden']);

      await signInByCookie(page, cookie);
      await page.goto(`/${acme.tenantId}/invoices/${invoice}`);
      const [language, , german] = await shown(page);
      expect(language).toBe('de');
      expect(german).toContain('119,00 €');
      expect(german).toContain('09.03.2026');
      await choose(page, 'Sprache', 'English');
      const [, , english] = await shown(page);
      expect(await page.locator('html').getAttribute('lang')).toBe('en');
      expect(english).toContain('€119.00');
      expect(english).toContain('Mar 9, 2026');
      // The function that looks for English on German pages finds it here.
      expect((await findEnglish(page)).length).toBeGreaterThan(10);
      await page.reload();
      expect((await shown(page))[0]).toBe('en');
    });
  });
});
