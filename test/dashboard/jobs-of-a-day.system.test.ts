import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeInvoice, makeReceipt } from '../graphql/books.ts';
import { expectAccessible, signedInBookkeeper, startApp, waitUntilIdle, type App } from './app.ts';
import { noBrowser } from './browser.ts';
import { ways, type Hands } from './hands.ts';
import { textsIn, type Say } from './page-texts.ts';

// The jobs of a day that no other test plays by keyboard and by touch, with the number of actions that they take. Issuing is in
// editor.system.test.ts, matching in bank-inbox.system.test.ts, a receipt's file in receipt-file.system.test.ts.

const many = 10_000;

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

  it.each(ways.flatMap((way) => (['en-GB', 'de-DE'] as const).map((locale) => [...way, locale] as const)))(
    'are done in few actions, %s',
    async (way, take, options, locale) => {
      const { acme, open } = await signedInBookkeeper(app);
      const say = textsIn(locale);
      const rows = Array.from({ length: many }, (_, at) =>
        acme.db.row('Customer', { companyName: `Customer ${String(at).padStart(5, '0')}`, type: 'CUSTOMER' }),
      );
      await acme.db.insert({ Customer: rows });
      const invoice = await makeInvoice(acme, { status: 'PAID' });
      const receipt = await makeReceipt(acme, { status: 'BOOKED' });
      const taken: Record<string, number> = {};
      const job = async (page: Page, at: string, { name, most, play }: Job): Promise<void> => {
        await open(page, at);
        const hands = take();
        await play(page, hands, say);
        await waitUntilIdle(page);
        await expectAccessible(page);
        taken[name] = hands.actions;
        expect([name, hands.actions <= most[way.includes('keyboard') ? 0 : 1]]).toEqual([name, true]);
      };
      await app.visit({ ...options, locale }, async (page) => {
        await job(page, '/', findOne);
        await job(page, `/invoices/${invoice}`, credit);
        await job(page, `/receipts/${receipt}`, pay);
        await job(page, '/settings/period-locks', closeMonth);
      });
      if (process.env['SHOW_ACTIONS']) process.stdout.write(`${way}, ${locale}: ${JSON.stringify(taken)}\n`);
      expect((await acme.rest('GET', `/receipts/${receipt}`)).body.data.status).toBe('paid');
      expect((await acme.rest('GET', '/credit-notes')).body.data).toMatchObject([{ invoice_id: invoice }]);
      expect((await acme.rest('GET', '/period-locks')).body.data.items).toMatchObject([
        { series: 'all', kind: 'soft' },
      ]);
    },
  );
});

const findOne: Job = {
  name: 'find one of 10,000',
  most: [3, 3],
  play: async (page, hands, say) => {
    const field = page.getByRole('textbox', { name: say('Search everything') });
    if (await page.evaluate(() => matchMedia('(pointer: coarse)').matches || navigator.maxTouchPoints > 0))
      await hands.use(page, page.getByRole('button', { name: say('Search') }).first());
    else {
      await waitUntilIdle(page);
      hands.actions += 1;
      await page.keyboard.press('/');
    }
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

const pay: Job = {
  name: 'pay a receipt',
  most: [15, 2],
  play: async (page, hands, say) => {
    await hands.begin(page);
    await hands.use(page, page.getByRole('button', { name: say('Record a payment') }));
    await hands.use(page, page.getByRole('dialog').getByRole('button', { name: say('Record the payment') }));
    await page.getByText(say('The receipt is paid.')).first().waitFor();
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
