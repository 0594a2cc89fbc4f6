import { createToken } from '../../src/identity/index.ts';
import { startBulk } from '../bulk/start.ts';
import {
  makeBankAccount,
  makeBankStatement,
  makeBankTransaction,
  makeCreditNote,
  makeCustomer,
  makeDelivery,
  makeInvoice,
  makeProject,
  makeReceipt,
  makeTimeEntry,
} from '../graphql/books.ts';
import type { Integrator, Service } from '../harness.ts';
import { makeExport } from '../resources.ts';

/** Text of a given length: several words, or one word that has no place to break. */
const words = (length: number): string =>
  'Verwertungsgesellschaft für Öffentlichkeitsarbeit und Söhne '.repeat(99).slice(0, length - 1) + '.';
const word = (length: number): string => 'Wxyzabcdefghijklmn'.repeat(999).slice(0, length);

/** With 19% VAT, this is the largest possible gross total: 15 digits. */
const price = '8403361344537.81';
const most = '9999999999999.99';
const line = { title: word(255), quantity: '1', unit: word(20), unitPriceNet: price, vatRate: '19' };

/** Fills a tenant with rows whose values have the maximum length. @returns the paths of all pages, by name */
export async function makeLongValues(service: Service, acme: Integrator): Promise<Record<string, string>> {
  const address = { email: `${word(60)}@${'sub.'.repeat(45)}example.com`, addressLine1: words(255), city: word(255) };
  const customerId = await makeCustomer(acme, {
    companyName: word(255),
    ...address,
    postalCode: word(20),
    country: 'GS',
    vatId: word(32),
  });
  const spaced = await makeCustomer(acme, { companyName: words(255), ...address });
  const supplierId = await makeCustomer(acme, { companyName: word(255), type: 'SUPPLIER', ...address });
  const invoice = (fields: object): Promise<string> =>
    makeInvoice(acme, {
      customerId,
      subject: words(255),
      items: [line, { ...line, title: words(255), unitPriceNet: '0.0001' }],
      ...fields,
    });
  const draft = await invoice({});
  const issued = await invoice({ status: 'ISSUED', customerId: spaced, dueDate: '2999-12-31' });
  const overdue = await invoice({ status: 'ISSUED', subject: word(255) });
  const paid = await invoice({ status: 'PAID' });
  const cancelled = await invoice({ status: 'ISSUED' });
  await acme.graphql('mutation ($id: UUID!) { cancelInvoice(id: $id) { id } }', { id: cancelled });
  const pay = 'mutation ($id: UUID!, $amount: Decimal) { payInvoice(id: $id, amount: $amount) { id } }';
  await acme.graphql(pay, { id: overdue, amount: '1111111111111.11' });
  const partPaid = await invoice({ status: 'ISSUED', dueDate: '2999-12-31' });
  await acme.graphql(pay, { id: partPaid, amount: '1111111111111.11' });

  const usual = await makeCustomer(acme, { companyName: 'Bäckerei Sonnenschein GmbH' });
  for (const status of ['ISSUED', 'DRAFT'])
    await makeInvoice(acme, { customerId: usual, status, items: [{ ...line, unit: 'h', unitPriceNet: '4850' }] });

  const french = await makeCustomer(acme, { companyName: word(255), country: 'FR', vatId: `FR${word(30)}` });
  const goods = { ...line, vatRate: '0', vatCategory: 'K', exemptionReason: words(255) };
  await invoice({ status: 'ISSUED', customerId: french, items: [goods], deliveryDate: '2026-03-01' });

  const creditNote = await makeCreditNote(acme, { invoiceId: paid, reason: word(255) });

  const receipt = (fields: object): Promise<string> =>
    makeReceipt(acme, {
      supplierId,
      receiptNumber: word(64),
      category: word(64),
      description: word(2000),
      amountGross: most,
      ...fields,
    });
  const receiptDraft = await receipt({});
  const booked = await receipt({ status: 'BOOKED', supplierId: null, description: words(2000), dueDate: '2026-04-01' });
  const receiptPaid = await receipt({ status: 'BOOKED' });
  await acme.graphql('mutation ($id: UUID!) { payReceipt(id: $id) { id } }', { id: receiptPaid });
  const reversed = await receipt({ status: 'BOOKED' });
  const { reverseReceipt } = await acme.graphql(
    'mutation ($id: UUID!, $reason: String) { reverseReceipt(id: $id, reason: $reason) { reversal { id } } }',
    { id: reversed, reason: words(500) },
  );

  const project = await makeProject(acme, {
    name: word(255),
    description: words(2000),
    customerId,
    hourlyRateNet: '99999999999.9999',
    budgetHours: '9999999999999.99',
    startDate: '2026-01-01',
    endDate: '2026-12-31',
  });
  for (const status of ['COMPLETED', 'ARCHIVED']) await makeProject(acme, { name: words(255), customerId, status });
  await makeTimeEntry(acme, { projectId: project, description: word(5000), durationMinutes: 1439 });
  await makeTimeEntry(acme, { projectId: project, description: words(5000), billable: false });

  const bank = {
    counterpartyName: word(140),
    reference: word(500),
    externalId: word(100),
    counterpartyIban: 'LC55HEMM000100010012001200023015',
    valueDate: new Date('2026-03-02'),
  };
  const unmatched = await makeBankTransaction(acme, { ...bank, amount: most, amountOpen: most });
  const moneyOut = await makeBankTransaction(acme, { ...bank, amount: `-${most}`, amountOpen: `-${most}` });
  const matched = await makeBankTransaction(acme, {
    ...bank,
    amount: '1111111111111.11',
    amountOpen: '1111111111111.11',
  });
  const match =
    'mutation ($id: UUID!, $matches: [MatchInput!]!) { matchBankTransaction(id: $id, matches: $matches) { id } }';
  await acme.graphql(match, { id: matched, matches: [{ type: 'INVOICE', id: partPaid }] });
  const partly = await makeBankTransaction(acme, { ...bank, amount: most, amountOpen: most });
  await acme.graphql(match, { id: partly, matches: [{ type: 'INVOICE', id: issued, amount: '1.11' }] });
  const ignored = await makeBankTransaction(acme, { ...bank, reference: words(500) });
  await acme.graphql('mutation ($id: UUID!) { ignoreBankTransaction(id: $id) { id } }', { id: ignored });

  const { createWebhook } = await acme.graphql(
    'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }',
    { input: { url: `https://example.com/${word(400)}`, description: words(255) } },
  );
  const delivery = await makeDelivery(acme);
  for (const state of ['WAITING', 'FAILED', 'SET_ASIDE'] as const) {
    const { id } = await makeDelivery(acme);
    await acme.db.delivery.update({
      where: { tenantId_id: { tenantId: acme.tenantId, id } },
      data: {
        state,
        ...(state === 'WAITING' && { finishedAt: null, nextAttemptAt: new Date(Date.now() + 3_600_000) }),
      },
    });
  }
  await createToken(service.client, {
    tenantId: acme.tenantId,
    name: word(255),
    abilities: ['customers:read', 'invoices:read', 'receipts:read', 'projects:read', 'time-entries:read'],
  });
  await makeExports(acme);
  const account = await makeBankAccount(acme, { name: 'Girokonto' });
  await makeBankStatement(acme, { bankAccountId: account });
  await makeBankStatement(acme, { bankAccountId: account, number: '5', closingBalance: 300 });
  await acme.graphql(
    'mutation { setPeriodLock(input: { series: PURCHASES, kind: SOFT, lockedUntil: "2020-12-31" }) { lockedUntil } }',
  );
  const operation = await startBulk(acme, 'customers', 'create', '{}\n'.repeat(30));
  await service.client.user.update({ where: { id: acme.userId }, data: { name: word(255) } });
  await service.client.tenant.update({ where: { id: acme.tenantId }, data: { name: words(255) } });

  return {
    overview: '/',
    invoices: '/invoices',
    'usual invoices': `/invoices?customer=${usual}`,
    'a draft': `/invoices/${draft}`,
    'a draft, edited': `/invoices/${draft}/edit`,
    'an issued invoice': `/invoices/${issued}`,
    'an overdue, part-paid invoice': `/invoices/${overdue}`,
    'a part-paid invoice': `/invoices/${partPaid}`,
    'a paid invoice': `/invoices/${paid}`,
    'a cancelled invoice': `/invoices/${cancelled}`,
    'a new invoice': `/invoices/new?customer=${customerId}`,
    'a new credit note': `/invoices/${issued}/credit-note`,
    'credit notes': '/credit-notes',
    'a credit note': `/credit-notes/${creditNote}`,
    customers: '/customers',
    'a customer': `/customers/${customerId}`,
    'a supplier': `/customers/${supplierId}`,
    'what was invoiced in a month': '/invoiced',
    receipts: '/receipts',
    'receipts of a supplier': `/receipts?supplier=${supplierId}`,
    'a draft of a receipt': `/receipts/${receiptDraft}`,
    'a booked receipt': `/receipts/${booked}`,
    'a paid receipt': `/receipts/${receiptPaid}`,
    'a reversed receipt': `/receipts/${reversed}`,
    'the reversal of a receipt': `/receipts/${reverseReceipt.reversal.id}`,
    'bank transactions': '/bank-transactions',
    'unmatched transactions': '/bank-transactions?status=UNMATCHED',
    'the upload of a statement': '/bank-transactions/upload',
    'an unmatched transaction': `/bank-transactions/${unmatched}`,
    'money out': `/bank-transactions/${moneyOut}`,
    'a matched transaction': `/bank-transactions/${matched}`,
    'a partially matched transaction': `/bank-transactions/${partly}`,
    'an ignored transaction': `/bank-transactions/${ignored}`,
    projects: '/projects',
    'a project': `/projects/${project}`,
    'time entries': '/time-entries',
    import: '/import',
    'open items': '/reports/open-items?at=2026-12-31',
    'open items of suppliers': '/reports/open-items?at=2026-12-31&side=PAYABLE',
    'profit and loss': '/reports/profit-and-loss?from=2026-01-01&to=2026-12-31',
    'documents of a profit and loss': '/reports/profit-and-loss/documents?row=2026-01-01+2026-12-31',
    VAT: '/reports/vat?from=2026-01-01&to=2026-12-31',
    'documents of VAT': '/reports/vat/documents?from=2026-01-01&to=2026-12-31&row=OUTPUT+S+19+EUR',
    'EC sales': '/reports/ec-sales?from=2026-01-01&to=2026-12-31',
    'documents of EC sales': `/reports/ec-sales/documents?from=2026-01-01&to=2026-12-31&row=GOODS+EUR+FR+${`FR${word(30)}`.toUpperCase()}`,
    exports: '/exports',
    'a new export': '/exports?new=DATEV',
    company: '/settings/company',
    members: '/settings/members',
    'API tokens': '/settings/api-tokens',
    webhooks: '/settings/webhooks',
    'a webhook': `/settings/webhooks/${createWebhook.webhook.id}`,
    deliveries: '/deliveries',
    'a delivery': `/deliveries/${delivery.id}`,
    account: '/account',
    'bank accounts': '/bank-accounts',
    'a bank account': `/bank-accounts/${account}`,
    payments: '/payments',
    'audit log': '/audit-log',
    anchors: '/anchors',
    'period locks': '/settings/period-locks',
    'test tenants': '/settings/test-tenants',
    'bulk operations': '/bulk-operations',
    'a bulk operation': `/bulk-operations/${operation}`,
    'no page': '/nothing-here',
  };
}

/** Exports that have ended: a worker would end the others. */
async function makeExports(acme: Integrator): Promise<void> {
  const day = (text: string): Date => new Date(text);
  const ended = { slot: null, finishedAt: new Date() };
  const largest = 2 ** 31 - 1;
  const file = {
    fileName: `${word(60)}.csv`,
    length: largest,
    sha256: new Uint8Array(32),
    rows: largest,
    processedRows: largest,
  };
  await makeExport(acme, {
    ...ended,
    ...file,
    resource: 'CREDIT_NOTE_ITEMS',
    format: 'XLSX',
    from: day('2026-09-30'),
    to: day('2027-12-31'),
    status: 'COMPLETED',
    expiresAt: new Date(Date.now() + 7 * 86_400_000),
  });
  await makeExport(acme, {
    ...ended,
    type: 'DATEV',
    resource: null,
    format: null,
    from: day('2026-09-30'),
    to: day('2027-12-31'),
    chart: 'SKR04',
    consultantNumber: 9_999_999,
    clientNumber: 99_999,
    status: 'FAILED',
    error: `The amount of ${word(64)} is too large for DATEV.`,
  });
  const openItems = { type: 'OPEN_ITEMS', resource: null, side: 'RECEIVABLE', at: day('2026-09-30') } as const;
  await makeExport(acme, { ...ended, ...openItems, format: 'XLSX', status: 'CANCELLED' });
}
