import { balance, camt } from '../bank/statement.ts';
import { company } from '../documents/parties.ts';
import { description, operations } from '../openapi/description.ts';
import * as sample from '../rest/samples.ts';
import type { Ask, GraphQL, Made, Rest } from './life.ts';

const api = description();
const byId = new Map(operations(api).map((endpoint) => [endpoint.operation.operationId, endpoint]));

/** The body that the description shows, with references to these rows, and with other fields. */
function example(operationId: string, made: Made, fields: object = {}): Record<string, unknown> {
  const references: Record<string, string | undefined> = {
    customer_id: made['customers'],
    invoice_id: made['invoices'],
    invoice_item_id: made['items'],
    supplier_id: made['suppliers'],
    project_id: made['projects'],
  };
  const body = byId.get(operationId)?.operation.requestBody?.content['application/json'].example;
  const text = JSON.stringify(body, (name, value: unknown) => references[name] ?? value);
  return { ...(JSON.parse(text) as object), ...fields };
}

const importStatement =
  'mutation ($file: Upload!) { importBankStatement(file: $file) { imported skipped matched warnings } }';

/** Each operation of REST, with success. */
export async function liveByRest(
  rest: Rest,
  graphql: GraphQL,
  happen: (event: string) => Promise<void>,
): Promise<Made> {
  const made: Made = {};
  const create = async (path: string, body: object, name = path): Promise<string> => {
    const answer = await rest('POST', `/${path}`, body);
    if (answer.status !== 201) throw new Error(`POST /${path}: ${answer.text}`);
    return (made[name] = String(answer.body.data.id));
  };
  await graphql('mutation ($input: UpdateCompanyInput!) { updateCompany(input: $input) { legalName version } }', {
    input: company,
  });
  await rest('GET', '/me');

  await create('customers', example('createCustomer', made));
  await create('customers', sample.supplier, 'suppliers');
  const spare = await create('customers', sample.customer, 'spare');
  await rest('PATCH', `/customers/${made['customers']}`, { city: 'Bonn', phone: null });
  const { headers } = await rest('GET', `/customers/${made['customers']}`);
  const tag = headers.get('etag') ?? '';
  await rest('GET', `/customers/${made['customers']}`, undefined, { 'if-none-match': tag });
  await rest('PATCH', `/customers/${made['customers']}`, { city: 'Ulm' }, { 'if-match': tag });
  await rest('PATCH', `/customers/${made['customers']}`, { city: 'Bonn' }, { 'if-match': tag });
  await rest('HEAD', `/customers/${made['customers']}`);
  for (const body of [sample.customer, sample.customer, sample.supplier])
    await rest('POST', '/customers', body, { 'idempotency-key': 'once' });
  await rest('POST', '/customers/batch', { items: [sample.customer, { type: 'nobody' }] });
  await rest('POST', '/customers/batch', { items: [sample.customer, { type: 'nobody' }], atomic: true });
  await rest('PATCH', '/customers/batch', {
    items: [
      { id: spare, city: 'Graz' },
      { id: sample.unknownId, city: 'Graz' },
    ],
  });
  const { body: page } = await rest('GET', '/customers?per_page=2');
  await rest('GET', String(page.links.next).replace('https://kontor.example/api/v1', ''));
  await rest('GET', '/customers?type=supplier&q=liefer&page=1&per_page=1');
  await rest('GET', '/customers?per_page=1000');
  await rest('GET', '/customers?nonsense=1', undefined, { prefer: 'handling=strict' });

  await create('projects', example('createProject', made));
  await create('projects', sample.project, 'spare-projects');
  await rest('PATCH', `/projects/${made['projects']}`, { status: 'completed' });
  await rest('PATCH', `/projects/${made['projects']}`, { status: 'active' });
  await rest('POST', '/projects/batch', { items: [sample.project] });
  await rest('PATCH', '/projects/batch', { items: [{ id: made['spare-projects'], name: 'Anbau' }] });
  await create('time-entries', example('createTimeEntry', made));
  await create('time-entries', sample.timeEntry(made['spare-projects'] ?? ''), 'spare-entries');
  await rest('POST', '/time-entries/batch', { items: [sample.timeEntry(made['projects'] ?? '')] });

  const invoice = (fields: object = {}): Promise<string> => create('invoices', example('createInvoice', made, fields));
  const draft = await invoice({ status: 'draft', items: [sample.item] });
  await rest('DELETE', `/invoices/${draft}`);
  await rest('POST', `/invoices/${await invoice({ status: 'draft' })}/issue`);
  await rest('POST', `/invoices/${made['invoices']}/cancel`);
  await rest('POST', '/invoices/batch', { items: [sample.invoice(made['customers'] ?? ''), { items: [] }] });
  const paid = await invoice({ status: 'paid' });
  const issued = await invoice();
  const { body: read } = await rest('GET', `/invoices/${issued}`);
  made['items'] = read.data.items[0].id as string;
  const open = String(read.data.amount_due);
  await rest('POST', `/invoices/${issued}/payments`, { amount: 100, paid_on: '2026-02-01' });
  await rest('POST', `/invoices/${issued}/payments`, { amount: open });
  await rest(
    'POST',
    `/invoices/${issued}/payments`,
    example('payInvoice', made, { adjustments: [{ type: 'cash_discount', amount: 1 }] }),
  );
  await rest('POST', `/invoices/${issued}/issue`);
  await rest('DELETE', `/invoices/${issued}`);
  for (const file of ['pdf', 'xml?format=xrechnung-cii', 'xml?format=zugferd', 'xml?format=nonsense'])
    await rest('GET', `/invoices/${issued}/${file}`);
  await create('credit-notes', { invoice_id: issued, reason: 'x', amounts: [{ vat_rate: 19, net: 10 }] });
  await create('credit-notes', { invoice_id: issued, items: [{ invoice_item_id: made['items'], quantity: 1 }] });
  await rest('POST', `/credit-notes/${made['credit-notes']}/refunds`, { amount: 1, paid_on: '2026-02-20' });
  await create('credit-notes', { invoice_id: paid });
  await rest('POST', `/credit-notes/${made['credit-notes']}/refunds`, { amount: 1, paid_on: '2026-02-20' });
  for (const file of ['', '/pdf', '/xml?format=xrechnung-ubl'])
    await rest('GET', `/credit-notes/${made['credit-notes']}${file}`);
  await invoice();
  await rest('POST', `/invoices/${made['invoices']}/payments`, { adjustments: [{ type: 'overpayment', amount: 30 }] });
  await rest('GET', `/customers/${made['customers']}/credit`);
  await rest('POST', `/customers/${made['customers']}/credit-refunds`, {
    currency: 'EUR',
    amount: 1,
    paid_on: '2026-02-20',
  });
  await rest('DELETE', `/customers/${made['customers']}`);

  await create('receipts', sample.receipt, 'spare-receipts');
  await rest('DELETE', `/receipts/${made['spare-receipts']}`);
  await create(
    'receipts',
    example('createReceipt', made, { exchange_rate: null, exchange_rate_date: null, exchange_rate_source: null }),
  );
  await rest('POST', '/receipts/batch', { items: [sample.receipt] });
  const attachments = `/receipts/${made['receipts']}/attachments`;
  const xml =
    '<?xml version="1.0" encoding="UTF-8"?><rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"/>';
  const attach = () => rest('POST', `${attachments}?filename=bill.xml`, xml, { 'content-type': 'application/xml' });
  const { body: attached } = await attach();
  made['attachments'] = attached.data.id as string;
  await rest('GET', attachments);
  for (const file of ['', '/file']) await rest('GET', `${attachments}/${made['attachments']}${file}`);
  await rest('DELETE', `${attachments}/${made['attachments']}`);
  await attach();
  await rest('POST', `/receipts/${made['receipts']}/book`);
  await rest('POST', `/receipts/${made['receipts']}/payments`, { amount: 19, paid_on: '2026-02-20' });
  await rest('POST', `/receipts/${made['receipts']}/payments`);
  await create('receipts', { ...sample.receipt, status: 'booked' }, 'spare-receipts');
  await rest('POST', `/receipts/${made['spare-receipts']}/reverse`, { reason: 'x' });
  await rest('GET', `/receipts/${made['spare-receipts']}?reversed=true`);

  await create('bank-accounts', { ...example('createBankAccount', made), iban: 'AT611904300234573201' });
  await rest('PATCH', `/bank-accounts/${made['bank-accounts']}`, { name: 'Savings' });
  const entries = [
    { amount: '1.00', name: 'Kundin', reference: 'A' },
    { amount: '-119.00', name: 'Lieferant', reference: 'B' },
  ];
  await graphql(importStatement, { file: null }, camt(entries, balance('OPBD', '200.00') + balance('CLBD', '82.00')));
  const { body: unmatched } = await rest('GET', '/bank-transactions?match_status=unmatched');
  made['bank-transactions'] = unmatched.data[0].id as string;
  await rest('GET', '/bank-accounts');
  const { body: statements } = await rest('GET', '/bank-statements');
  await rest('GET', `/bank-statements/${statements.data[0].id}`);
  await rest('GET', `/bank-accounts/${made['bank-accounts']}/balance?at=2026-03-01`);

  const { body: payments } = await rest('GET', `/payments?invoice_id=${issued}`);
  made['payments'] = payments.data[0].id as string;
  await rest('PATCH', `/payments/${made['payments']}`, { external_id: 'bank-1', metadata: { shop: 'Ulm' } });
  await rest('GET', '/payments?external_id=bank-1');
  await rest('POST', `/payments/${made['payments']}/reverse`, { reason: 'x' });
  await rest('GET', '/payments?kind=payment&per_page=3');

  const months = 'from=2026-01-01&to=2026-03-31';
  for (const report of [
    `vat?${months}`,
    `vat/documents?${months}&kind=output&vat_category=S&vat_rate=19&currency=EUR`,
    `ec-sales?${months}`,
    `ec-sales/documents?${months}&kind=goods&currency=EUR`,
    'open-items?at=2026-03-31',
    `profit-and-loss?${months}`,
    `profit-and-loss/documents?${months}&kind=revenue&currency=EUR`,
    'vat?from=2026-03-31&to=2026-01-01',
  ])
    await rest('GET', `/reports/${report}`);
  await rest('GET', '/period-locks/check?until=2026-01-31');
  await rest('PUT', '/period-locks', { series: 'all', locked_until: '1990-12-31', kind: 'soft', reason: 'x' });
  await rest('GET', '/period-locks');

  await create('exports', example('createExport', made));
  const jsonl = { 'content-type': 'application/jsonl' };
  const lines = `${JSON.stringify(sample.customer)}\n{"type":"nobody"}\n`;
  const { body: begun } = await rest('POST', '/bulk-operations?resource=customers&action=create', lines, jsonl);
  made['bulk-operations'] = begun.data.id as string;
  await happen('work');
  for (const file of ['', '/file']) await rest('GET', `/exports/${made['exports']}${file}`);
  for (const file of ['', '/results', '/results?failed=true'])
    await rest('GET', `/bulk-operations/${made['bulk-operations']}${file}`);
  for (const path of [`invoices/${issued}`, `credit-notes/${made['credit-notes']}`])
    await rest('GET', `/${path}/proof`);
  await create('exports', { ...example('createExport', made), format: 'xlsx' });
  await rest('GET', `/exports/${made['exports']}/file`);
  await rest('POST', `/exports/${made['exports']}/cancel`);
  const { body: cancelled } = await rest('POST', '/bulk-operations?resource=customers&action=create', lines, jsonl);
  await rest('POST', `/bulk-operations/${cancelled.data.id}/cancel`);

  const { body: hook } = await rest('POST', '/webhooks', {
    url: 'https://hooks.example.com/kontor',
    events: ['invoice.paid'],
  });
  made['webhooks'] = hook.data.id as string;
  await rest('PATCH', `/webhooks/${made['webhooks']}`, { description: 'The shop', active: true });
  await rest('POST', `/webhooks/${made['webhooks']}/ping`);
  await rest('POST', `/webhooks/${made['webhooks']}/rotate-secret`, { immediately: true });
  const { body: deliveries } = await rest('GET', `/deliveries?webhook_id=${made['webhooks']}`);
  made['deliveries'] = deliveries.data[0].id as string;
  await rest('GET', `/deliveries/${made['deliveries']}`);
  await rest('POST', `/deliveries/${made['deliveries']}/redeliver`);
  await happen('anchor');
  const { body: anchors } = await rest('GET', '/anchors');
  await rest('GET', `/anchors/${anchors.data[0].id}`);
  const { body: second } = await rest('POST', '/webhooks', { url: 'https://hooks.example.com/x', events: ['*'] });
  await rest('DELETE', `/webhooks/${second.data.id}`);

  for (const path of [
    'projects',
    'time-entries',
    'invoices',
    'credit-notes',
    'receipts',
    'webhooks',
    'exports',
    'bulk-operations',
  ])
    await rest('GET', `/${path}?per_page=2`);
  const rows = [
    'projects',
    'time-entries',
    'bank-transactions',
    'payments',
    'bank-accounts',
    'webhooks',
    'credit-notes',
    'receipts',
  ];
  for (const path of rows) await rest('GET', `/${path}/${made[path]}`);
  await rest('GET', `/events?type=invoice.paid&per_page=2`);
  await rest('GET', `/audit-log?resource_id=${made['projects']}`);
  await rest('GET', '/changes?resource=project&limit=2');
  await rest('GET', '/changes?since=nonsense');
  await rest('DELETE', `/time-entries/${made['spare-entries']}`);
  await rest('DELETE', `/projects/${made['spare-projects']}`);
  await rest('DELETE', `/customers/${spare}`);
  return { ...made, invoices: issued };
}

/** Sends requests that each operation refuses. */
export async function refuseByRest(ask: Ask, made: Made): Promise<void> {
  const required: Record<string, string> = {
    format: 'xrechnung-cii',
    filename: 'x',
    resource: 'customers',
    action: 'create',
  };
  for (const { method, path, operation } of operations(api)) {
    const names = (operation.parameters ?? [])
      .filter((each) => each.in === 'query' && each.required)
      .map((each) => each.name);
    const query =
      names.length > 0 && path.includes('{id}') ? `?${names.map((name) => `${name}=${required[name]}`).join('&')}` : '';
    const at = (id: string): string =>
      `/api/v1${path.replace('{id}', id).replace('{attachment_id}', sample.unknownId)}${query}`;
    const usual = { method: method.toUpperCase(), path: at(sample.unknownId) };
    await ask({ as: 'nobody', ...usual });
    await ask({ as: 'reader', ...usual });
    if (path.includes('{id}')) await ask({ as: 'acme', ...usual });
    const own = made[/^\/([\w-]+)\/\{id\}/.exec(path)?.[1] ?? ''];
    if (own !== undefined && path.endsWith('{id}')) await ask({ as: 'other', ...usual, path: at(own) });
    if (own !== undefined && '412' in operation.responses)
      await ask({ as: 'acme', ...usual, path: at(own), headers: { 'if-match': '"99-x"' }, body: {} });
    if (operation.requestBody?.content['application/json'] && (own !== undefined || !path.includes('{id}')))
      await ask({ as: 'acme', ...usual, path: at(own ?? ''), body: { nonsense: 1 } });
  }
  const customers = '/api/v1/customers';
  await ask({ as: 'acme', method: 'PUT', path: customers });
  await ask({ as: 'acme', method: 'OPTIONS', path: customers });
  await ask({ as: 'acme', method: 'GET', path: '/api/v1/nothing' });
  await ask({
    as: 'acme',
    method: 'POST',
    path: customers,
    body: 'type=customer',
    headers: { 'content-type': 'text/plain' },
  });
  await ask({
    as: 'acme',
    method: 'POST',
    path: customers,
    body: '{"type":',
    headers: { 'content-type': 'application/json' },
  });
  await ask({ as: 'nobody', method: 'GET', path: customers, headers: { authorization: 'Bearer nonsense' } });
  for (let time = 0; time < 2; time += 1) await ask({ as: 'limited', method: 'GET', path: '/api/v1/me' });
}
