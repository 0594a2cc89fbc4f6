import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { print } from '../../src/commands/output.ts';
import { startOwnServer } from '../own-server.ts';
import { waitUntilIdle, signIn } from './app.ts';
import { launch } from './browser.ts';

// README's pictures, taken of the demo tenant: `npm run screenshots`. No hand touches them.

const folder = fileURLToPath(new URL('screenshots/', import.meta.url));
const dataDir = await mkdtemp(join(tmpdir(), 'kontor-screenshots-'));
const { child, address, email, password } = await startOwnServer(dataDir);
const browser = await launch({ showsPdfs: true });

interface Picture {
  name: string;
  options?: BrowserContextOptions;
  show: (page: Page) => Promise<unknown>;
}

/** The dashboard's page at this address of the demo tenant. */
const at = (path: string) => async (page: Page) => {
  await page.goto(`${new URL(page.url()).pathname.split('/').slice(0, 2).join('/')}${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
};

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

async function take({ name, options, show }: Picture): Promise<void> {
  const context = await browser.newContext({
    baseURL: address,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  await signIn(page, email, '/', password);
  await show(page);
  await waitUntilIdle(page);
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path });
  await context.close();
  const kilobytes = Math.ceil((await stat(path)).size / 1000);
  if (kilobytes > 150) throw new Error(`${name}.png is ${kilobytes} kB: too much for a README`);
  print(`${name}.png, ${kilobytes} kB`);
}

try {
  await mkdir(folder, { recursive: true });
  for (const picture of pictures) await take(picture);
} finally {
  await browser.close();
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  await rm(dataDir, { recursive: true, force: true });
}
