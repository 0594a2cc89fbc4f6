import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buyer, setCompany } from '../documents/parties.ts';
import { makeCustomer, makeInvoice } from '../graphql/books.ts';
import { navigateTo, operationName, showWindow, signedInBookkeeper, startApp, type App, waitUntilIdle } from './app.ts';
import { noBrowser } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

describe.skipIf(noBrowser)('pages are live', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  it('a list shows what others add, and the overview counts it', async () => {
    const { acme, open } = await pages.bookkeeper();
    const add = (name: string) => acme.rest('POST', '/customers', { type: 'customer', company_name: name });
    await add('Nordlicht Verlag');
    await pages.visit({}, async (page) => {
      await open(page, '/customers');
      await page.getByText('Nordlicht Verlag').waitFor();
      const { body } = await add('Globex');
      await page.getByText('Globex').waitFor();
      await open(page, '/');
      expect(await page.getByText('1 draft of an invoice').count()).toBe(0);
      await acme.rest('POST', '/invoices', {
        customer_id: body.data.id,
        invoice_date: '2026-01-31',
        items: [{ title: 'Layout', quantity: 1, unit_price_net: 85, vat_rate: 19 }],
      });
      await page.getByText('1 draft of an invoice').waitFor();
    });
  });

  it('a page that was hidden is fetched again when it is seen, and a tab has one subscription', async () => {
    const { acme, open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      const asked: (string | undefined)[] = [];
      page.on('request', (request) => asked.push(operationName(request)));
      await open(page, '/customers');
      await navigateTo(page, 'Receipts');
      await navigateTo(page, 'Customers');
      expect(asked.filter((name) => name === 'BooksChanged')).toHaveLength(1);
      await waitUntilIdle(page);
      await showWindow(page, 'hidden');
      await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Globex' });
      expect(await page.getByText('Globex').count()).toBe(0);
      await showWindow(page, 'visible');
      await page.getByText('Globex').waitFor();
    });
  });

  it('a page that is seen again also shows what changes before its subscription has begun', async () => {
    const { acme, open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, '/customers');
      await showWindow(page, 'hidden');
      const { promise: fetched, resolve: begin } = Promise.withResolvers<void>();
      await page.route('**/graphql', async (route) => {
        if (operationName(route.request()) === 'BooksChanged') await fetched;
        await route.continue();
      });
      const answer = page.waitForResponse((response) => operationName(response.request()) === 'Customers');
      await showWindow(page, 'visible');
      await (await answer).finished();
      await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Globex' });
      begin();
      await page.getByText('Globex').waitFor();
    });
  });

  it('a page that is loaded also shows what changes before its subscription has begun', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    await app.visit({}, async (page) => {
      const { promise: fetched, resolve: begin } = Promise.withResolvers<void>();
      await page.route('**/graphql', async (route) => {
        if (operationName(route.request()) === 'BooksChanged') await fetched;
        await route.continue();
      });
      await open(page, '/customers');
      await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Globex' });
      begin();
      await page.getByText('Globex').waitFor();
    });
  });

  it('a page whose subscription begins before it asks for anything asks for nothing twice', async () => {
    const { open } = await signedInBookkeeper(app);
    await app.visit({}, async (page) => {
      const asked: (string | undefined)[] = [];
      page.on('request', (request) => asked.push(operationName(request)));
      // The page asks for its rows once the session is known.
      const begun = page.waitForResponse((response) => operationName(response.request()) === 'BooksChanged');
      await page.route('**/graphql', async (route) => {
        if (operationName(route.request()) === 'Session') await begun;
        await route.continue();
      });
      await open(page, '/customers');
      await page.waitForTimeout(2000);
      expect(asked.filter((name) => name === 'Customers')).toHaveLength(1);
    });
  });

  it('a page whose subscription failed by a fault of the server is live once that is over', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    const name = async (from: string, to: string) => app.service.pool.query(`alter function ${from} rename to ${to}`);
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/500/);
      await name('last_change_position', 'missing');
      try {
        const refused = page.waitForResponse((response) => operationName(response.request()) === 'BooksChanged');
        await open(page, '/customers');
        await refused;
      } finally {
        await name('missing', 'last_change_position');
      }
      await page.waitForResponse((response) => operationName(response.request()) === 'BooksChanged');
      await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Globex' });
      await page.getByText('Globex').waitFor();
    });
  });

  it('an answer that a change has overtaken is asked for again', async () => {
    const { acme, open } = await pages.bookkeeper();
    await setCompany(acme);
    const id = await makeInvoice(acme, { customerId: await makeCustomer(acme, buyer) });
    await pages.visit({ acceptDownloads: true }, async (page) => {
      await open(page, `/invoices/${id}`);
      const download = page.getByRole('button', { name: 'Download PDF' });
      await download.waitFor();
      const { promise: issued, resolve: release } = Promise.withResolvers<void>();
      const { promise: read, resolve: isRead } = Promise.withResolvers<void>();
      await page.route(
        '**/graphql',
        async (route) => {
          const response = await route.fetch();
          isRead();
          await issued;
          await route.fulfill({ response });
        },
        { times: 1 },
      );
      const saved = page.waitForEvent('download');
      await download.click();
      await read;
      await page.getByRole('button', { name: 'Issue', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Issue', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: /2026-0001/ }).waitFor();
      release();
      expect((await saved).suggestedFilename()).toBe('2026-0001.pdf');
    });
  });

  it('unsaved input stays, and the page is fetched again once it is saved', async () => {
    const { acme, open } = await pages.bookkeeper();
    await acme.graphql('mutation { updateCompany(input: { legalName: "Acme GmbH" }) { id } }');
    await pages.visit({}, async (page) => {
      await open(page, '/settings/company');
      const city = page.getByLabel('City');
      await city.fill('Kiel');
      const fetched: string[] = [];
      page.on('request', (request) => {
        if (operationName(request) === 'Company') fetched.push('Company');
      });
      await acme.graphql('mutation { updateCompany(input: { postalCode: "24103" }) { id } }');
      await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Globex' });
      await page.waitForTimeout(7000);
      expect(await city.inputValue()).toBe('Kiel');
      expect(fetched).toEqual([]);
      // Saving merges what was changed elsewhere; then the page follows again.
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Not saved yet: changed elsewhere').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => page.getByLabel('Postal code').inputValue()).toBe('24103');
      expect(await city.inputValue()).toBe('Kiel');
    });
  });

  it('hundreds of changes cost a page few requests', async () => {
    const { acme, open } = await pages.bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, '/customers');
      const times: number[] = [];
      page.on('request', (request) => {
        if (operationName(request) === 'Customers') times.push(performance.now());
      });
      for (let batch = 0; batch < 10; batch++) {
        const items = Array.from({ length: 50 }, (_, at) => ({ type: 'customer', company_name: `C ${batch} ${at}` }));
        const { body } = await acme.rest('POST', '/customers/batch', { items });
        // On a busy machine, the last items of a long batch would not be begun.
        expect(body.results.filter(({ status }: { status: number }) => status !== 201)).toEqual([]);
      }
      await page.getByText('of 500').waitFor();
      const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThan(4000);
    });
  });

  it('many deliveries cost a page few requests', async () => {
    const { acme, open } = await pages.bookkeeper();
    await acme.graphql('mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }', {
      input: { url: `${app.receiver.url}/busy` },
    });
    await pages.visit({}, async (page) => {
      await open(page, '/deliveries');
      const times: number[] = [];
      page.on('request', (request) => {
        if (operationName(request) === 'Deliveries') times.push(performance.now());
      });
      const begin = performance.now();
      for (let at = 0; at < 20; at++) {
        await acme.rest('POST', '/customers', { type: 'customer', company_name: `C ${at}` });
        await page.waitForTimeout(250);
      }
      const delivered = page.getByRole('row').filter({ hasText: 'customer.created' }).filter({ hasText: 'Delivered' });
      await expect.poll(() => delivered.count(), { timeout: 20_000 }).toBe(20);
      // The feed of the books fetches the page again, too: every five seconds at most.
      expect(times.length).toBeLessThan((performance.now() - begin) / 1000 + 3);
    });
  });
});
