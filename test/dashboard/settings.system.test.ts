import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTenant } from '../../src/identity/index.ts';
import { enter, getCode, password } from '../identity/browser.ts';
import { expectAccessible, navigateTo, signIn, signInByCookie, startApp, waitUntilIdle, type App } from './app.ts';
import { desktop, noBrowser, phone } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

describe.skipIf(noBrowser)('settings', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  describe.each([
    ['on a desktop', desktop],
    ['on a phone', phone],
  ])('%s', (_, viewport) => {
    it('a wrong password shows an error; the right one opens the requested page', async () => {
      const { email, tenantId } = await app.newUser();
      await app.visit({ viewport }, async (page, watch) => {
        watch.allowed.push(/401/);
        await page.goto(`/${tenantId}/settings/api-tokens`);
        await page.getByLabel('E-mail address').fill(email);
        await page.getByLabel(/^Password/).fill('not the password');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('alert').getByText('not right').waitFor();
        await expectAccessible(page);
        await signIn(page, email, page.url());
        expect(new URL(page.url()).pathname).toBe(`/${tenantId}/settings/api-tokens`);
      });
    });

    it('the company profile is filled in, with errors beside the fields, and its VAT rate is offered', async () => {
      const { open } = await pages.bookkeeper();
      await pages.visit({ viewport }, async (page) => {
        await open(page, '/');
        await navigateTo(page, 'Company');
        await page.getByLabel('Legal name').fill('Kontor Studio GmbH');
        const letterhead = page.getByRole('region', { name: 'Letterhead' });
        await letterhead.locator('strong').getByText('Kontor Studio GmbH').waitFor();
        await page.getByRole('textbox', { name: 'Colour' }).fill('#ffee99');
        await page.getByText('This colour is hard to read on white paper.').waitFor();
        await page.getByRole('textbox', { name: 'Colour' }).fill('#1c3f94');
        await expect.poll(() => page.getByText('This colour is hard to read').count()).toBe(0);
        await page.keyboard.press('Escape');
        expect(await letterhead.locator('strong').getAttribute('style')).toContain('rgb(28, 63, 148)');
        await page.getByLabel('IBAN').fill('DE00 1203 0000 0000 2020 51');
        await page.getByLabel('Tax number').fill('133/8150/8159');
        // At the foot, a number is in one line.
        const taxNumber = letterhead.getByText('133/8150/8159');
        expect(await taxNumber.evaluate((node) => node.getBoundingClientRect().height)).toBeLessThan(20);
        await page.getByLabel('Usual VAT, %').fill('7');
        await page.getByLabel('Registration number').fill('12345678');
        await page.getByLabel('Electronic address').fill('4012345000009');
        await page.getByLabel('Payment terms, days').fill('soon');
        const logo = page.getByRole('img', { name: 'The logo' });
        const svg = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="30" height="9"/></svg>';
        await page
          .getByLabel('Logo', { exact: true })
          .setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) });
        await logo.waitFor();
        await letterhead.locator('img').waitFor();
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Must be an IBAN: its length or its check digits are wrong.').waitFor();
        await page.getByText('Must be from 0 to 365.').waitFor();
        await page.getByLabel('Scheme of the number').fill('0106');
        await page.getByLabel('Scheme of the address').fill('0088');
        await page.getByLabel('IBAN').fill('DE02 1203 0000 0000 2020 51');
        await page.getByLabel('Payment terms, days').fill('21');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('The company profile is saved.').waitFor();
        await page.reload();
        await expect
          .poll(() => page.getByLabel('IBAN').inputValue(), { timeout: 15_000 })
          .toBe('DE02120300000000202051');
        expect(await page.getByLabel('Registration number').inputValue()).toBe('12345678');
        expect(await page.getByLabel('Scheme of the address').inputValue()).toBe('0088');
        expect(await logo.getAttribute('src')).toContain('image/png');
        await navigateTo(page, 'Invoices');
        await page.getByRole('link', { name: 'New invoice' }).first().click();
        await expect.poll(() => page.getByLabel('VAT, per cent, line 1').inputValue(), { timeout: 15_000 }).toBe('7');
      });
    });

    it('a token is generated, shown once, used over REST, and revoked', async () => {
      const { acme, open } = await pages.bookkeeper();
      await app.service.client.apiToken.deleteMany({ where: { tenantId: acme.tenantId } });
      await pages.visit({ viewport }, async (page) => {
        await open(page, '/');
        await navigateTo(page, 'API tokens');
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Generate a token' }).click();
        await page.getByLabel('Name').fill('Warehouse');
        await page.getByRole('radio', { name: 'Only these' }).click();
        await page.getByRole('checkbox', { name: 'customers:read' }).check();
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Generate the token' }).click();
        const token = (await page.getByLabel('the token', { exact: true }).textContent()) ?? '';
        await expectAccessible(page);
        const me = () => app.service.request('GET', '/api/v1/me', { headers: { authorization: `Bearer ${token}` } });
        expect((await me()).body.data.token).toMatchObject({ name: 'Warehouse', abilities: ['customers:read'] });
        await page.getByRole('button', { name: 'Done' }).click();
        await page.getByRole('button', { name: 'Revoke Warehouse' }).waitFor();
        expect(await page.content()).not.toContain(token);
        await page.getByRole('button', { name: 'Revoke Warehouse' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
        await page.getByText('No tokens yet').waitFor();
        expect((await me()).status).toBe(401);
      });
    });

    it('a token has a limit of its own, which is changed', async () => {
      const { acme, open } = await pages.bookkeeper();
      await app.service.client.apiToken.deleteMany({ where: { tenantId: acme.tenantId } });
      await pages.visit({ viewport }, async (page) => {
        await open(page, '/settings/api-tokens');
        await page.getByRole('button', { name: 'Generate a token' }).click();
        await page.getByLabel('Name').fill('Importer');
        const limit = page.getByLabel('Requests a minute');
        await limit.fill('601');
        await page.getByRole('button', { name: 'Generate the token' }).click();
        await page.getByText('Must be from 1 to 600.').waitFor();
        await limit.fill('240');
        await page.getByRole('button', { name: 'Generate the token' }).click();
        await page.getByRole('button', { name: 'Done' }).click();
        const row = page.getByRole('row').filter({ hasText: 'Importer' });
        await row.filter({ hasText: '240' }).waitFor();
        await page.getByRole('button', { name: 'Change the limit of Importer' }).click();
        await expectAccessible(page);
        await limit.fill('');
        await page.getByRole('button', { name: 'Save' }).click();
        await row.filter({ hasText: '60' }).filter({ hasNotText: '240' }).waitFor();
        await expectAccessible(page);
      });
    });

    it('a token is limited to trusted documents', async () => {
      const { acme, open } = await pages.bookkeeper();
      await app.service.client.apiToken.deleteMany({ where: { tenantId: acme.tenantId } });
      await pages.visit({ viewport }, async (page) => {
        await open(page, '/settings/api-tokens');
        const codes: (string | undefined)[] = [];
        for (const isLimited of [true, false]) {
          await page.getByRole('button', { name: 'Generate a token' }).click();
          await page.getByLabel('Name').fill(isLimited ? 'Shop' : 'Scripts');
          await page.getByRole('checkbox', { name: 'Only trusted documents' }).setChecked(isLimited);
          await page.getByRole('button', { name: 'Generate the token' }).click();
          const token = await page.getByLabel('the token', { exact: true }).textContent();
          await page.getByRole('button', { name: 'Done' }).click();
          const headers = { authorization: `Bearer ${token}` };
          const body = { query: '{ me { user { id } } }' };
          codes.push(getCode(await app.service.request('POST', '/graphql', { headers, body })));
        }
        expect(codes).toEqual(['PERSISTED_QUERY_ID_REQUIRED', undefined]);
        const limit = page.getByText('Only trusted documents');
        await page.getByRole('row').filter({ hasText: 'Shop' }).filter({ has: limit }).waitFor();
        expect(await limit.count()).toBe(1);
        await expectAccessible(page);
      });
    });

    it('a webhook is added and pinged; a delivery appears live and is redelivered', async () => {
      const { acme, open } = await pages.bookkeeper();
      const path = `/hook-${acme.tenantId}`;
      const received = () => app.receiver.requests.filter((request) => request.path === path);
      await pages.visit({ viewport }, async (page) => {
        await open(page, '/');
        await navigateTo(page, 'Webhooks');
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Add a webhook' }).click();
        await page.getByLabel('Address').fill(`${app.receiver.url}${path}`);
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Add the webhook' }).click();
        expect(await page.getByLabel('the secret', { exact: true }).textContent()).toMatch(/^whsec_/);
        await page.getByRole('button', { name: 'Done' }).click();

        await page.getByRole('button', { name: 'Ping' }).click();
        await page.getByText('The ping arrived').waitFor();
        expect(received().map(({ headers }) => headers['x-service-event'])).toEqual(['webhook.ping']);
        await expectAccessible(page);

        await navigateTo(page, 'Deliveries');
        const rows = page.getByRole('row').filter({ hasText: 'customer.created' });
        expect(await rows.count()).toBe(0);
        const globex = await app.service.integrator();
        await globex.rest('POST', '/customers', { type: 'customer', company_name: 'A stranger' });
        await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Live' });
        await rows.filter({ hasText: 'Delivered' }).waitFor(); // live, without a reload
        expect(await rows.count()).toBe(1);
        await expectAccessible(page);

        await page.getByRole('link', { name: 'customer.created' }).click();
        await page.getByRole('heading', { name: 'Verify the signature' }).waitFor();
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Redeliver' }).click();
        await page.getByText('This is the new delivery').waitFor();
        await expect.poll(() => received().length).toBe(3);
        const [, first, second] = received();
        expect(second?.body).toBe(first?.body);
        expect(second?.headers['x-service-delivery']).not.toBe(first?.headers['x-service-delivery']);
        expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
      });
    });

    it('switching the tenant shows nothing of the first tenant', async () => {
      const [one, two] = [
        await createTenant(app.service.client, { name: 'Bäckerei One' }),
        await createTenant(app.service.client, { name: 'Verlag Two' }),
      ];
      const { cookie = '' } = await enter(app.service, await app.newUser(one.id, two.id));
      await app.visit({ viewport }, async (page) => {
        await signInByCookie(page, cookie);
        await page.goto(`/${one.id}/settings/webhooks`);
        await page.getByRole('button', { name: 'Add a webhook' }).click();
        await page.getByLabel('Address').fill(`${app.receiver.url}/of-one`);
        await page.getByRole('button', { name: 'Add the webhook' }).click();
        await page.getByRole('button', { name: 'Done' }).click();
        await navigateTo(page, 'Webhooks');
        await page.getByText('/of-one').waitFor();
        await page.getByTitle('Switch tenant').click();
        await expectAccessible(page);
        await page.getByRole('menuitemradio', { name: 'Verlag Two' }).click();
        await page.getByText('No webhooks yet').waitFor();
        expect(new URL(page.url()).pathname).toBe(`/${two.id}/settings/webhooks`);
        expect(await page.content()).not.toContain('of-one');
        expect(await page.title()).toBe('Webhooks · Verlag Two · Kontor');
        // The digits of a name behind it would be shown before it.
        await app.service.pool.query(`update tenants set name = 'שתיים' where id = $1`, [two.id]);
        await page.reload();
        await expect.poll(() => page.title()).toBe('Webhooks · \u2068שתיים\u2069 · Kontor');
      });
    });
  });

  it.each([desktop, phone])('a long menu of tenants is scrolled, at $width × $height', async (viewport) => {
    const tenants: string[] = [];
    for (let at = 10; at < 56; at += 1)
      tenants.push((await createTenant(app.service.client, { name: `Client ${at}` })).id);
    const { cookie = '' } = await enter(app.service, await app.newUser(...tenants));
    await app.visit({ viewport }, async (page) => {
      await signInByCookie(page, cookie);
      await page.goto(`/${tenants[0]}/settings/webhooks`);
      await page.getByTitle('Switch tenant').click();
      const menu = page.getByRole('menu');
      await menu.waitFor();
      await waitUntilIdle(page);
      const box = await menu.boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? Infinity)).toBeLessThanOrEqual(viewport.height);
      await page.keyboard.press('End');
      const last = menu.getByRole('menuitemradio').last();
      const bottomOf = async (): Promise<number> => {
        const { y = 0, height = Infinity } = (await last.boundingBox()) ?? {};
        return y + height;
      };
      await expect.poll(bottomOf).toBeLessThanOrEqual(viewport.height);
      await menu.hover();
      await page.mouse.wheel(0, -10_000);
      await expect.poll(bottomOf).toBeGreaterThan(viewport.height);
      await expectAccessible(page);
      await page.mouse.wheel(0, 10_000);
      await last.click();
      await page.waitForURL(`**/${tenants.at(-1)}/settings/webhooks`);
    });
  });

  it('a token is copied on plain HTTP, too, and the reader is told only what is true', async () => {
    const { acme, open } = await pages.bookkeeper();
    await app.service.client.apiToken.deleteMany({ where: { tenantId: acme.tenantId } });
    await app.visit({}, async (page) => {
      // On plain HTTP from another machine, browsers have no clipboard API.
      await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'clipboard'));
      await open(page, '/settings/api-tokens');
      await page.getByRole('button', { name: 'Generate a token' }).click();
      await page.getByLabel('Name').fill('Warehouse');
      await page.getByRole('button', { name: 'Generate the token' }).click();
      const token = (await page.getByLabel('the token', { exact: true }).textContent()) ?? '';
      const copy = page.getByRole('button', { name: 'Copy the token' });
      const announced = page.getByRole('status').getByText('Copied.');
      await page.evaluate(() => {
        document.execCommand = () => false;
      });
      await copy.click();
      await page.getByText('Could not be copied. Select it, and copy it by hand.').waitFor();
      expect([await announced.count(), await copy.textContent()]).toEqual([0, 'Copy']);
      await page.evaluate(() => Reflect.deleteProperty(document, 'execCommand'));
      await copy.click();
      await announced.waitFor();
      expect(await copy.textContent()).toBe('Copied');
      expect(await copy.evaluate((button) => button === document.activeElement)).toBe(true);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'Generate a token' }).click();
      await page.getByLabel('Name').focus();
      await page.keyboard.press('Control+V');
      expect(await page.getByLabel('Name').inputValue()).toBe(token);
    });
  });

  it('fields of the company are as wide as what goes in', async () => {
    const { open } = await pages.bookkeeper();
    await pages.visit({ viewport: { width: 1440, height: 900 } }, async (page) => {
      await open(page, '/settings/company');
      const width = async (name: string): Promise<number> =>
        (await page.getByRole('textbox', { name, exact: true }).boundingBox())!.width;
      const [code, city, bic, iban] = [
        await width('Postal code'),
        await width('City'),
        await width('BIC'),
        await width('IBAN'),
      ];
      expect(code * 2).toBeLessThan(city);
      expect(bic).toBeLessThan(iban);
    });
  });

  it('signing in works by keyboard alone, opens no other site, and leads to what is wrong', async () => {
    const { email } = await app.newUser();
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/401|429/);
      await page.goto(`/sign-in?${new URLSearchParams({ to: '/\t/evil.example' }).toString()}`);
      const field = page.getByLabel('E-mail address');
      const typed = page.getByRole('textbox', { name: 'Password' });
      const button = page.getByRole('button', { name: 'Sign in' });
      const hasFocus = (control: Locator): Promise<boolean> =>
        control.evaluate((node) => node === document.activeElement);
      await field.waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.type(email);
      await button.press('Enter');
      await expect.poll(() => hasFocus(typed)).toBe(true);
      expect(await typed.getAttribute('aria-invalid')).toBe('true');
      await page.keyboard.type('a wrong one');
      await button.press('Enter');
      await page.getByRole('alert').getByText('not right').waitFor();
      await expect.poll(() => hasFocus(button)).toBe(true);
      // The seconds that are left are shown, and not said anew each time.
      await page.route('**/sign-in/email', (route) => route.fulfill({ status: 429, headers: { 'Retry-After': '2' } }));
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByRole('timer').getByText('Too many attempts').waitFor();
      await page.getByText('You can try again now.').waitFor();
      await page.unroute('**/sign-in/email');
      await typed.fill(password);
      await typed.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    });
  });

  it('an unknown path shows an accessible page', async () => {
    const { open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, '/nothing/here');
      await expectAccessible(page);
    });
  });
});
