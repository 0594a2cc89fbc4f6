import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';

/** A picture of the demo tenant. */
export interface Picture {
  name: string;
  options?: BrowserContextOptions;
  show: (page: Page) => Promise<unknown>;
}

/** The dashboard's page at this address of the tenant. */
export const at = (path: string) => async (page: Page) => {
  await page.goto(`${new URL(page.url()).pathname.split('/').slice(0, 2).join('/')}${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
};

const german = JSON.parse(readFileSync(new URL('../../src/dashboard/i18n/de.json', import.meta.url), 'utf8')) as Record<
  string,
  string
>;

// Narrower than what has a PDF beside it: no picture can be taken of the browser's own viewer.
const viewport = { width: 1180, height: 760 };

/** A photograph of an invented receipt. */
async function drawReceipt(page: Page): Promise<Buffer> {
  const drawing = await page.context().newPage();
  await drawing.setViewportSize({ width: 420, height: 520 });
  await drawing.setContent(`<body style="margin:0;background:#e8e4da"><pre style="margin:24px;padding:24px;background:white;
    font:16px/1.6 monospace">PAPIER UNION GMBH
Holstenstraße 4, 24103 Kiel
VAT DE118509331

Paper A4, 10 packs     42.00
Envelopes C5           11.20
Toner, black           58.90

Total EUR             112.10
incl. VAT 19 %         17.90

R-20871     2026-11-20</pre></body>`);
  const picture = await drawing.screenshot();
  await drawing.close();
  return picture;
}

/** @param say the dashboard's text in the language of the pictures */
const inLanguage = (say: (text: string) => string): Picture[] => [
  {
    name: 'issue',
    options: { viewport: { width: 900, height: 760 } },
    show: async (page) => {
      await at('/invoices?status=DRAFT')(page);
      await page.getByRole('table').getByRole('link').first().click();
      await page.getByRole('button', { name: say('Issue'), exact: true }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'bank', show: at('/bank-transactions?status=UNMATCHED') },
  {
    name: 'receipt',
    options: { viewport: { width: 1280, height: 760 } },
    show: async (page) => {
      const buffer = await drawReceipt(page);
      await at('/receipts')(page);
      await page
        .getByLabel(say('Files of receipts'))
        .setInputFiles({ name: 'receipt.png', mimeType: 'image/png', buffer });
      await page.getByRole('img', { name: 'receipt.png' }).waitFor();
      await page.getByLabel(say('Amount, gross')).fill('112.10');
    },
  },
  {
    name: 'credit',
    show: async (page) => {
      await at('/invoices?status=ISSUED')(page);
      await page.getByRole('table').getByRole('link').first().click();
      await page.getByRole('link', { name: say('Create credit note') }).click();
      await page.getByRole('heading', { level: 1, name: say('New credit note') }).waitFor();
    },
  },
  {
    name: 'lock',
    show: at('/settings/period-locks'),
  },
  { name: 'export', show: at('/exports?new=DATEV') },
];

/** The handbook's, in each of its languages. */
export const handbookPictures: Picture[] = [
  { language: 'en', locale: 'en-GB', say: (text: string) => text },
  { language: 'de', locale: 'de-DE', say: (text: string) => german[text] ?? text },
].flatMap(({ language, locale, say }) =>
  inLanguage(say).map(({ name, options, show }) => ({
    name: `${language}-${name}`,
    show,
    options: { viewport, locale, ...options },
  })),
);
