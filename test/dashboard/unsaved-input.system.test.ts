import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompany, makeCustomer, makeInvoice, makeReceipt } from '../graphql/books.ts';
import type { Integrator } from '../harness.ts';
import { enter, password } from '../identity/browser.ts';
import {
  expectAccessible,
  navigateTo,
  operationName,
  showWindow,
  waitUntilIdle,
  signIn,
  startApp,
  type App,
  press,
} from './app.ts';
import { accessibilityViolations, noBrowser, type Steps, type Watch } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

// Input is never lost: not by a network error, an expired session, navigation, a key, or a change made elsewhere.

describe.skipIf(noBrowser)('unsaved input', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  const allow = (watch: Watch): number => watch.allowed.push(/401|Failed to load resource|PageLoadError/);

  /** Creates a tenant. `work` runs steps at a path. */
  async function bookkeeper() {
    const { acme, open } = await pages.bookkeeper();
    const work = (path: string, steps: Steps) =>
      pages.visit({}, async (page, watch) => {
        allow(watch);
        await open(page, path);
        await steps(page, watch);
      });
    return { acme, work, ...readers(acme) };
  }

  /** The same with a user of its own, in a page that has loaded no other: for a session that ends, and scripts that are missing or broken. */
  async function newcomer() {
    const { email, acme } = await app.bookkeeper();
    const work = (path: string, steps: Steps) =>
      app.visit({}, async (page, watch) => {
        allow(watch);
        await signIn(page, email, `/${acme.tenantId}${path}`);
        await waitUntilIdle(page);
        await steps(page, watch);
      });
    /** Ends every session of the user. */
    const endSessions = async (): Promise<void> => {
      const elsewhere = await enter(app.service, { email });
      expect((await elsewhere.request('POST', '/api/auth/revoke-sessions', {})).status).toBe(200);
    };
    return { email, acme, work, endSessions, ...readers(acme) };
  }

  function readers(acme: Integrator) {
    const customers = async (): Promise<{ company_name: string; city: string | null }[]> =>
      (await acme.rest('GET', '/customers')).body.data;
    return { customers };
  }

  describe('network errors', () => {
    it('a dialog that can’t be saved keeps its input, and can be saved again', async () => {
      const { acme, work, customers } = await bookkeeper();
      const id = await makeCustomer(acme, { companyName: 'Nordlicht Verlag' });
      await work(`/customers/${id}`, async (page) => {
        await page.getByRole('button', { name: 'Edit' }).click();
        await page.getByLabel('City').fill('Kiel');
        await waitUntilIdle(page); // else the page itself says so, too
        await page.context().setOffline(true);
        await page.getByRole('button', { name: 'Save' }).click();
        await page
          .getByRole('alert')
          .getByText(/can’t be reached/)
          .waitFor();
        await waitUntilIdle(page);
        expect(await page.getByLabel('City').inputValue()).toBe('Kiel');
        // The page behind the dialog is fetched again after each mutation. It keeps what it shows.
        expect(await page.getByRole('alert').count()).toBe(1);
        expect(await page.locator('#content').getByRole('heading', { name: 'Changes' }).isVisible()).toBe(true);
        await page.context().setOffline(false);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Kiel').waitFor();
      });
      expect(await customers()).toMatchObject([{ city: 'Kiel' }]);
    });

    it('a draft that can’t be saved keeps its input', async () => {
      const { acme, work } = await bookkeeper();
      const id = await makeInvoice(acme);
      await work(`/invoices/${id}/edit`, async (page) => {
        await page.getByLabel('Subject').fill('Spring catalogue');
        await page.context().setOffline(true);
        await page.getByRole('button', { name: 'Save draft' }).click();
        await page
          .getByRole('alert')
          .getByText(/can’t be reached/)
          .waitFor();
        await waitUntilIdle(page);
        expect(await page.getByLabel('Subject').inputValue()).toBe('Spring catalogue');
        await page.context().setOffline(false);
        await page.getByRole('button', { name: 'Save draft' }).click();
        await page.getByText('Spring catalogue').waitFor();
      });
    });

    it('a mutation whose response was lost takes effect once when it is sent again', async () => {
      const { work, customers } = await bookkeeper();
      await work('/customers', async (page) => {
        await page.getByRole('button', { name: 'Add a customer' }).first().click();
        await page.getByLabel('Company name').fill('Nordlicht Verlag');
        await page.route('**/graphql', async (route) => {
          if (operationName(route.request()) !== 'CreateCustomer') return route.continue();
          await route.fetch();
          await route.abort();
        });
        await page.getByRole('button', { name: 'Add', exact: true }).click();
        await page
          .getByRole('alert')
          .getByText(/can’t be reached/)
          .waitFor();
        await page.unroute('**/graphql');
        await page.getByRole('button', { name: 'Add', exact: true }).click();
        await page.getByRole('heading', { level: 1, name: 'Nordlicht Verlag' }).waitFor();
      });
      expect(await customers()).toHaveLength(1);
    });
  });

  describe('refusals of a server that can’t answer now', () => {
    it.each([
      [429, 'RATE_LIMITED', /Too many requests at once/],
      [503, 'UNAVAILABLE', /can’t answer at the moment/],
      [500, 'INTERNAL_SERVER_ERROR', /Something went wrong on our side/],
    ])('%i: a form keeps its input, and the page what it shows', async (status, code, message) => {
      const { acme, work, customers } = await bookkeeper();
      const id = await makeCustomer(acme, { companyName: 'Nordlicht Verlag' });
      await work(`/customers/${id}`, async (page) => {
        await page.getByRole('button', { name: 'Edit' }).click();
        await page.getByLabel('City').fill('Kiel');
        await waitUntilIdle(page);
        const body = { errors: [{ message: 'No.', extensions: { code, requestId: 'r' } }] };
        const asked: (string | undefined)[] = [];
        await page.route('**/graphql', (route) => {
          asked.push(operationName(route.request()));
          return route.fulfill({ status, json: body, contentType: 'application/json' });
        });
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('dialog').getByRole('alert').getByText(message).waitFor();
        // The page behind the dialog is fetched again after each mutation, and the session with it.
        await expect.poll(() => asked).toContain('Session');
        await waitUntilIdle(page);
        expect(await page.getByLabel('City').inputValue()).toBe('Kiel');
        expect(await page.locator('#content').getByRole('heading', { name: 'Changes' }).isVisible()).toBe(true);
        const notice = page.getByText('Not everything could be loaded. What you see may be out of date.');
        await notice.waitFor();
        await page.unroute('**/graphql');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Kiel').waitFor();
        await notice.waitFor({ state: 'detached' });
      });
      expect(await customers()).toMatchObject([{ city: 'Kiel' }]);
    });

    it('a page says that a part of it is out of date, also when others could be loaded after it', async () => {
      const { acme, work } = await bookkeeper();
      const id = await makeCustomer(acme, { companyName: 'Nordlicht Verlag' });
      await work(`/customers/${id}`, async (page) => {
        const { promise: failed, resolve: fail } = Promise.withResolvers<void>();
        page.on('requestfailed', (request) => operationName(request) === 'Customer' && fail());
        await page.route('**/graphql', async (route) => {
          if (operationName(route.request()) === 'Customer') return route.abort();
          await failed;
          return route.continue();
        });
        const others = page.waitForResponse((response) => operationName(response.request()) === 'Session');
        await acme.rest('PATCH', `/customers/${id}`, { company_name: 'Nordlicht Buchverlag' });
        await (await others).finished();
        await waitUntilIdle(page);
        const notice = page.getByRole('status').filter({ hasText: 'What you see may be out of date.' });
        expect(await notice.count()).toBe(1);
        expect(await page.getByRole('heading', { level: 1, name: 'Nordlicht Verlag' }).count()).toBe(1);
        await page.unroute('**/graphql');
        await notice.getByRole('button', { name: 'Try again' }).click();
        await page.getByRole('heading', { level: 1, name: 'Nordlicht Buchverlag' }).waitFor();
        await notice.waitFor({ state: 'detached' });
      });
    });

    it('a page that is left takes with it that it is out of date', async () => {
      const { acme, work } = await bookkeeper();
      const id = await makeCustomer(acme, { companyName: 'Nordlicht Verlag' });
      await work(`/customers/${id}`, async (page) => {
        await page.route('**/graphql', (route) =>
          operationName(route.request()) === 'Customer'
            ? route.fulfill({ status: 503, contentType: 'application/json', body: '{}' })
            : route.continue(),
        );
        await acme.rest('PATCH', `/customers/${id}`, { company_name: 'Nordlicht Buchverlag' });
        const notice = page.getByText('Not everything could be loaded. What you see may be out of date.');
        await notice.waitFor();
        await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Projects' }).click();
        await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
        await waitUntilIdle(page);
        expect(await notice.count()).toBe(0);
        await page.unroute('**/graphql');
      });
    });

    it('a page that shows nothing yet says the reason, and is loaded by trying again', async () => {
      const { acme, work } = await bookkeeper();
      await makeCustomer(acme, { companyName: 'Nordlicht Verlag' });
      await work('/receipts', async (page) => {
        const body = { errors: [{ message: 'No.', extensions: { code: 'RATE_LIMITED' } }] };
        await page.route('**/graphql', (route) =>
          operationName(route.request()) === 'Customers'
            ? route.fulfill({ status: 429, json: body, contentType: 'application/json' })
            : route.continue(),
        );
        await navigateTo(page, 'Customers');
        await page.getByRole('alert').getByText('Too many requests at once').waitFor();
        await page.unroute('**/graphql');
        await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByText('Nordlicht Verlag').waitFor();
      });
    });
  });

  it('a form says so if it can’t be sent because of an error of ours', async () => {
    const { acme, work } = await newcomer();
    const id = await makeCustomer(acme, { companyName: 'Nordlicht Verlag' });
    await work(`/customers/${id}`, async (page, watch) => {
      watch.allowed.push(/broken by the test/);
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('City').fill('Kiel');
      await page.evaluate(() => {
        const fail = (): never => {
          throw new Error('broken by the test');
        };
        Object.assign(crypto, { getRandomValues: fail });
      });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').getByRole('alert').getByText('Something went wrong. Try again.').waitFor();
      expect(await page.getByLabel('City').inputValue()).toBe('Kiel');
    });
  });

  describe('an expired session', () => {
    it('submitting a form asks for the password, then submits it', async () => {
      const { acme, work, endSessions, customers } = await newcomer();
      await work('/customers', async (page) => {
        await page.getByRole('button', { name: 'Add a customer' }).first().click();
        await page.getByLabel('Company name').fill('Nordlicht Verlag');
        // By its stream, the page would learn it sooner.
        await page.route('**/graphql', (route) =>
          route.request().headers()['accept'] === 'text/event-stream' ? route.abort() : route.fallback(),
        );
        await endSessions();
        await page.getByRole('button', { name: 'Add', exact: true }).click();
        const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
        await dialog.waitFor();
        expect(new URL(page.url()).pathname).toBe(`/${acme.tenantId}/customers`);
        expect(await accessibilityViolations(page)).toEqual([]);
        await dialog.getByLabel(/^Password/).fill('not the password');
        await dialog.getByRole('button', { name: 'Sign in' }).click();
        await dialog.getByText('not right').waitFor();
        await dialog.getByLabel(/^Password/).fill(password);
        await dialog.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('heading', { level: 1, name: 'Nordlicht Verlag' }).waitFor();
      });
      expect(await customers()).toMatchObject([{ company_name: 'Nordlicht Verlag' }]);
    });

    it('asks for the password where nothing is done; opening a page leads to the sign-in page, and then to the page', async () => {
      const { acme, email, work, endSessions } = await newcomer();
      await work('/customers', async (page) => {
        await endSessions();
        await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
        await page.goto(`/${acme.tenantId}/invoices?status=DRAFT`);
        await page.getByText('Your session has ended').waitFor();
        await expectAccessible(page);
        expect(new URL(page.url()).searchParams.get('to')).toBe(`/${acme.tenantId}/invoices?status=DRAFT`);
        await signIn(page, email, page.url());
        expect(page.url()).toContain(`/${acme.tenantId}/invoices?status=DRAFT`);
      });
    });
  });

  describe('leaving a form', () => {
    const confirmation = (page: Page) => page.getByRole('dialog', { name: 'Discard your changes?' });
    const keep = async (page: Page): Promise<void> => {
      await confirmation(page).getByRole('button', { name: 'Keep editing' }).click();
      await confirmation(page).waitFor({ state: 'hidden' });
    };

    it('a link, Back, Cancel, signing out, and closing the tab ask for confirmation', async () => {
      const { acme, work } = await bookkeeper();
      await makeCustomer(acme);
      await work('/invoices', async (page) => {
        await page.getByRole('link', { name: 'New invoice' }).first().click();
        const subject = page.getByLabel('Subject');
        await subject.fill('Spring catalogue');
        const stays = async (): Promise<void> => {
          await keep(page);
          expect(await subject.inputValue()).toBe('Spring catalogue');
          expect(new URL(page.url()).pathname).toBe(`/${acme.tenantId}/invoices/new`);
        };
        await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Customers' }).click();
        // After a click, Chromium runs timers when it has painted. On a busy machine, the next question may come before.
        const timers = await page.evaluateHandle(() => {
          const { setTimeout } = window;
          Object.assign(window, { setTimeout: (run: () => void, after = 0) => setTimeout(run, after + 500) });
          return { setTimeout };
        });
        await stays();
        await page.evaluate(() => window.history.back());
        await stays();
        await timers.evaluate((punctual) => void Object.assign(window, punctual));
        await page.getByRole('button', { name: 'Cancel' }).click();
        await stays();
        await page.getByRole('button', { name: /^Account of/ }).click();
        await page.getByRole('menuitem', { name: 'Sign out' }).click();
        await stays();
        const dialogType = new Promise<string>((resolve) => {
          // Until the browser has kept the page, it goes nowhere else.
          page.once('dialog', (dialog) => resolve(dialog.dismiss().then(() => dialog.type())));
        });
        await page.close({ runBeforeUnload: true });
        expect(await dialogType).toBe('beforeunload');
        expect(await subject.inputValue()).toBe('Spring catalogue');

        await page.evaluate(() => window.history.back());
        await confirmation(page).getByRole('button', { name: 'Discard' }).click();
        await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor();
        await page.evaluate(() => window.history.forward());
        await page.getByRole('heading', { level: 1, name: 'New invoice' }).waitFor();
        await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Customers' }).click();
        await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor(); // without input there is no confirmation
      });
    });

    it('Escape and the close button of a dialog ask for confirmation only if there is input', async () => {
      const { work } = await bookkeeper();
      await work('/customers', async (page) => {
        const dialog = page.getByRole('dialog', { name: 'Add a customer' });
        const open = () => page.getByRole('button', { name: 'Add a customer' }).first().click();
        await open();
        await dialog.waitFor();
        await press(page, 'Escape');
        await dialog.waitFor({ state: 'hidden' });
        await open();
        await page.getByLabel('Company name').fill('Nordlicht Verlag');
        await press(page, 'Escape');
        await confirmation(page).waitFor();
        await expectAccessible(page);
        await press(page, 'Escape');
        await confirmation(page).waitFor({ state: 'hidden' });
        expect(await page.getByLabel('Company name').inputValue()).toBe('Nordlicht Verlag');
        await dialog.locator('.mantine-Modal-close').click();
        await keep(page);
        await press(page, 'Escape');
        await confirmation(page).getByRole('button', { name: 'Discard' }).click();
        await dialog.waitFor({ state: 'hidden' });
      });
    });
  });

  describe('changes made elsewhere', () => {
    const update =
      'mutation ($id: UUID!, $input: UpdateInvoiceInput!) { updateInvoice(id: $id, input: $input) { id } }';

    it('a changed draft: the change is shown, and both changes are saved', async () => {
      const { acme, work } = await bookkeeper();
      const id = await makeInvoice(acme);
      await work(`/invoices/${id}/edit`, async (page) => {
        await page.getByLabel('Subject').fill('Spring catalogue');
        await acme.graphql(update, { id, input: { dueDate: '2026-05-01' } });
        await page.getByRole('button', { name: 'Save draft' }).click();
        await page
          .getByRole('alert')
          .getByText('Due date was changed elsewhere to “May 1, 2026”, and updated here.')
          .waitFor();
        await expectAccessible(page);
        expect(await page.getByLabel('Due date').inputValue()).toBe('2026-05-01');
        expect(await page.getByLabel('Subject').inputValue()).toBe('Spring catalogue');
        await page.getByRole('button', { name: 'Save draft' }).click();
        await page.getByRole('heading', { level: 1, name: 'Draft', exact: true }).waitFor();
      });
      const { body } = await acme.rest('GET', `/invoices/${id}`);
      expect(body.data).toMatchObject({ subject: 'Spring catalogue', due_date: '2026-05-01' });
    });

    it.each([
      ['keeps the own value', false, 'Ulm'],
      ['takes the other value', true, 'Bonn'],
    ])('one field in two tabs: the second is told, and %s', async (_what, takesOther, result) => {
      const { acme, work } = await bookkeeper();
      const id = await makeCustomer(acme, { city: 'Kiel', postalCode: '1' });
      await work(`/customers/${id}`, async (second) => {
        await second.getByRole('button', { name: 'Edit' }).click();
        await second.getByLabel('City').fill('Ulm');
        const first = await second.context().newPage();
        await first.goto(second.url());
        await first.getByRole('button', { name: 'Edit' }).click();
        await first.getByLabel('City').fill('Bonn');
        await first.getByRole('button', { name: 'Save' }).click();
        await first.getByRole('dialog').waitFor({ state: 'detached' });

        await second.getByRole('button', { name: 'Save' }).click();
        const alert = second.getByRole('alert');
        await alert.getByText('City was also changed elsewhere to “Bonn”. Your change is kept.').waitFor();
        await expectAccessible(second);
        expect((await acme.rest('GET', `/customers/${id}`)).body.data.city).toBe('Bonn');
        if (takesOther) {
          await alert.getByRole('button', { name: 'Use the other value' }).click();
          await alert.getByText('City has the value from elsewhere: “Bonn”.').waitFor();
          expect(await second.getByLabel('City').inputValue()).toBe('Bonn');
        }
        await second.getByRole('button', { name: 'Save' }).click();
        await second.getByRole('dialog').waitFor({ state: 'detached' });
      });
      expect((await acme.rest('GET', `/customers/${id}`)).body.data).toMatchObject({ city: result, postal_code: '1' });
    });

    it('a change between reading and saving: the server refuses the version, and the change is shown', async () => {
      const { acme, work } = await bookkeeper();
      const id = await makeCustomer(acme, { city: 'Kiel' });
      await work(`/customers/${id}`, async (page) => {
        await page.getByRole('button', { name: 'Edit' }).click();
        await page.getByLabel('City').fill('Ulm');
        const versions: number[] = [];
        await page.route('**/graphql', async (route) => {
          if (operationName(route.request()) === 'UpdateCustomer') {
            const { variables } = route.request().postDataJSON() as { variables: { expectedVersion: number } };
            versions.push(variables.expectedVersion);
            // Somebody else is faster by a moment: first with another field, then with this one.
            const input = [{ email: 'a@b.example' }, { city: 'Bonn' }][versions.length - 1];
            const change =
              'mutation ($id: UUID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { id } }';
            if (input) await acme.graphql(change, { id, input });
          }
          await route.continue();
        });
        const save = page.getByRole('button', { name: 'Save' });
        const alert = page.getByRole('alert');
        await save.click();
        await alert.getByText('E-mail was changed elsewhere to “a@b.example”, and updated here.').waitFor();
        await save.click();
        await alert.getByText('City was also changed elsewhere to “Bonn”. Your change is kept.').waitFor();
        await save.click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        expect(versions).toEqual([1, 2, 3]);
      });
      const { data } = (await acme.rest('GET', `/customers/${id}`)).body;
      expect(data).toMatchObject({ city: 'Ulm', email: 'a@b.example' });
    });

    it('a changed company: what is refused stays in the form, and is saved once it is mended', async () => {
      const { acme, work } = await bookkeeper();
      await makeCompany(acme, { iban: 'DE02120300000000202051' });
      await work('/settings/company', async (page) => {
        const [name, account] = [page.getByLabel('Legal name'), page.getByLabel('IBAN')];
        const save = page.getByRole('button', { name: 'Save' });
        await name.fill('Nordlicht GmbH');
        await account.fill('DE00');
        await makeCompany(acme, { phone: '+49 30 1' });
        await save.click();
        await page
          .getByRole('alert')
          .getByText('Phone was changed elsewhere to “+49 30 1”, and updated here.')
          .waitFor();
        await save.click();
        await expect.poll(() => account.getAttribute('aria-invalid')).toBe('true');
        await waitUntilIdle(page);
        expect([await name.inputValue(), await account.inputValue()]).toEqual(['Nordlicht GmbH', 'DE00']);
        await account.fill('DE75512108001245126199');
        await save.click();
        await page.getByText('The company profile is saved.').waitFor();
        // Without unsaved input it shows what others change: a change of any row lets the page read all again.
        await makeCompany(acme, { legalName: 'Nordlicht GmbH', city: 'Kiel' });
        await makeCustomer(acme);
        await expect.poll(() => page.getByLabel('City').inputValue(), { timeout: 20_000 }).toBe('Kiel');
      });
      const { company } = await acme.graphql('{ company { legalName phone iban } }');
      expect(company).toEqual({ legalName: 'Nordlicht GmbH', phone: '+49 30 1', iban: 'DE75512108001245126199' });
    });

    it('a company that is being saved: what is typed meanwhile stays, and is saved afterwards', async () => {
      const { acme, work } = await bookkeeper();
      await makeCompany(acme);
      await work('/settings/company', async (page) => {
        const { promise: released, resolve: release } = Promise.withResolvers<void>();
        const asked = page.waitForRequest((request) => operationName(request) === 'UpdateCompany');
        await page.route('**/graphql', async (route) => {
          if (operationName(route.request()) === 'UpdateCompany') await released;
          await route.continue();
        });
        const save = page.getByRole('button', { name: 'Save' });
        await page.getByLabel('Legal name').fill('Nordlicht GmbH');
        await save.click();
        await asked;
        await page.getByLabel('City').fill('Kiel');
        const fetched = page.waitForResponse((response) => operationName(response.request()) === 'Company');
        release();
        await fetched;
        await waitUntilIdle(page);
        expect(await page.getByLabel('City').inputValue()).toBe('Kiel');
        await save.click();
        await page.getByText('The company profile is saved.').nth(1).waitFor();
      });
      const { company } = await acme.graphql('{ company { legalName city } }');
      expect(company).toEqual({ legalName: 'Nordlicht GmbH', city: 'Kiel' });
    });

    it('an issued draft: the input can be saved as a new draft', async () => {
      const { acme, work } = await bookkeeper();
      const id = await makeInvoice(acme);
      await work(`/invoices/${id}/edit`, async (page) => {
        await page.getByLabel('Subject').fill('Spring catalogue');
        await acme.graphql('mutation ($id: UUID!) { issueInvoice(id: $id) { id } }', { id });
        await page.getByRole('button', { name: 'Save draft' }).click();
        await page.getByRole('alert').getByText('has been issued as invoice 2026-0001').waitFor();
        expect(await page.getByLabel('Subject').inputValue()).toBe('Spring catalogue');
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Save as new draft' }).click();
        await page.getByRole('heading', { level: 1, name: 'Draft', exact: true }).waitFor();
      });
      const { body } = await acme.rest('GET', '/invoices');
      expect(body.data).toMatchObject([{ status: 'draft', subject: 'Spring catalogue' }, { status: 'issued' }]);
    });

    it('a booked receipt: the reason is shown, and the input stays', async () => {
      const { acme, work } = await bookkeeper();
      const id = await makeReceipt(acme);
      await work(`/receipts/${id}`, async (page) => {
        await page.getByRole('button', { name: 'Edit' }).click();
        await page.getByLabel('Category').fill('Travel');
        await acme.graphql('mutation ($id: UUID!) { bookReceipt(id: $id) { id } }', { id });
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('alert').getByText('has been booked').waitFor();
        expect(await page.getByLabel('Category').inputValue()).toBe('Travel');
      });
    });
  });

  describe('changes of a webhook made elsewhere', () => {
    const webhookOf = async ({ graphql }: Integrator): Promise<string> => {
      const input = { url: 'https://hooks.example/kontor', events: ['invoice.issued'], description: 'The warehouse' };
      const made = await graphql(
        'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }',
        { input },
      );
      return made.createWebhook.webhook.id as string;
    };

    it('a changed webhook: the change is shown, and both changes are saved', async () => {
      const { acme, work } = await bookkeeper();
      const id = await webhookOf(acme);
      await work(`/settings/webhooks/${id}`, async (page) => {
        await page.getByRole('button', { name: 'Edit' }).click();
        await page.getByLabel('Description').fill('The shop');
        await acme.graphql(
          'mutation ($id: UUID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { id } }',
          { id, input: { events: ['invoice.paid'], description: 'The store' } },
        );
        await page.getByRole('button', { name: 'Save' }).click();
        const alert = page.getByRole('alert');
        await alert.getByText('Description was also changed elsewhere to “The store”. Your change is kept.').waitFor();
        await alert.getByText('Events was changed elsewhere, and updated here.').waitFor();
        await expectAccessible(page);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      });
      const { webhook } = await acme.graphql('query ($id: UUID!) { webhook(id: $id) { description events } }', { id });
      expect(webhook).toEqual({ description: 'The shop', events: ['invoice.paid'] });
    });

    it('a deleted webhook: the reason is shown, and the input stays', async () => {
      const { acme, work } = await bookkeeper();
      const id = await webhookOf(acme);
      await work(`/settings/webhooks/${id}`, async (page) => {
        await page.getByRole('button', { name: 'Edit' }).click();
        await page.getByLabel('Description').fill('The shop');
        await acme.graphql('mutation ($id: UUID!) { deleteWebhook(id: $id) { id } }', { id });
        // The page looks again when the window is shown, and would have nothing to show below the form.
        await showWindow(page, 'hidden');
        await waitUntilIdle(page);
        await showWindow(page, 'visible');
        await page.waitForTimeout(3000);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('alert').getByText('This webhook has been deleted.').waitFor();
        expect(await page.getByLabel('Description').inputValue()).toBe('The shop');
      });
    });
  });

  it('offline, a page whose code is not loaded shows an error, and loads when the connection is back', async () => {
    const { acme, work } = await newcomer();
    await work('/customers', async (page) => {
      await page.context().setOffline(true);
      const menu = page.getByRole('navigation', { name: 'Main' });
      await menu.getByRole('link', { name: 'Time entries' }).click();
      await page.getByText('This page couldn’t be loaded').waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await page.getByText('This page couldn’t be loaded').waitFor();
      expect(new URL(page.url()).pathname).toBe(`/${acme.tenantId}/time-entries`);
      await menu.getByRole('link', { name: 'Customers' }).click();
      await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
      await menu.getByRole('link', { name: 'Time entries' }).click();
      await page.getByText('This page couldn’t be loaded').waitFor();
      await page.context().setOffline(false);
      await page.getByRole('main').getByRole('button', { name: 'Try again' }).last().click();
      await page.getByRole('heading', { level: 1, name: 'Time entries' }).waitFor();
    });
  });
});
