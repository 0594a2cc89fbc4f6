import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBulk } from '../bulk/start.ts';
import { expectAccessible, navigateTo, startApp, type App } from './app.ts';
import { desktop, noBrowser, phone } from './browser.ts';
import { keepPages, type KeptPages } from './kept-pages.ts';

/** Each tenth line is refused. */
const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) =>
    JSON.stringify({ type: 'customer', company_name: at % 10 === 9 ? '' : `Customer ${at + 1}` }),
  ).join('\n');
const file = (text: string) => ({
  name: 'customers.jsonl',
  mimeType: 'application/jsonl',
  buffer: Buffer.from(text),
});

const start = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('button', { name: 'Start with a file' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('File', { exact: true }).setInputFiles(file(text));
  await dialog.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Create customers' }).waitFor();
};

describe.skipIf(noBrowser)('bulk operations', { timeout: 120_000 }, () => {
  let app: App;
  let pages: KeptPages;
  beforeAll(async () => {
    app = await startApp();
    pages = keepPages(app);
  });
  afterAll(() => app?.close());

  it.each([
    ['on a desktop', desktop],
    ['on a phone', phone],
  ])('%s: one is started with a file, followed to its end, and its failed lines are saved', async (_, viewport) => {
    const { acme, open } = await pages.bookkeeper();
    await pages.visit({ viewport }, async (page) => {
      await open(page, '/');
      await navigateTo(page, 'Bulk operations');
      await page.getByText('No bulk operations yet').waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Start with a file' }).first().click();
      await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByText('Choose a file first.').waitFor();
      await expectAccessible(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

      await start(page, lines(1200));
      await page.getByText('Completed', { exact: true }).waitFor();
      const failed = page.getByRole('region', { name: 'Lines that failed' });
      await failed.getByRole('row').nth(25).waitFor();
      expect((await failed.getByRole('row').nth(1).innerText()).replaceAll(/\s+/g, ' ')).toMatch(
        /10 company_name Must not be empty/,
      );
      await page.getByText('25 of 120.').waitFor();
      await expectAccessible(page);

      const saving = page.waitForEvent('download');
      // One stream: there may be a million lines, too many for pages of a list and for a script's memory.
      await page.getByRole('link', { name: 'Download' }).click();
      const download = await saving;
      expect(download.suggestedFilename()).toBe('failed-lines.jsonl');
      const saved = await readFile(await download.path(), 'utf8');
      const rows = saved
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line));
      const problem = { field: 'company_name', code: 'required', message: 'Must not be empty.', params: {} };
      expect(rows).toEqual(
        Array.from({ length: 120 }, (__, at) => ({
          line: (at + 1) * 10,
          status: 422,
          message: 'company_name: Must not be empty.',
          errors: { company_name: ['Must not be empty.'] },
          details: [problem],
        })),
      );

      await navigateTo(page, 'Bulk operations');
      await page.getByRole('row').filter({ hasText: 'Create customers' }).getByText('1,200 of 1,200').waitFor();
      await expectAccessible(page);
    });
    expect(await acme.db.customer.count()).toBe(1080);
  });

  it('offers what can be done with a resource', async () => {
    const { acme, open } = await pages.bookkeeper();
    await pages.visit({ viewport: desktop }, async (page) => {
      await open(page, '/bulk-operations');
      await page.getByRole('button', { name: 'Start with a file' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('combobox', { name: 'Resources' }).click();
      await page.getByRole('option', { name: 'Time entries' }).click();
      await dialog.getByRole('combobox', { name: 'Action' }).click();
      await page.getByRole('option', { name: 'Delete' }).waitFor();
      expect(await page.getByRole('option').allInnerTexts()).toEqual(['Create', 'Delete']);
      await page.getByRole('option', { name: 'Delete' }).click();
      await dialog.getByLabel('File', { exact: true }).setInputFiles(file('no JSON'));
      await dialog.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Delete time entries' }).waitFor();
      await page.getByText('Completed', { exact: true }).waitFor();
    });
    expect(await acme.db.bulkOperation.findMany()).toMatchObject([{ resource: 'TIME_ENTRIES', failedLines: 1 }]);
  });

  it('shows progress, and cancels one that waits', async () => {
    const { acme, open } = await pages.bookkeeper();
    await pages.visit({ viewport: desktop }, async (page) => {
      // Nothing can be written until the lock is released.
      await app.service.client.$transaction(
        async (locking) => {
          await locking.$executeRaw`lock table customers in share mode`;
          await startBulk(acme, 'customers', 'create', lines(10));
          await startBulk(acme, 'customers', 'create', lines(20));
          await open(page, '/bulk-operations');
          const [second, first] = [page.getByRole('row').nth(1), page.getByRole('row').nth(2)];
          await first.getByText('0 of 10').waitFor();
          await second.getByText('0 of 20').waitFor();
          await expectAccessible(page);
          await second.getByRole('link').click();
          await page.getByRole('button', { name: 'Cancel' }).click();
          await page.getByRole('button', { name: 'Cancel the operation' }).click();
          await page.getByText('Cancelled', { exact: true }).waitFor();
          await expectAccessible(page);
        },
        { timeout: 60_000 },
      );
      await navigateTo(page, 'Bulk operations');
      await page.getByRole('row').nth(2).getByText('10 of 10').waitFor();
    });
    expect(await acme.db.customer.count()).toBe(9);
  });
});
