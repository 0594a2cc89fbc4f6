import { readConfig } from '../src/config/config.ts';
import { openDatabase } from '../src/database/database.ts';
import { createTenant, createToken, createUser } from '../src/identity/index.ts';
import { print, printError } from '../src/commands/output.ts';
import { playMoneyAndEvents } from './demo-webhooks.ts';

// Runs the quick start against the running server over plain HTTP: `npm start` in one terminal, `npm run demo` in another.
// Each step checks its answer, and the script fails on an unexpected one.

const config = readConfig(process.env);
const address = config.publicUrl ?? `http://${config.host}:${config.port}`;

/** Two new tenants, so that each run of the demo starts with empty books. */
async function makeTokens(): Promise<[string, string]> {
  const database = await openDatabase(config, { report: printError });
  try {
    const stamp = Date.now();
    const tokens: string[] = [];
    for (const name of ['Demo One', 'Demo Two']) {
      const { id } = await createTenant(database.client, { name });
      const email = `${name.toLowerCase().replace(' ', '-')}-${stamp}@example.com`;
      await createUser(database.client, { email, tenantId: id });
      tokens.push((await createToken(database.client, { tenantId: id, name: 'demo' })).token);
    }
    return [tokens[0] ?? '', tokens[1] ?? ''];
  } finally {
    await database.close();
  }
}

interface Resource {
  id: string;
  [field: string]: unknown;
}

async function step(title: string, token: string, expected: number, method: string, path: string, body?: object) {
  print(`\n── ${title}`);
  print(`${method} /api/v1${path}`);
  if (body) print(JSON.stringify(body, null, 2));
  const response = await fetch(`${address}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = (text === '' ? {} : JSON.parse(text)) as {
    data: Resource & Resource[];
    links: { next: string | null };
  };
  print(`→ ${response.status} ${response.statusText}`);
  if (text !== '') print(JSON.stringify(answer, null, 2));
  if (response.status !== expected) throw new Error(`${title}: expected ${expected}, got ${response.status}`);
  return answer;
}

async function play(): Promise<void> {
  const alive = await fetch(`${address}/health/ready`).catch(() => undefined);
  if (!alive?.ok) throw new Error(`No Kontor is ready at ${address}: run npm start in another terminal`);
  const [token, stranger] = await makeTokens();

  const customer = await step('Create a customer', token, 201, 'POST', '/customers', {
    type: 'customer',
    company_name: 'Bäckerei Sonnenschein GmbH',
    email: 'buero@sonnenschein.example',
    address_line1: 'Marktplatz 4',
    postal_code: '24103',
    city: 'Kiel',
    country: 'DE',
    vat_id: 'DE811907980',
  });
  const invoice = await step(
    'Create an issued invoice of three items at two VAT rates',
    token,
    201,
    'POST',
    '/invoices',
    {
      customer_id: customer.data.id,
      invoice_date: '2026-01-31',
      due_date: '2026-02-14',
      subject: 'Menu cards',
      status: 'issued',
      items: [
        { title: 'Layout', quantity: 4.5, unit: 'h', unit_price_net: 85, vat_rate: 19 },
        { title: 'Menu cards', quantity: 250, unit: 'pcs', unit_price_net: 0.4199, vat_rate: 7 },
        { title: 'Discount', quantity: -1, unit_price_net: 20, vat_rate: 19 },
      ],
    },
  );
  await step('A second invoice, as a draft', token, 201, 'POST', '/invoices', {
    customer_id: customer.data.id,
    invoice_date: '2026-02-28',
    items: [{ title: 'Posters', quantity: 40, unit: 'pcs', unit_price_net: 3.2, vat_rate: 7 }],
  });
  await step('List the customers, filtered and searched', token, 200, 'GET', '/customers?type=customer&q=sonnen');
  await step(
    'List the issued invoices of this customer',
    token,
    200,
    'GET',
    `/invoices?status=issued&customer_id=${customer.data.id}`,
  );
  const first = await step('Page through the invoices', token, 200, 'GET', '/invoices?per_page=1');
  const next = new URL(first.links.next ?? '');
  await step('…by links.next', token, 200, 'GET', `${next.pathname.replace('/api/v1', '')}${next.search}`);
  await step('Fetch one', token, 200, 'GET', `/invoices/${invoice.data.id}`);
  await step('An issued invoice can not be deleted', token, 422, 'DELETE', `/invoices/${invoice.data.id}`);
  await step('All that is wrong is said at once', token, 422, 'POST', '/invoices', {
    customer_id: '00000000-0000-7000-8000-000000000000',
    invoice_date: '2026-02-30',
    items: [{ title: '', quantity: 0, unit_price_net: '12,50', vat_rate: 119 }],
  });
  await step("Another tenant's invoice does not exist", stranger, 404, 'GET', `/invoices/${invoice.data.id}`);
  await playMoneyAndEvents();
  print('\nAll as expected.');
}

try {
  await play();
} catch (error) {
  printError(`demo: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
