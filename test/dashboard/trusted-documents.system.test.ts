import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Service } from '../harness.ts';
import { makeUser } from '../identity/browser.ts';
import { navigateTo, signIn, startApp, type App } from './app.ts';
import { noBrowser, visit } from './browser.ts';

// startApp() limits sessions to trusted documents, so the dashboard's other tests show that all its documents are such.

describe.skipIf(noBrowser)('trusted documents', { timeout: 120_000 }, () => {
  let app: App;
  let open: Service;
  beforeAll(async () => {
    [app, open] = await Promise.all([startApp(), startService()]);
  });
  afterAll(() => Promise.all([app?.close(), open?.close()]));

  /** Pretends that the page is of another version: the server doesn't know its hashes. @returns the sent operations */
  async function changeHashes(page: Page): Promise<{ operationName: string; hasText: boolean }[]> {
    const sent: { operationName: string; hasText: boolean }[] = [];
    await page.route('**/graphql', async (route) => {
      const body = route.request().postData() ?? '';
      const { query, operationName } = JSON.parse(body) as { query?: string; operationName: string };
      sent.push({ operationName, hasText: Boolean(query) });
      await route.continue({ postData: body.replace(/"sha256Hash":"[\da-f]{4}/, '"sha256Hash":"0000') });
    });
    return sent;
  }

  it('the dashboard sends hashes, and no text', async () => {
    const { email } = await app.newUser();
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/401/); // before signing in
      const bodies: string[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/graphql')) bodies.push(request.postData() ?? '');
      });
      await signIn(page, email);
      await navigateTo(page, 'Deliveries');
      await expect.poll(() => bodies.some((body) => body.includes('"DeliveryChanged"'))).toBe(true);
      for (const body of bodies) expect(body).toMatch(/"sha256Hash":"[\da-f]{64}"/);
      expect(bodies.filter((body) => body.includes('{\\n'))).toEqual([]);
    });
  });

  it('a page of another version asks to be reloaded', async () => {
    const { email } = await app.newUser();
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/40[134]/);
      await signIn(page, email);
      await changeHashes(page);
      await page.getByRole('link', { name: 'Customers', exact: true }).click();
      await page.getByText('Kontor was updated while this page was open. Reload the page, and try again.').waitFor();
    });
  });

  it('GraphiQL says that it takes a token', async () => {
    const { email, acme } = await app.bookkeeper();
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/40[13]/);
      await signIn(page, email);
      await page.goto('/graphql');
      await page.getByText('# This installation accepts only trusted documents from sessions').waitFor();
      await page.getByText('To send others, use a token without this limit.').first().waitFor();
      const query = encodeURIComponent('{ me { tenant { id } } }');
      await page.goto(`/graphql?query=${query}`);
      await page.getByRole('button', { name: 'Headers' }).click();
      await page.getByRole('region', { name: 'Headers' }).getByRole('textbox').focus();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(`{"Authorization": "Bearer ${acme.token}`); // the editor closes both
      await page.getByRole('button', { name: /Execute query/ }).click();
      await page.getByText(`"${acme.tenantId}"`).waitFor();
    });
  });

  it('without the limit, a page of another version sends its texts: queries, mutations, and subscriptions', async () => {
    const { email } = await makeUser(open);
    await visit(app.browser, open.url, {}, async (page, watch) => {
      watch.allowed.push(/40[14]/);
      await signIn(page, email);
      const sent = await changeHashes(page);
      await page.getByRole('link', { name: 'Customers', exact: true }).click();
      await page.getByRole('button', { name: 'Add a customer' }).first().click();
      await page.getByLabel('Company name').fill('Nordlicht Verlag');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Nordlicht Verlag' }).waitFor();
      await navigateTo(page, 'Deliveries');
      for (const operationName of ['Customers', 'CreateCustomer', 'DeliveryChanged'])
        await expect
          .poll(() => sent.filter((each) => each.operationName === operationName).map(({ hasText }) => hasText))
          .toEqual([false, true]);
    });
  });
});
