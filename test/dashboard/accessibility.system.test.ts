import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBulk } from '../bulk/start.ts';
import {
  makeBankAccount,
  makeBankStatement,
  makeBankTransaction,
  makeCreditNote,
  makeInvoice,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../graphql/books.ts';
import { enter } from '../identity/browser.ts';
import { makeWrittenExport } from '../resources.ts';
import { expectAccessible, issueInvoice, signInByCookie, startApp, type App } from './app.ts';
import { desktop, noBrowser, open, phone } from './browser.ts';

describe.skipIf(noBrowser)('every page is accessible', { timeout: 120_000 }, () => {
  let app: App;
  let tenantId: string;
  let cookie: string;
  const ids: Record<string, string> = {};
  /** All paths are visited in one context, whose cache has the scripts. */
  let visited: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    app = await startApp();
    const { email, acme } = await app.bookkeeper();
    ({ tenantId } = acme);
    cookie = (await enter(app.service, { email })).cookie!;
    const invoice = await issueInvoice(acme);
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
    ids['credit'] = await makeCreditNote(acme);
    ids['draft'] = await makeInvoice(acme);
    ids['receipt'] = await makeReceipt(acme, { status: 'BOOKED' });
    ids['project'] = await makeProject(acme);
    await makeTimeEntry(acme, { projectId: ids['project'] });
    ids['operation'] = await startBulk(acme, 'customers', 'create', '{}\n'.repeat(30));
    ids['account'] = await makeBankAccount(acme, { name: 'Current account' });
    const statement = { bankAccountId: ids['account'], openingBalance: 200 };
    await makeBankStatement(acme, statement);
    await makeBankStatement(acme, { ...statement, number: '5', closingBalance: 300 });
    await makeWrittenExport(app.service, acme);
    ids['transaction'] = await makeBankTransaction(acme, { reference: `Invoice ${invoice.number}` });
    visited = await open(app.browser, app.service.url);
    await signInByCookie(visited.page, cookie);
  });
  afterAll(async () => {
    await visited?.close();
    await app?.close();
  });

  it.each([
    '/',
    '/invoices',
    '/invoices/new',
    '/invoices/INVOICE',
    '/invoices/DRAFT/edit',
    '/invoices/INVOICE/credit-note',
    '/credit-notes',
    '/payments',
    '/credit-notes/CREDIT',
    '/customers',
    '/customers/CUSTOMER',
    '/bank-accounts',
    '/bank-accounts/ACCOUNT',
    '/bank-transactions',
    '/bank-transactions/upload',
    '/bank-transactions/TRANSACTION',
    '/receipts',
    '/receipts/RECEIPT',
    '/projects',
    '/projects/PROJECT',
    '/time-entries',
    '/deliveries',
    '/exports',
    '/exports?new=DATEV',
    '/audit-log',
    '/anchors',
    '/settings/period-locks',
    '/reports/open-items',
    '/reports/profit-and-loss?from=2026-01-01&to=2026-12-31',
    '/reports/profit-and-loss/documents?row=2026-01-01+2026-12-31',
    '/reports/ec-sales?from=2026-01-01&to=2026-12-31',
    '/reports/ec-sales/documents',
    '/reports/vat',
    '/reports/vat/documents',
    '/import',
    '/bulk-operations',
    '/bulk-operations/OPERATION',
    '/deliveries/DELIVERY',
    '/account',
    '/settings/company',
    '/settings/members',
    '/settings/api-tokens',
    '/settings/webhooks',
    '/settings/webhooks/WEBHOOK',
    '/nothing',
  ])('%s, in light and dark, on a desktop and on a phone', async (path) => {
    const at = path.replace(/[A-Z]+/, (name) => ids[name.toLowerCase()] ?? name);
    const { page, watch } = visited;
    watch.errors.length = 0;
    await page.goto(`/${tenantId}${at}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    for (const viewport of [desktop, phone]) {
      await page.setViewportSize(viewport);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await expectAccessible(page, { onlyColors: colorScheme === 'dark' });
      }
    }
    expect(watch.errors).toEqual([]);
  });

  it('a hovered row is accessible', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await app.visit({ colorScheme }, async (page) => {
        await signInByCookie(page, cookie);
        await page.goto(`/${tenantId}/customers`);
        await page.getByRole('row').nth(1).hover();
        await expectAccessible(page);
      });
    }
  });
});
