import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createToken } from '../../src/identity/index.ts';
import { createRateLimiter, memoryStore } from '../../src/security/rate-limit.ts';
import { startService, type Integrator, type Service } from '../harness.ts';
import { work } from '../webhooks/receiver.ts';
import { startCuttingProxy, type CuttingProxy } from './cutting-proxy.ts';

// programs/receivables.js is written by the guides alone. It runs behind a proxy that cuts the connection of each request
// twice, at the default rate limit, and then once more from the beginning.

const countries = ['AT', 'DE', 'CH'];
const customers = Array.from({ length: 5000 }, (_, at) => ({
  type: 'customer',
  external_id: `crm-${at}`,
  company_name: `Customer ${at}`,
  country: countries[at % 3],
}));
/** Four of five are overdue. */
const invoices = Array.from({ length: 60 }, (_, at) => ({
  customer: `crm-${(at * 7) % 200}`,
  invoice_date: '2026-01-31',
  due_date: at % 5 === 0 ? '2999-01-31' : `2026-02-${10 + (at % 9)}`,
  currency: at % 4 === 0 ? 'CHF' : 'EUR',
  items: [{ title: 'Advice', quantity: 1, unit_price_net: 100 * (at + 1), vat_rate: 19 }],
}));
const gross = (at: number): number => 119 * (at + 1);

let folder: string;
let service: Service;
let acme: Integrator;
/** A limit is a token's: each run of all has one of its own. */
let token: string;
let proxy: CuttingProxy;
let worker: Awaited<ReturnType<typeof work>>;

beforeAll(async () => {
  const { rateLimitPerMinute: limit } = readConfig({});
  service = await startService({ limiter: () => createRateLimiter({ limit, store: memoryStore() }) });
  worker = await work(service);
  acme = await service.integrator();
  proxy = await startCuttingProxy(service.url);
  folder = await mkdtemp(join(tmpdir(), 'kontor-receivables-'));
  await writeFile(join(folder, 'customers.json'), JSON.stringify(customers));
  await writeFile(join(folder, 'invoices.json'), JSON.stringify(invoices));
});
afterAll(async () => {
  await worker.stop();
  await proxy.close();
  await service.close();
  await rm(folder, { recursive: true });
});

/** @returns what the program prints, by line */
async function run(args: string[], loadedBy = '1'): Promise<string[]> {
  const env = { ...process.env, KONTOR: proxy.url, TOKEN: token, RUN: loadedBy };
  const program = resolve('test/docs/programs/receivables.js');
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { cwd: folder, env });
  return stdout.trimEnd().split('\n');
}

/** The page as it follows from what was loaded, without the invoices that are paid. */
function expectedPage(country: string, paid: number[] = []): string[] {
  const overdue = invoices
    .map((invoice, at) => ({ ...invoice, at, of: Number(invoice.customer.slice(4)) }))
    .filter(({ at, of, due_date: due }) => due < '2027' && countries[of % 3] === country && !paid.includes(at))
    .toReversed();
  const sums = ['CHF', 'EUR'].flatMap((currency) => {
    const found = overdue.filter((invoice) => invoice.currency === currency);
    const sum = found.reduce((all, { at }) => all + gross(at), 0);
    return found.length === 0 ? [] : [`${sum} ${currency} of ${found.length} invoices`];
  });
  const rows = overdue.slice(0, 10).map(({ at, of, due_date: due, currency }) => {
    const number = `2026-${String(at + 1).padStart(4, '0')}`;
    return `${number} ${due} ${gross(at)} ${currency} Customer ${of}`;
  });
  return [...sums, ...rows, `${rows.length} of ${overdue.length}`];
}

/** Counts the rows to which a duplicate would add. */
const countBooks = async (): Promise<Record<string, number>> => ({
  customers: await acme.db.customer.count(),
  invoices: await acme.db.invoice.count(),
  payments: await acme.db.payment.count(),
  // The worker reports overdue invoices in its own time.
  events: await acme.db.event.count({ where: { type: { not: 'invoice.overdue' } } }),
});

/** The whole of what the program does, with its output. */
async function runAll(loadedBy = '1'): Promise<void> {
  ({ token } = await createToken(service.client, { tenantId: acme.tenantId }));
  expect(await run(['load', 'customers.json'], loadedBy)).toEqual(['completed: 5000 of 5000 customers']);
  expect(await run(['bill', 'invoices.json'])).toEqual(['60 invoices: 2026-0001 to 2026-0060']);
  expect(await run(['pay', '2026-0059'])).toEqual(['2026-0059 is paid']);
  expect(await run(['page', 'AT'])).toEqual(expectedPage('AT', [58]));
}

it('a program written by /docs loads 5,000 customers and shows receivables, with each request cut twice', async () => {
  await runAll();
  const rows = await acme.db.customer.findMany({ orderBy: { id: 'asc' } });
  expect(rows.map((row) => [row.externalId, row.companyName, row.country])).toEqual(
    customers.map((row) => [row.external_id, row.company_name, row.country]),
  );
  expect([...proxy.attempts.values()].filter((attempts) => attempts % 3 !== 0)).toEqual([]);
});

it('the page is one request, and the same after every interruption', async () => {
  const before = new Map(proxy.attempts);
  expect(await run(['page', 'DE'])).toEqual(expectedPage('DE'));
  const made = [...proxy.attempts].filter(([name, attempts]) => attempts !== before.get(name));
  expect(made).toEqual([[expect.stringMatching(/^POST \/graphql /), 3]]);
});

it('all of it once more, with the same keys and then with a new one for the load, adds nothing', async () => {
  const before = await countBooks();
  expect(before).toMatchObject({ customers: 5000, invoices: 60, payments: 1 });
  await runAll();
  expect(await countBooks()).toEqual(before);
  await runAll('2');
  expect(await countBooks()).toMatchObject({ customers: 5000, invoices: 60, payments: 1 });
});
