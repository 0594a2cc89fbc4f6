import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInvitation, createToken, createUser, removeUser } from '../../src/identity/index.ts';
import { makeBankTransaction, makeCustomer } from '../graphql/books.ts';
import { asIntegrator } from '../harness.ts';
import { password } from '../identity/browser.ts';
import { expectAccessible, navigateTo, operationName, signIn, startApp, waitUntilIdle, type App } from './app.ts';
import { noBrowser } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

// Occasional tasks: changing webhooks, inviting and removing members, passwords, editing customers.

/** The page's stream of changes ends with its session. */
const endedStream = /ERR_INCOMPLETE_CHUNKED_ENCODING/;

describe.skipIf(noBrowser)('administration', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  const choose = async (page: Page, item: RegExp): Promise<void> => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  it('a webhook is changed, paused, resumed, given a new secret, and deleted', async () => {
    const { acme, open } = await pages.bookkeeper();
    const { createWebhook } = await acme.graphql(
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret webhook { id } } }',
      { input: { url: app.receiver.url } },
    );
    const { secret, webhook } = createWebhook;
    const stored = () => acme.db.webhook.findFirstOrThrow({ where: { id: webhook.id } });
    await pages.visit({}, async (page) => {
      await open(page, `/settings/webhooks/${webhook.id}`);
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Description').fill('The shop');
      await page.getByRole('radio', { name: /Only these/ }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Choose at least one event, or all.').waitFor();
      await page.getByRole('radio', { name: /All/ }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The shop').waitFor();

      await choose(page, /^Pause/);
      await page.getByText('Paused', { exact: true }).first().waitFor();
      expect((await stored()).active).toBe(false);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('The webhook is active.').waitFor();
      expect((await stored()).active).toBe(true);

      await choose(page, /^Rotate the secret/);
      await page.getByRole('radio', { name: 'Immediately' }).check();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await choose(page, /^Rotate the secret/);
      // A choice in a dialog that was cancelled counts for no other one.
      expect(await page.getByRole('radio', { name: 'In 24 hours' }).isChecked()).toBe(true);
      await page.getByRole('button', { name: 'Rotate secret' }).click();
      const shown = await page.getByLabel('the secret', { exact: true }).textContent();
      expect(shown).toMatch(/^whsec_/);
      expect(shown).not.toBe(secret);
      await page.getByRole('button', { name: 'Done' }).click();

      await choose(page, /^Delete/);
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No webhooks yet').waitFor();
      expect((await stored()).deletedAt).not.toBeNull();
    });
  });

  it('a deactivated webhook shows the reason, is enabled again, and missed events are redelivered', async () => {
    const { acme, open } = await pages.bookkeeper();
    const { createWebhook } = await acme.graphql(
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }',
      { input: { url: `${app.receiver.url}/missed` } },
    );
    const webhookId = createWebhook.webhook.id;
    await acme.db.webhook.update({
      where: { tenantId_id: { tenantId: acme.tenantId, id: webhookId } },
      data: { active: false, disabledAt: new Date(), consecutiveFailures: 100 },
    });
    await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Missed' });
    await expect.poll(() => acme.db.delivery.count({ where: { webhookId, state: 'SET_ASIDE' } })).toBe(1);
    const received = () => app.receiver.requests.filter(({ path }) => path === '/missed');
    await pages.visit({}, async (page) => {
      await open(page, `/settings/webhooks/${webhookId}`);
      await page.getByText(/^Deactivated on/).waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Enable again' }).click();
      await page.getByText('The webhook is active.').waitFor();
      expect(received()).toHaveLength(0);
      await choose(page, /^Redeliver missed events/);
      const yesterday = await page.getByLabel('Since').inputValue();
      await page.getByLabel('Since').fill('2036-01-01T00:00');
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await choose(page, /^Redeliver missed events/);
      const later = await page.getByLabel('Since').inputValue();
      expect(Date.parse(later) - Date.parse(yesterday)).toBeLessThan(3_600_000);
      await page.getByLabel('Since').fill(`2${later}`);
      await page.getByRole('button', { name: 'Redeliver', exact: true }).click();
      await page.getByRole('alert').getByText('Enter a date and a time.').waitFor();
      await page.getByLabel('Since').fill(later);
      await page.getByRole('button', { name: 'Redeliver', exact: true }).click();
      await page.getByText('1 event redelivered.').waitFor();
      await expect.poll(() => received().length).toBe(1);
    });
  });

  it('a colleague is invited by a link, joins with a new account, and is removed', async () => {
    const { email, acme } = await app.bookkeeper();
    const colleague = `colleague-${acme.tenantId}@example.com`;
    let link = '';
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/401/);
      await signIn(page, email);
      await navigateTo(page, 'Members');
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByLabel('E-mail address').fill(colleague);
      await page.getByRole('button', { name: 'Create invitation' }).click();
      link = (await page.getByLabel('the link', { exact: true }).textContent()) ?? '';
    });
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/401|422/); // the short password is refused
      await page.goto(new URL(link).pathname);
      const account = page.getByRole('textbox', { name: 'E-mail address' }); // for a password manager
      expect([await account.inputValue(), await account.getAttribute('autocomplete')]).toEqual([colleague, 'username']);
      await page.getByLabel('Your name').fill('Grace');
      await page
        .getByLabel('Password', { exact: true })
        .or(page.getByLabel(/^Password/))
        .first()
        .fill('short');
      await page.getByRole('button', { name: 'Join' }).click();
      await page
        .getByText(/at least 12 characters/i)
        .first()
        .waitFor();
      await expectAccessible(page);
      await page
        .getByLabel(/^Password/)
        .first()
        .fill('correct horse battery staple 9');
      await page.getByRole('button', { name: 'Join' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    });
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/401/);
      await signIn(page, email, '/settings/members');
      await page.getByText(`${colleague} (not verified)`).waitFor();
      await page.getByRole('button', { name: 'Remove Grace' }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /Remove/ })
        .click();
      await page.getByRole('button', { name: 'Remove Grace' }).waitFor({ state: 'detached' });
    });
    expect(await app.service.client.membership.count({ where: { tenantId: acme.tenantId } })).toBe(1);
  });

  it('a member who leaves a tenant goes on with the books of another one', async () => {
    const { acme } = await app.bookkeeper();
    const other = await app.bookkeeper();
    const { email } = await app.newUser(acme.tenantId, other.acme.tenantId);
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/401|403/, endedStream);
      for (const { tenantId } of [acme, other.acme]) {
        await (tenantId === acme.tenantId
          ? signIn(page, email, `/${tenantId}/settings/members`)
          : page.goto(`/${tenantId}/settings/members`));
        await page.getByRole('button', { name: /^Leave / }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
        if (tenantId === acme.tenantId) {
          await page.waitForURL(`**/${other.acme.tenantId}`);
          await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
        } else {
          await page.getByText('You don’t have access to these books').waitFor();
          // No books are left that a button could open.
          await page.goto('/');
          await page.getByRole('button', { name: 'Sign out' }).waitFor();
          expect(await page.getByRole('button', { name: 'Open my books' }).count()).toBe(0);
        }
      }
    });
  });

  it('an invitation for an existing account is accepted by signing in, and not by another password', async () => {
    const { email, acme } = await app.bookkeeper();
    const other = await app.bookkeeper();
    const { invitation, secret } = await createInvitation(app.service.client, {
      tenantId: acme.tenantId,
      email: other.email,
      inviterId: null,
      now: new Date(),
    });
    expect(invitation.email).toBe(other.email);
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/401/);
      await page.goto(`/invitation/${secret}`);
      await page.getByLabel('Your name').fill('Grace');
      await page
        .getByLabel(/^Password/)
        .first()
        .fill('not the password of the account');
      await page.getByRole('button', { name: 'Join' }).click();
      await page.getByText('You could not be signed in').waitFor();
      await expectAccessible(page);
      await page.getByRole('link', { name: 'sign in' }).click();
      expect(await page.getByLabel('E-mail address').inputValue()).toBe(other.email);
      await page
        .getByLabel(/^Password/)
        .first()
        .fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Accept the invitation' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    });
    expect(email).not.toBe(other.email);
    expect(await app.service.client.membership.count({ where: { tenantId: acme.tenantId } })).toBe(2);
  });

  it('an invitation is accepted by somebody who is signed in with another account', async () => {
    const { acme } = await app.bookkeeper();
    const [own, invited] = [await app.bookkeeper(), await app.bookkeeper()];
    const { secret } = await createInvitation(app.service.client, {
      tenantId: acme.tenantId,
      email: invited.email,
      inviterId: null,
      now: new Date(),
    });
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/401/);
      await signIn(page, own.email);
      const answered = page.waitForResponse('**/api/auth/get-session');
      await page.goto(`/invitation/${secret}`);
      await page.getByRole('link', { name: 'sign in' }).click();
      await answered;
      await waitUntilIdle(page);
      expect(new URL(page.url()).pathname).toBe('/sign-in');
      expect(await page.getByLabel('E-mail address').inputValue()).toBe(invited.email);
      await page.getByLabel(/^Password/).fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Accept the invitation' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      // A link for the address that is signed in leads on, without a password.
      const search = new URLSearchParams({ to: `/${acme.tenantId}/customers`, email: invited.email.toUpperCase() });
      await page.goto(`/sign-in?${search.toString()}`);
      await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
    });
    expect(await app.service.client.membership.count({ where: { tenantId: acme.tenantId } })).toBe(2);
  });

  it('an invitation that ends while it is read, or whose session does, says what can be done', async () => {
    const { acme } = await app.bookkeeper();
    const invited = await app.bookkeeper();
    const input = { tenantId: acme.tenantId, email: invited.email, inviterId: null, now: new Date() };
    const { secret } = await createInvitation(app.service.client, input);
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/40[134]/);
      await page.goto(`/sign-in?to=/invitation/${secret}`);
      await page.getByLabel('E-mail address').fill(invited.email);
      await page.getByLabel(/^Password/).fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Accept the invitation' }).waitFor();
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Accept the invitation' }).click();
      await page.getByLabel('Your name').fill('Grace');
      await app.service.client.invitation.deleteMany({ where: { email: invited.email } });
      await page.getByRole('textbox', { name: 'Password' }).fill(password);
      await page.keyboard.press('Enter');
      const heading = page.getByRole('heading', { level: 1, name: 'This invitation has ended' });
      await heading.waitFor();
      await expect.poll(() => heading.evaluate((node) => node === document.activeElement)).toBe(true);
    });
  });

  it('changing the password can also revoke API tokens', async () => {
    const { email, acme } = await app.bookkeeper();
    const next = 'another horse, another battery';
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/401/, endedStream);
      await signIn(page, email, '/account');
      for (const [from, to, revoke, status] of [
        [password, next, false, 200],
        [next, password, true, 401],
      ] as const) {
        await page.getByLabel(/^Current password/).fill(from);
        await page.getByLabel('New password', { exact: false }).first().fill(to);
        await page.getByLabel(/^Confirm new password/).fill(to);
        await page.getByRole('checkbox', { name: 'Also revoke my API tokens' }).setChecked(revoke);
        await expectAccessible(page);
        if (revoke) await page.context().clearCookies(); // the session ends meanwhile
        await page.getByRole('button', { name: 'Change the password' }).click();
        if (revoke) {
          await page.getByRole('dialog').getByRole('textbox', { name: 'Password' }).fill(from);
          await page.keyboard.press('Enter');
        }
        await page.getByText(revoke ? /have ended, and your API tokens\.$/ : /other sessions have ended\.$/).waitFor();
        expect((await acme.rest('GET', '/me')).status).toBe(status);
      }
    });
  });

  it('signing out everywhere ends every session', async () => {
    const { email, acme } = await app.bookkeeper();
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/401/, endedStream);
      await signIn(page, email, '/account');
      await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
    });
    expect(await app.service.client.session.count({ where: { userId: acme.userId } })).toBe(0);
  });

  it('a late answer to the sign-in page leads nobody back, who has signed in and gone on', async () => {
    const { email } = await app.bookkeeper();
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/401/);
      const gone = Promise.withResolvers<void>();
      await page.route('**/api/auth/get-session', async (route) => {
        await gone.promise;
        await route.continue();
      });
      await signIn(page, email);
      await navigateTo(page, 'Customers');
      const late = page.waitForResponse('**/api/auth/get-session');
      gone.resolve();
      expect((await (await late).json()).user.email).toBe(email);
      await waitUntilIdle(page);
      await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
    });
  });

  it('a customer is added, with errors beside the fields, found, edited, and deleted', async () => {
    const { acme, open } = await pages.bookkeeper();
    await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Somebody else' });
    await pages.visit({}, async (page) => {
      await open(page, '/');
      await navigateTo(page, 'Customers');
      await page.getByRole('button', { name: 'Add a customer' }).click();
      await page.getByLabel('E-mail').fill('no address');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('Must not be empty.').waitFor();
      const address = page.getByLabel('E-mail');
      await expect.poll(() => address.getAttribute('aria-invalid')).toBe('true');
      await expectAccessible(page);
      await address.fill('office@nordlicht.example');
      await page.getByLabel('Company name').fill('Nordlicht Verlag');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Nordlicht Verlag' }).waitFor();
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('City').fill('Kiel');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Kiel', { exact: true }).waitFor();

      await navigateTo(page, 'Customers');
      await page.getByLabel('Search customers').fill('kiel');
      await page.getByRole('link', { name: 'Somebody else' }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Nordlicht Verlag' }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').waitFor();
      await page.goBack(); // which ends the question
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Nordlicht Verlag' }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Nordlicht Verlag is deleted.').waitFor();
    });
    expect((await acme.rest('GET', '/customers')).body.meta.total).toBe(1);
  });

  it('ignoring a transaction is shown at once, and reverted if it fails', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeBankTransaction(acme);
    await pages.visit({}, async (page, watch) => {
      watch.allowed.push(/401/, /Failed to load resource/);
      await open(page, `/bank-transactions/${id}`);
      // The badge: the history says the same of past events.
      const badge = page.getByRole('main').locator('.mantine-Badge-label');
      const shows = (state: string) => badge.getByText(state, { exact: true }).waitFor();
      await shows('Unmatched');

      const held = Promise.withResolvers<void>();
      await page.route('**/graphql', async (route) => {
        if (operationName(route.request()) === 'IgnoreBankTransaction') await held.promise;
        await route.continue();
      });
      await page.getByRole('button', { name: 'Ignore', exact: true }).click();
      await shows('Ignored'); // before the response
      held.resolve();
      await page.getByText('It no longer needs a match').waitFor();
      await waitUntilIdle(page);
      await shows('Ignored');

      await page.unroute('**/graphql');
      await page.route('**/graphql', (route) =>
        operationName(route.request()) === 'UnignoreBankTransaction' ? route.abort() : route.continue(),
      );
      await page.getByRole('button', { name: 'Stop ignoring' }).click();
      await page.getByText('That didn’t work').waitFor();
      await shows('Ignored');
    });
  });

  it('a customer’s page and the audit log say who changed what', async () => {
    const { acme, open } = await pages.bookkeeper();
    const id = await makeCustomer(acme, { companyName: 'Nordlicht Verlag' });
    await acme.rest('PATCH', `/customers/${id}`, { city: 'Kiel', payment_terms_days: 30 });
    await pages.visit({}, async (page) => {
      await open(page, `/customers/${id}`);
      await page.getByText(/^Changed by Ada, by the token/).waitFor();
      const fields = page.getByRole('button', { name: 'Show all fields (2)' });
      await fields.focus();
      await page.keyboard.press('Enter');
      await page.getByText('City: none → Kiel').waitFor();
      await page.getByRole('button', { name: 'Show fewer fields' }).waitFor();

      await navigateTo(page, 'Audit log');
      await page
        .getByRole('row', { name: /Customer Changed/ })
        .getByText('Payment terms days: none → 30')
        .waitFor();
      await page.getByRole('combobox', { name: 'What' }).click();
      await page.getByRole('option', { name: 'Receipt', exact: true }).click();
      await page.getByText('No changes match').waitFor();
      await expectAccessible(page);
    });
  });

  it('the audit log is filtered by who has left', async () => {
    const { acme, open } = await pages.bookkeeper();
    const email = `${randomUUID()}@example.com`;
    const user = await createUser(app.service.client, { email, name: 'Lea Left', tenantId: acme.tenantId });
    const { token, id: tokenId } = await createToken(app.service.client, { tenantId: acme.tenantId, userEmail: email });
    await makeCustomer(acme, { companyName: 'By Ada' });
    await makeCustomer(asIntegrator(app.service, { ...acme, userId: user.id, token, tokenId }), {
      companyName: 'By Lea',
    });
    await removeUser(app.service.client, { email, tenantId: acme.tenantId });
    await pages.visit({}, async (page) => {
      await open(page, '/audit-log?resource=customer');
      await page.getByText('Company name: By Ada').waitFor();
      await page.getByRole('combobox', { name: 'Who' }).click();
      await page.getByRole('option', { name: 'Lea Left, no member', exact: true }).click();
      await page.getByText('Company name: By Ada').waitFor({ state: 'detached' });
      await page.getByText('Company name: By Lea').waitFor();
    });
  });

  it('a test tenant is made, opened, and its clock is set; it is reset, and deleted', async () => {
    const { email, acme } = await app.bookkeeper();
    await app.visit({}, async (page) => {
      await signIn(page, email, `/${acme.tenantId}/settings/test-tenants`);
      expect(await page.getByText('This is a test tenant').count()).toBe(0);
      await page.getByRole('button', { name: 'New test tenant' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Playground');
      await dialog.getByRole('button', { name: 'Make it' }).click();
      expect(await page.getByLabel('its token', { exact: true }).textContent()).toMatch(/^kontor_test_/);
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('link', { name: 'Playground' }).waitFor();
      await expectAccessible(page);

      await page.getByRole('link', { name: 'Playground' }).click();
      await page.getByText('This is a test tenant: nothing here is real.').waitFor();
      await page.getByRole('button', { name: 'Set the clock' }).click();
      const year = new Date().getUTCFullYear() + 2;
      for (const none of ['', `${year}0-03-04T10:00`]) {
        await page.getByRole('dialog').getByLabel('Time').fill(none);
        await page.getByRole('dialog').getByRole('button', { name: 'Set the clock' }).click();
        await page.getByRole('dialog').getByText('Enter a date and a time.').waitFor();
      }
      await page.getByRole('dialog').getByLabel('Time').fill(`${year}-03-04T10:00`);
      await page.getByRole('dialog').getByRole('button', { name: 'Set the clock' }).click();
      await page.getByRole('note').getByText(`Mar 4, ${year}`).waitFor();
      await expectAccessible(page);
      await page.reload();
      await page.getByRole('note').getByText(`Mar 4, ${year}`).waitFor();

      await page.goto(new URL(`/${acme.tenantId}/settings/test-tenants`, page.url()).href);
      await page.getByRole('button', { name: 'Reset Playground' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
      await page.getByText('The test tenant is reset.').waitFor();
      await page.getByRole('button', { name: 'Delete Playground' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No test tenants yet').waitFor();
    });
    expect((await acme.rest('GET', '/test-tenants')).body.data).toEqual({ items: [] });
  });

  it('a period is locked, and moved back only with a reason', async () => {
    const { acme, open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, `/settings/period-locks`);
      const lock = async (until: string, reason = ''): Promise<void> => {
        await page.getByRole('button', { name: 'Set a lock' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Locked until').fill(until);
        await dialog.getByLabel('Reason').fill(reason);
        await dialog.getByRole('button', { name: 'Set the lock' }).click();
      };
      await lock('2026-01-31');
      await page.getByRole('cell', { name: 'Jan 31, 2026' }).waitFor();
      await lock('2025-12-31');
      await page.getByRole('dialog').getByText('Required to move a lock back.').waitFor();
      await page.getByRole('dialog').getByLabel('Reason').fill('A receipt was missing');
      await page.getByRole('dialog').getByRole('button', { name: 'Set the lock' }).click();
      await page.getByRole('row', { name: /Dec 31, 2025 .*A receipt was missing/ }).waitFor();
    });
    const { body } = await acme.rest('GET', '/period-locks');
    expect(body.data.items).toMatchObject([{ series: 'all', locked_until: '2025-12-31', kind: 'soft' }]);
  });

  it('what is to be done before a lock says how much of it is shown', async () => {
    const { acme, open } = await pages.bookkeeper();
    for (let at = 0; at < 100; at += 1) await makeBankTransaction(acme);
    const more = (page: Page) => page.getByText('The first 100 of 101.');
    await pages.visit({}, async (page) => {
      await open(page, '/settings/period-locks?until=2026-03-31');
      await page.getByRole('row').nth(100).waitFor();
      expect(await more(page).count()).toBe(0);
      await makeBankTransaction(acme);
      await page.reload();
      await more(page).waitFor();
      await expectAccessible(page);
    });
  });
});
