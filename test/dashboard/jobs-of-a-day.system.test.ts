import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { png } from '../attachments/files.ts';
import { buyer, company, setCompany } from '../documents/parties.ts';
import { makeCustomer, makeInvoice } from '../graphql/books.ts';
import { expectAccessible, signedInBookkeeper, startApp, waitUntilIdle, type App } from './app.ts';
import { noBrowser } from './browser.ts';
import { byKeyboard, byTouch, ways, type Hands } from './hands.ts';
import { textsIn, type Say } from './page-texts.ts';
import { countUnmatched, makePairs } from './pairs.ts';

// The jobs of a day by keyboard on a desktop and by touch on a phone, with the number of actions that they take. A job's texts come
// from one file, which a test keeps complete, so each language is played by one of the ways: the other two pairs of editing,
// matching, and a receipt's file are in editor, bank-inbox, and receipt-file.system.test.ts.

const many = 10_000;
const locales = { [byKeyboard.name]: 'de-DE', [byTouch.name]: 'en-GB' };

interface Job {
  name: string;
  /** The most actions: by keyboard, with a few for Tabs that a busy browser loses, and by touch. */
  most: [keyboard: number, touch: number];
  play: (page: Page, hands: Hands, say: Say) => Promise<unknown>;
}

describe.skipIf(noBrowser)('the jobs of a day', { timeout: 180_000 }, () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app?.close());

  it.each(ways.map(([way, take, options]) => [way, locales[take.name] ?? '', take, options] as const))(
    'are done in few actions, without a violation, %s, %s',
    async (way, locale, take, options) => {
      const { acme, open } = await signedInBookkeeper(app);
      const say = textsIn(locale);
      await setCompany(acme, { ...company, defaultVatRate: '19' });
      await makeCustomer(acme, { ...buyer, companyName: 'Nordlicht Verlag' });
      await app.service.pool.query(
        `insert into customers (tenant_id, id, type, company_name, updated_at)
         select $1, uuidv7(), 'customer', 'Customer ' || lpad(n::text, 5, '0'), now() from generate_series(1, $2) n`,
        [acme.tenantId, many],
      );
      const pairs = await makePairs(acme, 20);
      const invoice = await makeInvoice(acme, { status: 'PAID' });
      const taken: Record<string, number> = {};
      const job = async (page: Page, at: string, { name, most, play }: Job): Promise<void> => {
        await open(page, at);
        const hands = take();
        await play(page, hands, say);
        await waitUntilIdle(page);
        await expectAccessible(page);
        taken[name] = hands.actions;
        expect([name, hands.actions, hands.actions <= most[take === byKeyboard ? 0 : 1]]).toEqual([
          name,
          hands.actions,
          true,
        ]);
      };
      await app.visit({ ...options, locale }, async (page) => {
        await job(page, '/', findOne);
        await job(page, '/invoices/new', issue);
        await job(page, '/receipts', bookAndPay);
        await job(page, '/bank-transactions?status=UNMATCHED', matchTwenty);
        await job(page, `/invoices/${invoice}`, credit);
        await job(page, '/settings/period-locks', closeMonth);
      });
      if (process.env['SHOW_ACTIONS']) process.stdout.write(`${way}, ${locale}: ${JSON.stringify(taken)}\n`);
      const read = async (path: string) => (await acme.rest('GET', path)).body.data;
      const [issued] = (await read('/invoices?per_page=1')) as { status: string; total_gross: number }[];
      expect(issued).toMatchObject({ status: 'issued', total_gross: 119 });
      const [receipt] = (await read('/receipts')) as { id: string; status: string }[];
      expect(receipt).toMatchObject({ status: 'paid', amount_gross: 59.5 });
      expect(await read(`/receipts/${receipt?.id}/attachments`)).toMatchObject([{ filename: 'photo.png' }]);
      expect(await countUnmatched(acme)).toBe(0);
      for (const { invoiceId } of pairs) expect(await read(`/invoices/${invoiceId}`)).toMatchObject({ status: 'paid' });
      expect(await read('/credit-notes')).toMatchObject([{ invoice_id: invoice }]);
      expect((await read('/period-locks')).items).toMatchObject([{ series: 'all', kind: 'soft' }]);
    },
  );
});

const findOne: Job = {
  name: 'find one of 10,000',
  most: [3, 3],
  play: async (page, hands, say) => {
    const field = page.getByRole('textbox', { name: say('Search everything') });
    if (hands.way === 'touch') await hands.use(page, page.getByRole('button', { name: say('Search') }).first());
    else await hands.press(page, '/');
    await field.waitFor();
    await hands.type(page, 'Customer 07654');
    const option = page.getByRole('option', { name: 'Customer 07654' }).first();
    await option.waitFor();
    await hands.choose(page, option);
    await page.getByRole('heading', { level: 1, name: 'Customer 07654' }).waitFor();
  },
};

const credit: Job = {
  name: 'credit an invoice',
  most: [18, 3],
  play: async (page, hands, say) => {
    await hands.begin(page);
    await hands.use(page, page.getByRole('link', { name: say('Create credit note') }));
    await page.getByRole('heading', { level: 1, name: say('New credit note') }).waitFor();
    await hands.use(page, page.getByRole('button', { name: say('Create credit note') }));
    await hands.use(page, page.getByRole('dialog').getByRole('button', { name: say('Create'), exact: true }));
    await page.getByRole('heading', { level: 1, name: new RegExp(`^${say('Credit note')} `) }).waitFor();
  },
};

const issue: Job = {
  name: 'issue an invoice',
  most: [27, 9],
  play: async (page, hands, say) => {
    const field = (column: string) => page.locator(`[data-path="items.0.${column}"]`);
    await hands.begin(page);
    await hands.focus(page, page.getByRole('combobox', { name: say('Customer') }));
    await hands.type(page, 'nordl');
    const option = page.getByRole('option', { name: 'Nordlicht Verlag' });
    await option.waitFor();
    await hands.choose(page, option);
    await page.getByRole('listbox').waitFor({ state: 'hidden' });
    // The keys of the editor: to the lines, and past quantity and unit.
    const go = async (column: string, ...keys: string[]): Promise<void> => {
      if (hands.way === 'touch') await hands.focus(page, field(column));
      else for (const key of keys) await hands.press(page, key);
      await expect.poll(() => field(column).evaluate((node) => node === document.activeElement)).toBe(true);
    };
    await go('title', 'Control+Enter');
    await hands.type(page, 'Concept');
    await go('unitPriceNet', 'Enter', 'Enter', 'Enter');
    await hands.type(page, '100');
    await hands.use(page, page.getByRole('button', { name: say('Issue…') }));
    await page.getByRole('list', { name: say('Checklist') }).waitFor();
    await hands.use(page, page.getByRole('dialog').getByRole('button', { name: say('Issue'), exact: true }));
    await page.getByRole('heading', { level: 1, name: new RegExp(`^${say('Invoice')} 20`) }).waitFor();
  },
};

const bookAndPay: Job = {
  name: 'book a receipt with its file, and pay it',
  most: [44, 6],
  play: async (page, hands, say) => {
    await hands.begin(page);
    const chooser = page.waitForEvent('filechooser');
    await hands.use(page, page.getByRole('button', { name: say('Choose files') }));
    await (await chooser).setFiles({ name: 'photo.png', mimeType: 'image/png', buffer: png });
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('img', { name: 'photo.png' }).waitFor();
    await hands.focus(page, dialog.getByLabel(say('Amount, gross')));
    await hands.type(page, say('Amount, gross') === 'Amount, gross' ? '59.50' : '59,50');
    await hands.use(page, dialog.getByRole('button', { name: say('Add'), exact: true }));
    await page.getByRole('heading', { level: 1, name: say('Receipt'), exact: true }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('main').getByText('photo.png').first().waitFor(); // the page has all of the receipt
    await hands.use(page, page.getByRole('button', { name: say('Record a payment') }));
    await hands.use(page, dialog.getByRole('button', { name: say('Record the payment') }));
    await page.getByText(say('The receipt is paid.')).first().waitFor();
  },
};

const matchTwenty: Job = {
  name: 'match twenty transactions',
  most: [20, 21],
  play: async (page, hands, say) => {
    const best = page.locator('[data-best]');
    if (hands.way === 'touch') await hands.use(page, page.getByRole('link', { name: 'Globex' }).first());
    for (let left = 20; left > 0; left -= 1) {
      await best.waitFor();
      const before = page.url();
      if (hands.way === 'touch') await hands.use(page, best);
      else await hands.press(page, 'Enter');
      await expect.poll(() => page.url() !== before || left === 1, { timeout: 20_000 }).toBe(true);
    }
    await page
      .getByText(say(hands.way === 'touch' ? 'No other transaction is unmatched.' : 'Nothing to match'))
      .waitFor();
  },
};

const closeMonth: Job = {
  name: 'close a month',
  most: [16, 2],
  play: async (page, hands, say) => {
    await hands.begin(page);
    await hands.use(page, page.getByRole('button', { name: say('Set a lock') }));
    await hands.use(page, page.getByRole('dialog').getByRole('button', { name: say('Set the lock') }));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('cell').first().waitFor();
  },
};
