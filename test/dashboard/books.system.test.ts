import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { camt } from '../bank/statement.ts';
import { enter } from '../identity/browser.ts';
import { makeBankTransaction, makeInvoice, makeProject, makeReceipt, makeTimeEntry } from '../graphql/books.ts';
import type { Integrator } from '../harness.ts';
import { enterWith, expectUsable, go, signIn, startApp, type App } from './app.ts';
import { desk, noBrowser, phone } from './browser.ts';

describe.skipIf(noBrowser)('the books', { timeout: 120_000 }, () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app?.close());

  async function bill(acme: Integrator): Promise<{ id: string; number: string }> {
    const customer = await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Nordlicht Verlag' });
    const { body } = await acme.rest('POST', '/invoices', {
      customer_id: customer.body.data.id,
      invoice_date: '2026-01-31',
      status: 'issued',
      items: [{ title: 'Layout', quantity: 4.5, unit: 'h', unit_price_net: 85, vat_rate: 19 }],
    });
    return body.data;
  }

  const statement = (number: string) => ({
    name: 'statement.xml',
    mimeType: 'application/xml',
    buffer: Buffer.from(
      camt([
        { amount: '455.18', id: 'B1', name: 'Nordlicht Verlag', reference: `Invoice ${number}, thank you` },
        { amount: '-12.00', id: 'B2', name: 'A bank', reference: 'Fees' },
      ]),
    ),
  });

  describe.each([
    ['on a desk', desk],
    ['on a phone', phone],
  ])('%s', (_, viewport) => {
    it('a statement is uploaded, and the invoice that it pays is paid', async () => {
      const { email, acme } = await app.bookkeeper();
      const { number } = await bill(acme);
      await app.visit({ viewport }, async (page, watch) => {
        watch.expecting.push(/401/); // before one signs in
        await signIn(page, email);
        await go(page, 'Invoices');
        await page.getByRole('link', { name: number }).click();
        await page.getByRole('heading', { level: 1, name: number }).waitFor();
        await expectUsable(page);
        await page.getByText('Issued', { exact: true }).first().waitFor();

        await go(page, 'Bank transactions');
        await page.getByRole('link', { name: 'Upload a statement' }).first().click();
        await page.getByRole('heading', { level: 1, name: /upload/i }).waitFor();
        await expectUsable(page);
        await page.getByLabel('Bank statement').setInputFiles(statement(number));
        await page.getByRole('button', { name: 'Import' }).click();
        const outcome = page.getByRole('region', { name: 'Import result' });
        await outcome.getByText('The statement is imported').waitFor();
        await expectUsable(page);

        await go(page, 'Bank transactions');
        await page.getByText('Nordlicht Verlag').first().waitFor();
        await expectUsable(page);
        await go(page, 'Invoices');
        await page.getByRole('row').filter({ hasText: number }).getByText('Paid').first().waitFor();
      });
      expect((await acme.rest('GET', '/invoices?status=paid')).body.data[0].number).toBe(number);
    });

    it('an invoice is written, issued, and counted as outstanding', async () => {
      const { email, acme } = await app.bookkeeper();
      await acme.rest('POST', '/customers', { type: 'customer', company_name: 'Museum aan de Haven' });
      await app.visit({ viewport }, async (page, watch) => {
        watch.expecting.push(/401/);
        await signIn(page, email);
        await go(page, 'Customers');
        await page.getByRole('link', { name: 'Museum aan de Haven' }).click();
        await page.getByRole('link', { name: 'New invoice' }).first().click();
        const line = page.getByRole('group', { name: 'Line 1' });
        await line.getByLabel(/Title/).fill('Guided tour');
        await line.getByLabel(/Quantity/).fill('2');
        await line.getByLabel(/Unit price/).fill('120');
        await line.getByLabel(/VAT/).fill('19');
        await expectUsable(page);
        await page.getByRole('button', { name: 'Save draft' }).click();
        await page.getByRole('button', { name: 'Issue', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Issue', exact: true }).click();
        await page.getByRole('heading', { level: 1, name: /\d{4}-0001/ }).waitFor();
        await go(page, 'Overview');
        await page.getByRole('listitem').filter({ hasText: 'Outstanding' }).getByText('285.60').waitFor();
      });
    });

    it('a match is undone, and what is then suggested confirmed', async () => {
      const { email, acme } = await app.bookkeeper();
      const { number } = await bill(acme);
      const amount = '455.18';
      const id = await makeBankTransaction(acme, { amount, amountOpen: amount, reference: `Invoice ${number}` });
      const status = async (): Promise<string> => (await acme.rest('GET', '/invoices')).body.data[0].status;
      await app.visit({ viewport }, async (page, watch) => {
        watch.expecting.push(/401/);
        await signIn(page, email, `/bank-transactions/${id}`);
        const suggested = page.getByRole('button', { name: `Confirm Invoice ${number}` });
        await suggested.click();
        await page.getByRole('button', { name: `Undo the match with Invoice ${number}` }).click();
        expect(await status()).toBe('paid');
        await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
        await suggested.waitFor();
        await expectUsable(page);
        expect(await status()).toBe('issued');
      });
    });

    it("a project's time is billed", async () => {
      const { email, acme } = await app.bookkeeper();
      await bill(acme);
      const { id: customerId } = (await acme.rest('GET', '/customers')).body.data[0];
      const projectId = await makeProject(acme, { customerId, hourlyRateNet: '80' });
      await makeTimeEntry(acme, { projectId, durationMinutes: 90 });
      await app.visit({ viewport }, async (page, watch) => {
        watch.expecting.push(/401/);
        await signIn(page, email);
        await go(page, 'Projects');
        await page.getByRole('link', { name: 'Website' }).click();
        await page.getByRole('button', { name: /^Bill/ }).click();
        await page.getByLabel(/^VAT/).fill('19');
        await expectUsable(page);
        await page.getByRole('button', { name: 'Save draft' }).click();
        await page.getByRole('heading', { level: 1, name: 'Draft' }).waitFor();
        await page.getByText('142.80').first().waitFor();
      });
      const { project } = await acme.graphql(`{ project(id: "${projectId}") { unbilledMinutes } }`);
      expect(project.unbilledMinutes).toBe(0);
    });
  });

  describe('every page is without barriers, light and dark, on a desk and on a phone', () => {
    let tenantId: string;
    let cookie: string;
    const ids: Record<string, string> = {};
    beforeAll(async () => {
      const { email, acme } = await app.bookkeeper();
      ({ tenantId } = acme);
      cookie = (await enter(app.service, { email })).cookie!;
      const invoice = await bill(acme);
      ids['invoice'] = invoice.id;
      ids['customer'] = (await acme.rest('GET', '/customers')).body.data[0].id;
      const { createWebhook } = await acme.graphql(
        'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }',
        { input: { url: app.receiver.url } },
      );
      ids['webhook'] = createWebhook.webhook.id;
      const { pingWebhook } = await acme.graphql('mutation ($id: UUID!) { pingWebhook(id: $id) { id } }', {
        id: ids['webhook'],
      });
      ids['delivery'] = pingWebhook.id;
      ids['draft'] = await makeInvoice(acme);
      ids['receipt'] = await makeReceipt(acme, { status: 'BOOKED' });
      ids['project'] = await makeProject(acme);
      await makeTimeEntry(acme, { projectId: ids['project'] });
      ids['transaction'] = await makeBankTransaction(acme, { reference: `Invoice ${invoice.number}` });
    });

    it.each([
      '/',
      '/invoices',
      '/invoices/new',
      '/invoices/INVOICE',
      '/invoices/DRAFT/edit',
      '/customers',
      '/customers/CUSTOMER',
      '/bank-transactions',
      '/bank-transactions/upload',
      '/bank-transactions/TRANSACTION',
      '/receipts',
      '/receipts/RECEIPT',
      '/projects',
      '/projects/PROJECT',
      '/time-entries',
      '/deliveries',
      '/deliveries/DELIVERY',
      '/account',
      '/settings/members',
      '/settings/api-tokens',
      '/settings/webhooks',
      '/settings/webhooks/WEBHOOK',
      '/nothing',
    ])('%s', async (path) => {
      const at = path.replace(/[A-Z]+/, (name) => ids[name.toLowerCase()]!);
      await app.visit({}, async (page) => {
        await enterWith(page, cookie);
        await page.goto(`/${tenantId}${at}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        for (const viewport of [desk, phone]) {
          await page.setViewportSize(viewport);
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme });
            await expectUsable(page);
          }
        }
      });
    });

    it('a row under the pointer', async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await app.visit({ colorScheme }, async (page) => {
          await enterWith(page, cookie);
          await page.goto(`/${tenantId}/customers`);
          await page.getByRole('row').nth(1).hover();
          await expectUsable(page);
        });
      }
    });
  });
});
