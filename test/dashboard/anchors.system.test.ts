import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAnchor } from '../../schema/resources/anchor/make-anchor.ts';
import { createAnchorKey } from '../../schema/resources/anchor/signature.ts';
import { makeIssuedInvoice, setCompany } from '../documents/parties.ts';
import { makeBankTransaction, makeCustomer, makeInvoice } from '../graphql/books.ts';
import { proveAndSeal } from '../verify/books.ts';
import { expectAccessible, operationName, startApp, type App } from './app.ts';
import { noBrowser } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';
import { layoutProblems } from './layout-problems.ts';

describe.skipIf(noBrowser)('anchors, and a credit in a match', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  it('anchors are listed, and saved as `kontor verify` takes them', async () => {
    const { acme, open } = await pages.bookkeeper();
    await setCompany(acme);
    await makeIssuedInvoice(acme);
    await proveAndSeal(app.service, acme);
    await makeAnchor(await app.service.contextOf(acme), createAnchorKey(randomBytes(32)));
    const token = Buffer.from('the token');
    await acme.db.anchor.updateMany({ data: { timestampToken: token, timestampedAt: new Date() } });
    const timestamp = token.toString('base64');
    const { at, content, public_key, signature, documents } = (await acme.rest('GET', '/anchors')).body.data[0];
    for (const width of [380, 768, 1280])
      await pages.visit({ viewport: { width, height: 900 } }, async (page) => {
        await open(page, '/anchors');
        await page
          .getByText(`${documents.hash.slice(0, 12)}…`)
          .first()
          .waitFor();
        await page.getByRole('button', { name: 'Copy the hash of the last document proof' }).first().waitFor();
        await expectAccessible(page);
        expect(await layoutProblems(page, { touch: 24 })).toEqual([]);
        const saving = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Download all anchors' }).click();
        const file = await saving;
        expect(file.suggestedFilename()).toBe('anchors.jsonl');
        expect(JSON.parse(await text(await file.createReadStream()))).toEqual({
          content,
          public_key,
          signature,
          timestamp,
        });
        const savingToken = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Download the time-stamp' }).first().click();
        const saved = await savingToken;
        expect(saved.suggestedFilename()).toBe(`anchor-${at.slice(0, 10)}.tst`);
        expect(await text(await saved.createReadStream())).toBe('the token');
      });
  });

  it('says in the page’s language why the anchors are not saved', async () => {
    const { open } = await pages.bookkeeper();
    await pages.visit({ locale: 'de-DE' }, async (page, watch) => {
      watch.allowed.push(/Failed to load resource/);
      await open(page, '/anchors');
      await page.route('/graphql', (route) =>
        operationName(route.request()) === 'SignedAnchors' ? route.abort() : route.fallback(),
      );
      await page.getByRole('button', { name: 'Alle Anker herunterladen' }).click();
      await page.getByRole('alert').getByText('Der Server ist nicht erreichbar.').waitFor({ timeout: 20_000 });
    });
  });

  it('a transaction pays an invoice, and the customer’s credit the rest', async () => {
    const { acme, open } = await pages.bookkeeper();
    const customerId = await makeCustomer(acme, { companyName: 'Nordlicht Verlag' });
    const paid = await makeInvoice(acme, { customerId, status: 'ISSUED' });
    const over = { amount: 119, adjustments: [{ type: 'overpayment', amount: 50 }] };
    expect((await acme.rest('POST', `/invoices/${paid}/payments`, over)).status).toBe(200);
    const id = await makeInvoice(acme, { customerId, status: 'ISSUED' });
    const { number } = (await acme.rest('GET', `/invoices/${id}`)).body.data;
    const bank = await makeBankTransaction(acme, { amount: '69', amountOpen: '69' });
    await pages.visit({}, async (page) => {
      await open(page, `/bank-transactions/${bank}`);
      await page.getByRole('button', { name: 'Match manually' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('combobox').first().fill(number);
      await page.getByRole('option', { name: number }).click();
      await dialog.getByText(/^The customer has a credit of .*50/).waitFor();
      await dialog.getByRole('combobox', { name: /^The rest/ }).click();
      await page.getByRole('option', { name: /credit/ }).click();
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Match', exact: true }).click();
      await page.getByText('The transaction is matched.').waitFor();
    });
    expect((await acme.rest('GET', `/invoices/${id}`)).body.data).toMatchObject({ status: 'paid', amount_due: 0 });
    expect((await acme.rest('GET', `/customers/${customerId}/credit`)).body.data.items).toEqual([]);
  });
});
