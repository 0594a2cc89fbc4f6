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
  { name: 'bank', show: at('/bank-transactions') },
  { name: 'receipt', show: at('/receipts/new') },
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
