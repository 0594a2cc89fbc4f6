import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { print } from '../../src/commands/output.ts';
import { startOwnServer } from '../own-server.ts';
import { waitUntilIdle } from './app.ts';
import { launch } from './browser.ts';
import { at, handbookPictures, type Picture } from './handbook-pictures.ts';

// The pictures of README and of the handbook, taken of the demo tenant: `npm run screenshots`. No hand touches them.

const folder = fileURLToPath(new URL('screenshots/', import.meta.url));
const handbook = fileURLToPath(new URL('../../src/pages/guides/pictures/', import.meta.url));
const dataDir = await mkdtemp(join(tmpdir(), 'kontor-screenshots-'));
const { child, address, email, password } = await startOwnServer(dataDir);
const browser = await launch({ showsPdfs: true });

const pictures: Picture[] = [
  { name: 'overview', show: at('/') },
  {
    name: 'invoice',
    // Narrower than what has the PDF beside it: no picture can be taken of the browser's own viewer.
    options: { viewport: { width: 1180, height: 800 } },
    show: async (page) => {
      await at('/invoices')(page);
      await page
        .getByRole('cell')
        .getByRole('link', { name: /^\d{4}-\d{4}$/ })
        .last()
        .click();
      await page.getByRole('heading', { level: 1, name: /\d{4}-\d{4}/ }).waitFor();
    },
  },
  { name: 'deliveries', options: { colorScheme: 'dark' }, show: at('/deliveries') },
];

async function take(to: string, { name, options, show }: Picture): Promise<void> {
  const context = await browser.newContext({
    baseURL: address,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  await enter(page);
  await show(page);
  await waitUntilIdle(page);
  const path = join(to, `${name}.png`);
  await page.screenshot({ path });
  await context.close();
  const kilobytes = Math.ceil((await stat(path)).size / 1000);
  if (kilobytes > 150) throw new Error(`${name}.png is ${kilobytes} kB: too much for a page`);
  print(`${name}.png, ${kilobytes} kB`);
}

/** Signs in by the form, which is in the language of the browser. */
async function enter(page: Page): Promise<void> {
  await page.goto('/');
  await page.locator('input[type=email]').fill(email);
  await page.locator('input[type=password]').fill(password);
  await page.locator('button[type=submit]').click();
  await page.getByRole('navigation').first().waitFor({ state: 'attached' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForURL(/[\da-f-]{36}/);
}

try {
  for (const picture of pictures) await take(folder, picture);
  for (const picture of handbookPictures) await take(handbook, picture);
} finally {
  await browser.close();
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  await rm(dataDir, { recursive: true, force: true });
}
