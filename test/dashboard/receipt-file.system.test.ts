import { existsSync, readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attach, makePdf, makePng, png, sending } from '../attachments/files.ts';
import { makeReceipt } from '../graphql/books.ts';
import type { Integrator } from '../harness.ts';
import { drop, expectAccessible, signedInBookkeeper, startApp, type App, type Named } from './app.ts';
import { noBrowser } from './browser.ts';

// A receipt's file stands beside its form before anything is stored, and is attached to one receipt, whatever fails.

const photo: Named = { name: 'photo.png', mimeType: 'image/png', buffer: png };
const pdf = (name: string): Named => ({ name, mimeType: 'application/pdf', buffer: makePdf() });

/** Counts the uploads of a page. The server gets the first, but its answer doesn't arrive. */
async function loseFirstAnswer(page: Page): Promise<{ count: number }> {
  const uploads = { count: 0 };
  const devtools = await page.context().newCDPSession(page);
  devtools.on('Fetch.requestPaused', ({ requestId, request: { headers } }) => {
    const isUpload = String(headers['Content-Type']).startsWith('multipart/');
    if (isUpload) uploads.count += 1;
    if (isUpload && uploads.count === 1) void devtools.send('Fetch.failRequest', { requestId, errorReason: 'Failed' });
    // A page that is left meanwhile has ended its requests: those can't go on.
    else devtools.send('Fetch.continueRequest', { requestId }).catch(() => undefined);
  });
  await devtools.send('Fetch.enable', { patterns: [{ urlPattern: '*/graphql', requestStage: 'Response' }] });
  return uploads;
}

/** The most memory that a process of the browser has had, in bytes; 0 where the system doesn't tell. */
async function mostMemory(browser: Browser): Promise<number> {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  const peaks = processInfo.map(({ id }) => {
    const path = `/proc/${id}/status`;
    const status = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  });
  return Math.max(...peaks);
}

const readReceipts = async (acme: Integrator) =>
  (
    await acme.graphql(`{ receipts { nodes {
      status amountGross currency exchangeRate description attachments { filename contentType }
    } } }`)
  ).receipts.nodes;

describe.skipIf(noBrowser)('the file of a receipt', { timeout: 120_000 }, () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app?.close());

  it('is read once its row is scrolled to, of many pictures', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    const receipt = await makeReceipt(acme);
    const count = 20;
    for (let n = 0; n < count; n += 1) await attach(sending(app.service, acme), receipt, makePng(8, 8 + n), `${n}.png`);
    await app.visit({}, async (page) => {
      const read = new Set<string>();
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (pathname.includes('/attachments/')) read.add(pathname);
      });
      await open(page, `/receipts/${receipt}`);
      const rows = page.getByRole('region', { name: 'Attachments' }).getByRole('listitem');
      await rows.first().locator('img').waitFor();
      expect(read.size).toBeLessThan(count);
      await rows.last().scrollIntoViewIfNeeded();
      await rows.last().locator('img').waitFor();
      expect(await rows.first().locator('img').count()).toBe(1);
    });
  });

  it('is dropped on the list, shown beside the form, and attached once though an answer is lost', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    await app.visit({}, async (page, watch) => {
      watch.allowed.push(/ERR_FAILED/);
      await open(page, '/receipts');
      await drop(page, [photo]);
      const dialog = page.getByRole('dialog', { name: 'Add a receipt' });
      const picture = dialog.getByRole('img', { name: 'photo.png' });
      await picture.waitFor();
      const amount = dialog.getByLabel('Amount, gross');
      const [left, right] = [await picture.boundingBox(), await amount.boundingBox()];
      expect(left!.x + left!.width).toBeLessThan(right!.x);
      await amount.fill('100');
      await drop(page, [{ ...photo, name: 'other.png' }]);
      await dialog.getByRole('img', { name: 'other.png' }).waitFor();
      expect(await amount.inputValue()).toBe('100');
      await dialog.getByRole('combobox', { name: 'Currency' }).fill('US Dollar');
      await page.keyboard.press('Enter');
      await dialog.getByRole('textbox', { name: /^Exchange rate/ }).fill('0.92');
      await dialog.getByLabel('Day of the rate').fill('2026-01-30');
      await expectAccessible(page);

      const uploads = await loseFirstAnswer(page);
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await dialog.getByRole('alert').getByText('Saved as a draft, without its file').waitFor();
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { level: 1, name: 'Receipt', exact: true }).waitFor();
      await page.getByText('0.92, Jan 30, 2026').waitFor();
      const beside = page.getByRole('region', { name: 'other.png' });
      await beside.getByRole('img', { name: 'other.png' }).waitFor();
      expect(uploads.count).toBe(2);
      expect(await readReceipts(acme)).toEqual([
        {
          status: 'BOOKED',
          amountGross: '100',
          currency: 'USD',
          exchangeRate: '0.92',
          description: null,
          attachments: [{ filename: 'other.png', contentType: 'image/png' }],
        },
      ]);

      await page.getByRole('link', { name: 'Receipts' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Receipts' }).waitFor();
      await drop(page, [pdf('first.pdf'), pdf('second.pdf'), { ...photo, name: 'page.html', mimeType: 'text/html' }]);
      await page.getByText('page.html is none of these: PDF, JPEG, PNG, WEBP, XML.').waitFor();
      await drop(page, [pdf('first.pdf'), pdf('second.pdf')]);
      await page.getByText('2 drafts are added.').waitFor();
      await page.getByRole('cell').getByRole('link', { name: 'second.pdf' }).waitFor();
      const drafts = (await readReceipts(acme)).filter(({ status }: { status: string }) => status === 'DRAFT');
      expect(drafts.map(({ attachments }: { attachments: object[] }) => attachments)).toEqual([
        [{ filename: 'second.pdf', contentType: 'application/pdf' }],
        [{ filename: 'first.pdf', contentType: 'application/pdf' }],
      ]);
    });
  });

  it('is not shown if it has too many pixels, and not taken if it is too long, in bounded memory', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    const bomb = { ...photo, name: 'huge.png', buffer: makePng(30_000, 30_000) };
    expect(bomb.buffer.length).toBeLessThan(200_000);
    await app.visit({}, async (page) => {
      await open(page, '/receipts');
      await page.evaluate((length) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([new Uint8Array(length)], 'scan.pdf', { type: 'application/pdf' }));
        for (const type of ['dragover', 'drop'])
          document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
      }, 2 ** 25);
      await page.getByText('scan.pdf has 32 MiB. A file can have at most 25 MiB.').waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);

      await drop(page, [{ ...photo, name: 'large.png', buffer: makePng(12_000, 12_000) }]);
      const dialog = page.getByRole('dialog', { name: 'Add a receipt' });
      await dialog.getByText('This picture is too large to be shown here.').waitFor();
      await drop(page, [bomb]);
      await dialog.getByText('huge.png').first().waitFor();
      await dialog.getByText('This is no picture that can be shown.').waitFor();
      expect(await page.locator('img[src^="blob:"]').count()).toBe(0);
      await dialog.getByLabel('Amount, gross').fill('100');
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Receipt', exact: true }).waitFor();
      await page.getByText('This is no picture that can be shown.').waitFor();
      await expectAccessible(page);
      expect(await page.locator('img[src^="blob:"]').count()).toBe(0);

      // One that the browser could decode, on a page where no dialog has shown it before.
      const draft = await makeReceipt(acme);
      await attach(sending(app.service, acme), draft, makePng(12_000, 12_000), 'large.png');
      await open(page, `/receipts/${draft}`);
      await page.getByText('This picture is too large to be shown here.').waitFor();
      await expectAccessible(page);
      expect(await page.locator('img[src^="blob:"]').count()).toBe(0);
    });
    // Their pixels would take 0.6 and 3.6 GB.
    expect(await mostMemory(app.browser)).toBeLessThan(500e6);
    expect(await readReceipts(acme)).toContainEqual(
      expect.objectContaining({ status: 'BOOKED', attachments: [{ filename: 'huge.png', contentType: 'image/png' }] }),
    );
  });

  it('is chosen by touch on a phone, and runs nothing if it is a page of another name: in German', async () => {
    const { acme, open } = await signedInBookkeeper(app);
    const options = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: 'de-DE' };
    await app.visit(options, async (page) => {
      await open(page, '/receipts');
      const tap = async (name: string, file: Named): Promise<void> => {
        const chooser = page.waitForEvent('filechooser');
        await page.getByRole('button', { name, exact: true }).tap();
        await (await chooser).setFiles(file);
      };
      expect(await page.locator('input[capture]').getAttribute('accept')).toBe('image/jpeg,image/png,image/webp');
      await tap('Foto aufnehmen', photo);
      const dialog = page.getByRole('dialog', { name: 'Beleg erfassen' });
      await dialog.getByRole('img', { name: 'photo.png' }).waitFor();
      await dialog.getByLabel('Bruttobetrag').fill('59,50');
      await dialog.getByRole('button', { name: 'Datei ausblenden' }).tap();
      await expect.poll(() => dialog.getByRole('img', { name: 'photo.png' }).isVisible()).toBe(false);
      await expectAccessible(page);

      const script = '<html><script>parent.document.title = "run"; top.location = "/stolen"</script></html>';
      await tap('Andere wählen', { ...pdf('rechnung.pdf'), buffer: Buffer.from(script) });
      await dialog.getByRole('button', { name: 'Datei einblenden' }).tap();
      await dialog.getByText('Das ist kein PDF').waitFor();
      expect(await page.locator('iframe').count()).toBe(0);
      expect(await dialog.getByLabel('Bruttobetrag').inputValue()).toBe('59,50');
      await dialog.getByRole('button', { name: 'Hinzufügen', exact: true }).tap();
      await dialog.getByRole('alert').getByText('Als Entwurf gespeichert, ohne die Datei').waitFor();
      await tap('Andere wählen', photo);
      await page.getByRole('heading', { level: 1, name: 'Beleg' }).waitFor();
      await page.getByRole('button', { name: 'photo.png öffnen' }).waitFor();
      expect(page.url()).toContain('/receipts/');
      await expectAccessible(page);
    });
    expect(await readReceipts(acme)).toMatchObject([
      { status: 'BOOKED', amountGross: '59.5', attachments: [{ filename: 'photo.png' }] },
    ]);
  });
});
