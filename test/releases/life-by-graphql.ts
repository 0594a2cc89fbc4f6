import {
  getNamedType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isUnionType,
  type GraphQLField,
  type GraphQLOutputType,
} from 'graphql';
import { toSchema } from '../../schema/index.ts';
import type { Ask, GraphQL, Made } from './life.ts';

const schema = toSchema();

/** All that can be selected without arguments, objects `depth` levels deep. */
function select(of: GraphQLOutputType, depth: number): string {
  const type = getNamedType(of);
  if (isLeafType(type)) return '';
  if (isUnionType(type) || isInterfaceType(type)) return '{ __typename }';
  if (!isObjectType(type)) return '';
  const fields = Object.values(type.getFields()).flatMap((field) => selected(field, depth));
  return `{ ${fields.join(' ')} }`;
}

function selected({ name, type, args, deprecationReason }: GraphQLField<unknown, unknown>, depth: number): string[] {
  const isPage = getNamedType(type).name.endsWith('Connection');
  if (deprecationReason != null || args.some((arg) => isNonNullType(arg.type)) || isPage) return [];
  if (isLeafType(getNamedType(type))) return [name];
  const inner = depth > 0 ? select(type, depth - 1) : '';
  return inner === '' || inner === '{  }' ? [] : [`${name} ${inner}`];
}

const selection = (kind: 'Query' | 'Mutation', field: string, depth = 1): string => {
  const of = (kind === 'Query' ? schema.getQueryType() : schema.getMutationType())?.getFields()[field];
  if (!of) throw new Error(`There is no ${kind}.${field}`);
  const type = getNamedType(of.type);
  if (!type.name.endsWith('Connection') || !isObjectType(type)) return select(of.type, depth);
  return `{ totalCount nodes ${select(type.getFields()['nodes']!.type, 0)} pageInfo { hasNextPage hasPreviousPage } }`;
};

/** Most operations of GraphQL, each with all that can be selected. */
export async function liveByGraphql(graphql: GraphQL, made: Made): Promise<void> {
  const ask = (field: string, args = '', depth = 1) =>
    graphql(`{ ${field}${args && `(${args})`} ${selection('Query', field, depth)} }`);
  /** @returns the id of what it answers */
  async function change(field: string, args: Record<string, [type: string, value: unknown]>): Promise<string> {
    const names = Object.keys(args);
    const declared = Object.entries(args).map(([name, [type]]) => `$${name}: ${type}`);
    const query = `mutation (${declared.join(', ')}) { made: ${field}(${names.map((name) => `${name}: $${name}`).join(', ')}) ${selection('Mutation', field)} }`;
    const { body } = await graphql(
      query,
      Object.fromEntries(Object.entries(args).map(([name, [, value]]) => [name, value])),
    );
    return (body.data?.made?.id ?? '') as string;
  }
  const input = (type: string, value: object): [string, object] => [`${type}!`, value];
  const uuid = (value: string | undefined): [string, string | undefined] => ['UUID!', value];

  for (const field of ['company', 'me', 'periodLocks']) await ask(field);
  const customer = await change('createCustomer', {
    input: input('CreateCustomerInput', { type: 'CUSTOMER', companyName: 'Initech', country: 'DE' }),
  });
  await change('updateCustomer', { id: uuid(customer), input: input('UpdateCustomerInput', { city: 'Ulm' }) });
  await change('updateCustomer', {
    id: uuid(customer),
    input: input('UpdateCustomerInput', { city: 'Bonn' }),
    expectedVersion: ['Int', 1],
  });
  const project = await change('createProject', {
    input: input('CreateProjectInput', { name: 'Website', customerId: customer, hourlyRateNet: '80' }),
  });
  await change('updateProject', { id: uuid(project), input: input('UpdateProjectInput', { budgetHours: '20' }) });
  const entry = await change('createTimeEntry', {
    input: input('CreateTimeEntryInput', { projectId: project, date: '2026-03-01', durationMinutes: 60 }),
  });
  await change('updateTimeEntry', { id: uuid(entry), input: input('UpdateTimeEntryInput', { durationMinutes: 90 }) });
  await change('billProject', { projectId: uuid(project), vatRate: ['Decimal', '19'] });
  const items = [{ title: 'Advice', quantity: '2', unitPriceNet: '100', vatRate: '19' }];
  const invoice = { customerId: customer, invoiceDate: '2026-03-01', items };
  const issued = await change('createInvoice', { input: input('CreateInvoiceInput', invoice) });
  await change('updateInvoice', { id: uuid(issued), input: input('UpdateInvoiceInput', { subject: 'x' }) });
  await change('issueInvoice', { id: uuid(issued) });
  await change('payInvoice', { id: uuid(issued), amount: ['Decimal', '100'], paidOn: ['Date', '2026-03-02'] });
  await change('createCreditNote', { input: input('CreateCreditNoteInput', { invoiceId: issued }) });
  await change('deleteInvoice', { id: uuid(issued) });
  const cancelled = await change('createInvoice', {
    input: input('CreateInvoiceInput', { ...invoice, status: 'ISSUED' }),
  });
  await change('cancelInvoice', { id: uuid(cancelled) });
  const receipt = await change('createReceipt', {
    input: input('CreateReceiptInput', { receiptDate: '2026-03-01', amountGross: '119', vatRate: '19' }),
  });
  await change('updateReceipt', { id: uuid(receipt), input: input('UpdateReceiptInput', { category: 'x' }) });
  await change('bookReceipt', { id: uuid(receipt) });
  const transaction = uuid(made['bank-transactions']);
  await change('matchBankTransaction', {
    id: transaction,
    matches: ['[MatchInput!]!', [{ type: 'RECEIPT', id: receipt, amount: '100' }]],
  });
  await change('unmatchBankTransaction', { id: transaction });
  await change('ignoreBankTransaction', { id: transaction });
  await change('unignoreBankTransaction', { id: transaction });
  await change('reverseReceipt', { id: uuid(receipt), reason: ['String', 'x'] });
  await change('setPeriodLock', {
    input: input('SetPeriodLockInput', { series: 'BANK', lockedUntil: '1991-12-31', kind: 'SOFT' }),
  });
  const hook = await change('createWebhook', {
    input: input('CreateWebhookInput', { url: 'https://hooks.example.com/x', events: ['customer.created'] }),
  });
  await change('updateWebhook', { id: uuid(hook), input: input('UpdateWebhookInput', { description: 'The shop' }) });
  for (const field of ['enableWebhook', 'pingWebhook', 'rotateWebhookSecret', 'deleteWebhook'])
    await change(field, { id: uuid(hook) });
  const billed = await change('createReceipt', {
    input: input('CreateReceiptInput', {
      receiptDate: '2026-03-01',
      amountGross: '19',
      vatRate: '19',
      status: 'BOOKED',
    }),
  });
  await change('payReceipt', { id: uuid(billed), amount: ['Decimal', '1'], paidOn: ['Date', '2026-03-02'] });
  await change('updateBankAccount', {
    id: uuid(made['bank-accounts']),
    input: input('UpdateBankAccountInput', { name: 'Reserve' }),
  });
  await change('updatePayment', {
    id: uuid(made['payments']),
    input: input('UpdatePaymentInput', { metadata: { shop: 'Linz' } }),
  });
  await change('refundCreditNote', { id: uuid(made['credit-notes']), amount: ['Decimal', '1'] });
  await change('refundCredit', { id: uuid(made['customers']), currency: ['String', 'EUR'], amount: ['Decimal', '1'] });
  const testTenant = await change('createTestTenant', { input: input('CreateTestTenantInput', { name: 'GraphQL' }) });
  await change('resetTestTenant', { id: uuid(testTenant) });
  await change('deleteTestTenant', { id: uuid(testTenant) });
  const spare = await change('createProject', { input: input('CreateProjectInput', { name: 'Spare' }) });
  await change('deleteProject', { id: uuid(spare) });
  await change('deleteTimeEntry', { id: uuid(made['time-entries']) });

  const one = (field: string, id: string | undefined, more = '') => ask(field, `id: "${id}"${more}`);
  for (const [field, path] of [
    ['customer', 'customers'],
    ['invoice', 'invoices'],
    ['creditNote', 'credit-notes'],
    ['receipt', 'receipts'],
    ['project', 'projects'],
    ['timeEntry', 'time-entries'],
    ['bankAccount', 'bank-accounts'],
    ['bankTransaction', 'bank-transactions'],
    ['payment', 'payments'],
    ['webhook', 'webhooks'],
    ['delivery', 'deliveries'],
    ['bulkOperation', 'bulk-operations'],
    ['export', 'exports'],
    ['testTenant', 'test-tenants'],
    ['invoiceProof', 'invoices'],
    ['creditNoteProof', 'credit-notes'],
  ] as const)
    await one(field, made[path]);
  for (const field of [
    'customers',
    'invoices',
    'creditNotes',
    'receipts',
    'projects',
    'timeEntries',
    'bankAccounts',
    'bankStatements',
    'bankTransactions',
    'payments',
    'webhooks',
    'deliveries',
    'bulkOperations',
    'exports',
    'anchors',
  ])
    await ask(field, 'first: 2');
  await ask('events', 'first: 1, type: "invoice.paid"');
  await ask('auditLog', `first: 2, resourceId: "${made['projects']}"`);
  await one('customerCredit', made['customers']);
  await one('bankBalance', made['bank-accounts'], ', at: "2026-03-01"');
  await ask('overview', '', 2);
  const months = 'from: "2026-01-01", to: "2026-03-31"';
  await ask('vatReport', months, 2);
  await ask('profitAndLoss', months, 2);
  await ask('ecSales', months, 2);
  await ask('openItems', 'at: "2026-03-31"', 1);
  await ask('vatReportDocuments', `${months}, kind: OUTPUT, vatCategory: "S", vatRate: "19", currency: "EUR"`, 2);
  await ask('profitAndLossDocuments', `${months}, kind: REVENUE, currency: "EUR"`, 2);
  for (const field of ['invoicesAggregate', 'receiptsAggregate']) await ask(field, 'groupBy: [STATUS]', 1);
  await ask('testClock');
  await ask('testTenants');
  await ask('invoiceTotals', 'input: { items: [{ quantity: "3", unitPriceNet: "0.335", vatRate: "7" }] }', 2);
  await ask('periodLockCheck', 'until: "2026-01-31"');
  await ask('requiredEInvoice', `customerId: "${customer}"`);
  await ask('changes', 'limit: 1, resource: [PROJECT]');
  const filter =
    'filter: { totalGross: { gte: "100" }, or: [{ status: { in: [PAID, ISSUED] } }] }, orderBy: [{ field: DUE_DATE, direction: ASC }]';
  const { body } = await graphql(
    `{ invoices(first: 1, ${filter}) { edges { cursor node { number totalGross nodeId } } pageInfo { endCursor } } }`,
  );
  const { edges, pageInfo } = body.data?.invoices ?? {};
  await graphql(`{ invoices(first: 1, after: "${pageInfo?.endCursor}", ${filter}) { nodes { number } } }`);
  await graphql('query ($id: ID!) { node(id: $id) { __typename ... on Invoice { number } } }', {
    id: edges?.[0]?.node.nodeId,
  });
}

export async function refuseByGraphql(ask: Ask, graphql: GraphQL, made: Made): Promise<void> {
  await graphql('{ customer(id: "0190a1b2-c3d4-7000-8000-000000000000") { id } }');
  await graphql('{ customer(id: "x") { id } }');
  await graphql('{ nothing }');
  await graphql('{ customers {');
  await graphql('mutation { createCustomer(input: { type: CUSTOMER, companyName: "", country: "XX" }) { id } }');
  await graphql('mutation { deleteCustomer(id: "0190a1b2-c3d4-7000-8000-000000000000") { id } }');
  await graphql('{ customers(first: 1000) { nodes { id } } }');
  const query = `{ customer(id: "${made['customers']}") { id } }`;
  for (const as of ['nobody', 'reader', 'other']) await ask({ as, method: 'POST', path: '/graphql', body: { query } });
  await ask({ as: 'acme', method: 'GET', path: `/graphql?query=${encodeURIComponent('{ me { user { id } } }')}` });
  await ask({ as: 'acme', method: 'GET', path: `/graphql?query=${encodeURIComponent('mutation { a }')}` });
}
