import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buyer, company, setCompany } from '../documents/parties.ts';
import { item, makeCustomer, makeInvoice } from '../graphql/books.ts';
import { expectAccessible, press, signedInBookkeeper, startApp, waitUntilIdle, type App } from './app.ts';
import { launch, noBrowser, noPdfViewer, visit } from './browser.ts';

// "Issuing is a checklist": what the law wants, met or missing, with the way to mend it, and the document beside it.

const texts = {
  en: {
    issue: 'Issue',
    question: 'Issue the invoice?',
    list: 'Checklist',
    met: 'Met: Name and address of the customer § 14 (4) No. 1 UStG',
    missing: /^Missing: Date of supply\s*No date of supply is given, .* \(§ 14 \(4\) No\. 6 UStG\)\. Edit the draft$/,
    mend: 'Edit the draft',
    field: 'Date of supply',
    preview: 'Preview PDF',
    frame: 'Preview of the invoice',
    issued: /^Invoice 2026-0001$/,
  },
  de: {
    issue: 'Ausstellen',
    question: 'Rechnung ausstellen?',
    list: 'Checkliste',
    met: 'Erfüllt: Name und Anschrift des Kunden § 14 Abs. 4 Satz 1 Nr. 1 UStG',
    missing: /^Fehlt: .*\(§ 14 Abs\. 4 Satz 1 Nr\. 6 UStG\)\. Entwurf bearbeiten$/,
    mend: 'Entwurf bearbeiten',
    field: 'Leistungsdatum',
    preview: 'PDF ansehen',
    frame: 'Vorschau der Rechnung',
    issued: /^Rechnung 2026-0001$/,
  },
};

describe.skipIf(noBrowser)('an invoice is issued', { timeout: 120_000 }, () => {
  let app: App;
  let pdfBrowser: Promise<Browser> | undefined;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(async () => {
    await (await pdfBrowser)?.close();
    await app?.close();
  });

  async function makeDraft(more: object = {}) {
    const { acme, open } = await signedInBookkeeper(app);
    await setCompany(acme, company);
    const customerId = await makeCustomer(acme, buyer);
    const id = await makeInvoice(acme, { customerId, items: [item], ...more });
    return { acme, id, open: (page: Page, language: string) => openIn(page, language, `/invoices/${id}`, open) };
  }

  async function openIn(page: Page, language: string, path: string, open: (page: Page, path: string) => Promise<void>) {
    await page.addInitScript((chosen) => {
      if (location.protocol === 'http:') localStorage.setItem('kontor-language', chosen);
    }, language);
    await open(page, path);
  }

  const focused = (page: Page): Promise<string> =>
    page.evaluate(() => {
      const element = document.activeElement;
      return `${element?.closest('[role="dialog"]') ? 'dialog' : 'page'}: ${element?.textContent ?? ''}`;
    });

  it.skipIf(noPdfViewer).each(['en', 'de'] as const)(
    'by keyboard, with the PDF beside the list: %s',
    async (language) => {
      const { issue, question, list, met, missing, frame, issued } = texts[language];
      const { acme, id, open } = await makeDraft();
      const browser = await (pdfBrowser ??= launch({ showsPdfs: true }));
      await visit(browser, app.service.url, { viewport: { width: 1440, height: 900 } }, async (page, watch) => {
        watch.allowed.push(/chrome(-extension)?:/); // Chromium shows a PDF by pages of its own
        await open(page, language);
        await page.getByRole('button', { name: issue, exact: true }).focus();
        await press(page, 'Enter');
        const dialog = page.getByRole('dialog', { name: question });
        const lines = dialog.getByRole('list', { name: list }).getByRole('listitem');
        await lines.first().waitFor();
        const said = (await lines.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
        expect(said).toContain(met);
        expect(said).toContainEqual(expect.stringMatching(missing));
        expect(said.length).toBe(11);
        await dialog.locator(`iframe[title="${frame}"][src^="blob:"]`).waitFor();
        await waitUntilIdle(page);
        expect(await focused(page)).toBe(`dialog: ${issue}`);
        await expectAccessible(page);
        await press(page, 'Escape');
        await dialog.waitFor({ state: 'detached' });
        expect(await focused(page)).toBe(`page: ${issue}`);
        await press(page, 'Enter');
        await lines.first().waitFor();
        await waitUntilIdle(page);
        await press(page, 'Enter');
        await page.getByRole('heading', { level: 1, name: issued }).waitFor();
      });
      expect((await acme.rest('GET', `/invoices/${id}`)).body.data.number).toBe('2026-0001');
    },
  );

  it.each(['en', 'de'] as const)('by touch on a phone, the list first: %s', async (language) => {
    const { issue, question, list, mend, field, preview, issued } = texts[language];
    const { open } = await makeDraft();
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    await app.visit(phone, async (page) => {
      await open(page, language);
      const dialog = page.getByRole('dialog', { name: question });
      const tapIssue = () => page.getByRole('button', { name: issue, exact: true }).first().tap();
      await tapIssue();
      await dialog.getByRole('list', { name: list }).waitFor();
      await expectAccessible(page);
      expect(await dialog.locator('iframe').count()).toBe(0);
      const top = async (part: typeof dialog) => (await part.boundingBox())?.y ?? Number.NaN;
      expect(await top(dialog.getByRole('list', { name: list }))).toBeLessThan(
        await top(dialog.getByRole('button', { name: preview })),
      );
      // The action is in view without scrolling.
      const action = await dialog.getByRole('button', { name: issue, exact: true }).boundingBox();
      expect((action?.y ?? 0) + (action?.height ?? 0)).toBeLessThanOrEqual(844);
      await dialog.getByRole('link', { name: mend }).tap();
      await expect.poll(() => page.getByLabel(field).evaluate((input) => input === document.activeElement)).toBe(true);
      await page.getByLabel(field).fill('2026-02-27');
      await press(page, 'Enter');
      await page.getByRole('button', { name: issue, exact: true }).waitFor();
      await tapIssue();
      await dialog.getByRole('list', { name: list }).waitFor();
      expect(await dialog.getByRole('link').count()).toBe(0);
      await dialog.getByRole('button', { name: issue, exact: true }).tap();
      await page.getByRole('heading', { level: 1, name: issued }).waitFor();
    });
  });

  it('of a customer who requires e-invoices, says what its format lacks', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    await setCompany(acme, company);
    const lacking = { ...buyer, buyerReference: null, requiredEInvoice: 'XRECHNUNG_CII' };
    const customerId = await makeCustomer(acme, lacking);
    const id = await makeInvoice(acme, { customerId, deliveryDate: '2026-02-27' });
    await app.visit({}, async (page) => {
      await open(page, `/invoices/${id}`);
      await page.getByRole('button', { name: 'Issue', exact: true }).click();
      const line = page
        .getByRole('list', { name: 'Checklist' })
        .getByRole('listitem')
        .filter({ hasText: 'E-invoice that the customer requires' });
      await line.getByText(/\(BR-DE-15\)/).waitFor();
      await line.getByRole('link', { name: 'Edit the customer' }).waitFor();
      await page.getByText('It can’t be issued yet').waitFor();
      await expectAccessible(page);
    });
  });
});
