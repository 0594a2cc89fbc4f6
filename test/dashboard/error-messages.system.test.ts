import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCustomer, makeInvoice } from '../graphql/books.ts';
import { expectAccessible, waitUntilIdle, startApp, type App } from './app.ts';
import { unknownId } from '../rest/samples.ts';
import { noBrowser } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

// A program's terms, and the API's own paths.
const technical = /UUID|YYYY|ISO \d|ISO 8601|\bnull\b|\bstring\b|cursor|\binput\b|customerId|\bid:/;

describe.skipIf(noBrowser)('error messages have no technical terms', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  const bookkeeper = () => pages.bookkeeper();

  it('an empty form shows an error beside each required field', async () => {
    const { open } = await bookkeeper();
    await pages.visit({}, async (page) => {
      const send = async (button: string): Promise<string> => {
        await page.getByRole('button', { name: button, exact: true }).last().click();
        await page.locator('[aria-invalid="true"]').first().waitFor();
        await waitUntilIdle(page);
        return page.locator('body').innerText();
      };
      await open(page, '/invoices/new');
      await page.getByRole('textbox', { name: /^Quantity/ }).fill('');
      const invoice = await send('Save draft');
      expect(invoice).toContain('Choose one.');
      expect(invoice).toContain('Enter a number, such as 1,234.56.');
      expect(invoice).not.toMatch(technical);

      await open(page, '/receipts');
      await page.getByRole('button', { name: 'Add a receipt' }).first().click();
      await page.getByLabel('Date', { exact: false }).first().fill('');
      expect(await send('Add')).not.toMatch(technical);
    });
  });

  it.each([
    ['/invoices/nothing', 'Not found'],
    ['/customers/nothing', 'Not found'],
    ['/invoices?customer=nobody', 'This link doesn’t work'],
    ['/receipts?after=nowhere', 'This link doesn’t work'],
    ['/time-entries?from=never', 'This link doesn’t work'],
    ['/audit-log?from=never', 'This link doesn’t work'],
    ['/audit-log?from=20266-01-01', 'This link doesn’t work'],
    ['/deliveries?from=never', 'This link doesn’t work'],
    ['/deliveries?to=20266-01-01', 'This link doesn’t work'],
  ])('%s: an invalid URL shows %j', async (path, message) => {
    const { open } = await bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, path);
      await page.getByText(message).waitFor();
      await expectAccessible(page);
      expect(await page.getByRole('main').innerText()).not.toMatch(technical);
      const button = page.getByRole('link', { name: 'Show the list without filters' });
      if (!(await button.isVisible())) return;
      await button.click();
      await page.getByText(message).waitFor({ state: 'detached' });
      expect(new URL(page.url()).search).toBe('');
    });
  });

  it.each([
    '/invoices/ID',
    '/invoices/ID/edit',
    '/invoices/ID/credit-note',
    '/credit-notes/ID',
    '/customers/ID',
    '/receipts/ID',
    '/projects/ID',
    '/bank-transactions/ID',
    '/deliveries/ID',
    '/settings/webhooks/ID',
  ])('%s of nothing shows "Not found"', async (path) => {
    const { open } = await bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, path.replace('ID', unknownId));
      await page.getByText('Not found').waitFor();
      await expectAccessible(page);
    });
  });

  it('a failed action shows the reason without a field path', async () => {
    const { acme, open } = await bookkeeper();
    const id = await makeCustomer(acme);
    await makeInvoice(acme, { customerId: id });
    await pages.visit({}, async (page) => {
      await open(page, `/customers/${id}`);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      const toast = page.getByRole('alert').filter({ hasText: 'That didn’t work' });
      await toast.waitFor();
      expect(await toast.innerText()).toMatch(/^That didn’t work\s+Invoices refer to this customer\.$/);
    });
  });

  it('a token’s day of expiry that is none, or has a year of five digits, shows an error beside the field', async () => {
    const { open } = await bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, '/settings/api-tokens');
      await page.getByRole('button', { name: 'Generate a token' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Warehouse');
      await dialog.getByRole('combobox', { name: 'Expires' }).click();
      await page.getByRole('option', { name: 'On a date of your choice' }).click();
      for (const none of ['20266-01-01', '']) {
        await dialog.getByLabel('Expiry date').fill(none);
        await dialog.getByRole('button', { name: 'Generate the token' }).click();
        await dialog.getByText('Choose a date.').waitFor();
        await dialog.getByLabel('Expiry date').fill('2030-01-01');
        await dialog.getByText('Choose a date.').waitFor({ state: 'detached' });
      }
      await dialog.getByRole('button', { name: 'Generate the token' }).click();
      await page.getByLabel('the token', { exact: true }).waitFor();
    });
  });

  it('a picker without results creates a new row and selects it', async () => {
    const { acme, open } = await bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, '/invoices/new');
      await page.getByRole('textbox', { name: /^Title/ }).fill('Layout');
      await page.getByRole('textbox', { name: /^Unit price/ }).fill('100');
      await page.getByRole('textbox', { name: /^VAT/ }).fill('19');
      const customer = page
        .getByRole('combobox', { name: 'Customer' })
        .or(page.getByLabel(/^Customer/))
        .first();
      await customer.fill('Nordlicht Verlag');
      await page.getByRole('option', { name: 'Add “Nordlicht Verlag”' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add a customer' });
      expect(await dialog.getByLabel('Company name').inputValue()).toBe('Nordlicht Verlag');
      await expectAccessible(page);
      await dialog.getByLabel('City').fill('Kiel');
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
      await expect.poll(() => customer.inputValue()).toBe('Nordlicht Verlag');
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByRole('heading', { level: 1, name: 'Draft', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Nordlicht Verlag' }).waitFor();
    });
    expect((await acme.rest('GET', '/customers')).body.data).toMatchObject([{ city: 'Kiel', type: 'customer' }]);
  });

  it('a picker offers to create a row once it has searched, and goes on offering it', async () => {
    const { open } = await bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, '/invoices/new');
      const offered = await page.evaluateHandle(() => {
        const states: boolean[] = [];
        const look = (): void => {
          const options = [...document.querySelectorAll('[role="option"]')];
          states.push(options.some(({ textContent }) => textContent.startsWith('Add “')));
        };
        new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
        return states;
      });
      await page.getByRole('combobox', { name: 'Customer' }).fill('Nordlicht Verlag');
      await page.getByRole('option', { name: 'Add “Nordlicht Verlag”' }).waitFor();
      await page.waitForTimeout(1000); // the search begins after a pause
      const states = await offered.jsonValue();
      expect(states.slice(states.indexOf(true))).not.toContain(false);
      expect(states).toContain(true);
    });
  });

  it('"Add a line" moves the focus to the new line', async () => {
    const { open } = await bookkeeper();
    await pages.visit({}, async (page) => {
      await open(page, '/invoices/new');
      const title = (line: number) => page.getByRole('textbox', { name: `Title, line ${line}` });
      const isFocused = (line: number) => title(line).evaluate((node) => node === document.activeElement);
      await page.getByRole('button', { name: 'Add a line' }).click();
      await expect.poll(() => isFocused(2)).toBe(true);
      await page.getByRole('button', { name: 'Move up, line 2' }).click();
      expect(await isFocused(1)).toBe(false);
      await page.getByRole('button', { name: 'Add a line' }).click();
      await expect.poll(() => isFocused(3)).toBe(true);
      await page.getByRole('button', { name: 'Remove, line 3' }).click();
      const add = page.getByRole('button', { name: 'Add a line' });
      await expect.poll(() => add.evaluate((node) => node === document.activeElement)).toBe(true);
    });
  });
});
