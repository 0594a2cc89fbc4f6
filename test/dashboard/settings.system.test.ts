import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTenant } from '../../src/identity/index.ts';
import { enter, password } from '../identity/browser.ts';
import { expectUsable, go, signIn, startApp, type App } from './app.ts';
import { desk, noBrowser, phone } from './browser.ts';

describe.skipIf(noBrowser)('settings', { timeout: 120_000 }, () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app?.close());

  describe.each([
    ['on a desk', desk],
    ['on a phone', phone],
  ])('%s', (_, viewport) => {
    it('a wrong password is told; the right one opens the books one was going to', async () => {
      const { email, tenantId } = await app.someone();
      await app.visit({ viewport }, async (page, watch) => {
        watch.expecting.push(/401/);
        await page.goto(`/${tenantId}/settings/api-tokens`);
        await page.getByLabel('E-mail address').fill(email);
        await page.getByLabel(/^Password/).fill('not the password');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('alert').getByText('not right').waitFor();
        await expectUsable(page);
        await signIn(page, email, page.url());
        expect(new URL(page.url()).pathname).toBe(`/${tenantId}/settings/api-tokens`);
      });
    });

    it('a token is generated, shown once, opens REST, and is revoked', async () => {
      const { email } = await app.someone();
      await app.visit({ viewport }, async (page, watch) => {
        watch.expecting.push(/401/); // before one signs in
        await signIn(page, email);
        await go(page, 'API tokens');
        await expectUsable(page);
        await page.getByRole('button', { name: 'Generate a token' }).click();
        await page.getByLabel('Name').fill('Warehouse');
        await page.getByRole('radio', { name: 'Only these' }).click();
        await page.getByRole('checkbox', { name: 'customers:read' }).check();
        await expectUsable(page);
        await page.getByRole('button', { name: 'Generate the token' }).click();
        const token = (await page.getByLabel('the token', { exact: true }).textContent()) ?? '';
        await expectUsable(page);
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

    it('a webhook is added and pinged; a delivery arrives live, and is sent again', async () => {
      const { email, tenantId } = await app.someone();
      const path = `/hook-${tenantId}`;
      const heard = () => app.receiver.requests.filter((request) => request.path === path);
      await app.visit({ viewport }, async (page, watch) => {
        watch.expecting.push(/401/);
        await signIn(page, email);
        await go(page, 'Webhooks');
        await expectUsable(page);
        await page.getByRole('button', { name: 'Add a webhook' }).click();
        await page.getByLabel('Address').fill(`${app.receiver.url}${path}`);
        await expectUsable(page);
        await page.getByRole('button', { name: 'Add the webhook' }).click();
        expect(await page.getByLabel('the secret', { exact: true }).textContent()).toMatch(/^whsec_/);
        await page.getByRole('button', { name: 'Done' }).click();

        await page.getByRole('button', { name: 'Ping' }).click();
        await page.getByText('The ping arrived').waitFor();
        expect(heard().map(({ headers }) => headers['x-service-event'])).toEqual(['webhook.ping']);
        await expectUsable(page);

        await go(page, 'Deliveries');
        const rows = page.getByRole('row').filter({ hasText: 'customer.created' });
        expect(await rows.count()).toBe(0);
        const acme = await app.service.integrator();
        await acme.rest('POST', '/customers', { type: 'customer', company_name: 'A stranger' });
        const elsewhere = await enter(app.service, { email });
        await elsewhere.graphql('mutation { createCustomer(input: { type: CUSTOMER, companyName: "Live" }) { id } }');
        await rows.filter({ hasText: 'Delivered' }).waitFor(); // by itself: nobody reloads
        expect(await rows.count()).toBe(1);
        await expectUsable(page);

        await page.getByRole('link', { name: 'customer.created' }).click();
        await page.getByRole('heading', { name: 'Verify the signature' }).waitFor();
        await expectUsable(page);
        await page.getByRole('button', { name: 'Redeliver' }).click();
        await page.getByText('This is the new delivery').waitFor();
        await expect.poll(() => heard().length).toBe(3);
        const [, first, second] = heard();
        expect(second?.body).toBe(first?.body);
        expect(second?.headers['x-service-delivery']).not.toBe(first?.headers['x-service-delivery']);
        expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
      });
    });

    it('another tenant is a switch away, and nothing of the first is left', async () => {
      const [one, two] = [
        await createTenant(app.service.client, { name: 'Bäckerei One' }),
        await createTenant(app.service.client, { name: 'Verlag Two' }),
      ];
      const { email } = await app.someone(one.id, two.id);
      await app.visit({ viewport }, async (page, watch) => {
        watch.expecting.push(/401/);
        await signIn(page, email, `/${one.id}/settings/webhooks`);
        await page.getByRole('button', { name: 'Add a webhook' }).click();
        await page.getByLabel('Address').fill(`${app.receiver.url}/of-one`);
        await page.getByRole('button', { name: 'Add the webhook' }).click();
        await page.getByRole('button', { name: 'Done' }).click();
        await go(page, 'Webhooks');
        await page.getByText('/of-one').waitFor();
        await page.getByTitle('Switch tenant').click();
        await expectUsable(page);
        await page.getByRole('menuitemradio', { name: 'Verlag Two' }).click();
        await page.getByText('No webhooks yet').waitFor();
        expect(new URL(page.url()).pathname).toBe(`/${two.id}/settings/webhooks`);
        expect(await page.content()).not.toContain('of-one');
        expect(await page.title()).toContain('Verlag Two');
      });
    });
  });

  it('one signs in by the keyboard alone', async () => {
    const { email } = await app.someone();
    await app.visit({}, async (page, watch) => {
      watch.expecting.push(/401/);
      await page.goto('/');
      await page.getByLabel('E-mail address').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.type(email);
      await page.keyboard.press('Tab');
      await page.keyboard.type(password);
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
    });
  });

  it('what is not a page says so', async () => {
    const { email, tenantId } = await app.someone();
    await app.visit({}, async (page, watch) => {
      watch.expecting.push(/401/);
      await signIn(page, email, `/${tenantId}/nothing/here`);
      await expectUsable(page);
    });
  });
});
