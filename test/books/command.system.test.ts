import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noRecords } from '../../schema/tenant-archive/export-archive.ts';
import { createDatabase, type Database } from '../harness.ts';
import { kontor } from '../processes/command-lines.ts';
import { startKontor } from '../processes/npm.ts';
import { booksIn } from './lines.ts';

let database: Database;
let pool: Pool;
let folder: string;

beforeAll(async () => {
  database = await createDatabase();
  pool = new Pool({ connectionString: database.url });
  folder = await mkdtemp(join(tmpdir(), 'kontor-books-'));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

const env = () => ({
  DATABASE_URL: database.url,
  KONTOR_SECRET: 'long-enough-to-be-one-for-the-tests',
});
const run = (...args: string[]) => kontor(args, env());
// The program itself takes 60 MB. Reading all of the records below at once would take 130 MB more. Near the limit, the program
// would do little else than look for free memory.
const runInSmallHeap = (...args: string[]) => kontor(args, { ...env(), NODE_OPTIONS: '--max-old-space-size=120' });
const newTenant = async (): Promise<string> =>
  JSON.parse((await run('tenant', 'create', '--name', 'Acme', '--json')).out).id;

/** Customers, each with a paid invoice of three long items: four records, with the parties of the invoice. */
const fill = (tenantId: string, customers: number): Promise<unknown> =>
  pool.query(`
    select set_config('kontor.tenant_id', '${tenantId}', false);
    create temporary table made as
      select at, gen_random_uuid() as customer, gen_random_uuid() as invoice from generate_series(1, ${customers}) as at;
    insert into customers (id, type, company_name, city, updated_at)
      select customer, 'customer', 'Customer ' || at, repeat('x', 200), now() from made;
    insert into invoices (id, customer_id, status, number, invoice_date, due_date, currency, total_net, total_vat,
        total_gross, amount_paid, issued_at, paid_at, updated_at)
      select invoice, customer, 'paid', '2026-' || lpad(at::text, greatest(4, length(at::text)), '0'), '2026-01-31',
        '2026-02-14', 'EUR', 100, 19, 119, 119, now(), now(), now() from made;
    insert into invoice_items (id, invoice_id, position, title, description, quantity, unit_price_net, vat_rate, line_total_net)
      select gen_random_uuid(), invoice, position, repeat('y', 200), repeat('z', 2000), 1, price, 19, price
      from made cross join (values (1, 50), (2, 30), (3, 20)) as item (position, price);
    insert into payments (id, invoice_id, amount, currency, paid_on)
      select gen_random_uuid(), invoice, 119, 'EUR', '2026-02-01' from made;
    insert into invoice_sequences (year, last) values (2026, ${customers});
    drop table made;
    analyze;`);

it('an export that is interrupted leaves no part of the books', async () => {
  const tenant = await newTenant();
  const target = await mkdtemp(join(folder, 'interrupted-'));
  const other = await pool.connect();
  try {
    await other.query('begin; lock table customers in access exclusive mode');
    const running = startKontor(['export', '--tenant', tenant, '--out', join(target, 'books.jsonl')], env());
    // At once: later, the file is not about to be opened any more.
    await expect.poll(() => readdir(target), { interval: 0 }).toEqual([expect.stringMatching(/\.partial$/)]);
    process.kill(running.pid, 'SIGINT');
    expect(await running.exited).toEqual({ code: null, signal: 'SIGINT' });
    expect(await readdir(target)).toEqual([]);
  } finally {
    await other.query('rollback');
    other.release();
  }
});

it('16,000 records move out and in again, in a small heap', async () => {
  const customers = 4000;
  const [from, to] = [await newTenant(), await newTenant()];
  await fill(from, customers);
  const file = join(folder, 'books.jsonl');
  const records = {
    ...noRecords(),
    customer: customers,
    invoice: customers,
    invoice_sequence: 1,
    payment: customers,
    invoice_parties: customers,
    // Of each customer, invoice, its lines, and payment; of the tenant, and of its sequence of numbers.
    audit_entry: 4 * customers + 2,
  };

  const exported = await runInSmallHeap('export', '--tenant', from, '--out', file, '--json');
  expect(exported).toMatchObject({
    code: 0,
    err: expect.stringContaining(`${customers} issued documents have no proof yet.`),
  });
  expect(JSON.parse(exported.out)).toEqual({ file, records });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const lines = (await readFile(file, 'utf8')).split('\n');
  expect(lines).toHaveLength(8 * customers + 6);

  expect(await run('export', '--tenant', from, '--out', file)).toMatchObject({ code: 1, out: '' }); // it is there

  const imported = await runInSmallHeap('import', '--tenant', to, file, '--accept-unproven', '--json');
  expect(imported).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(imported.out)).toEqual({ file, dry_run: false, records, notes: [] });

  const again = join(folder, 'again.jsonl');
  expect(await run('export', '--tenant', to, '--out', again)).toMatchObject({ code: 0 });
  expect(booksIn(await readFile(again, 'utf8'))).toEqual(booksIn(lines.join('\n')));

  const refused = await run('import', '--tenant', to, file);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('The tenant has books already');
}, 600_000);

it('an import can be tried, and names the lines that are wrong; nothing is written then', async () => {
  const [from, to] = [await newTenant(), await newTenant()];
  await fill(from, 10);
  const file = join(folder, 'small.jsonl');
  expect(await run('export', '--tenant', from, '--out', file)).toMatchObject({ code: 0 });
  const lines = (await readFile(file, 'utf8')).split('\n');

  const tried = await run('import', '--tenant', to, file, '--dry-run', '--accept-unproven');
  expect(tried).toMatchObject({ code: 0, err: '' });
  expect(tried.out).toContain(`${file} can be imported. Nothing was written.`);

  const wrong = join(folder, 'wrong.jsonl');
  const at = lines.findIndex((line) => line.startsWith('{"record":"payment"'));
  await writeFile(wrong, lines.with(at, lines[at]!.replace('"119"', '"118"')).join('\n'));
  const { code, err } = await run('import', '--tenant', to, wrong, '--accept-unproven');
  expect(code).toBe(1);
  expect(err).toMatch(
    /^.*wrong\.jsonl:\d+: amount_paid: Must be the sum of the payments\.\nkontor: .*wrong\.jsonl has errors\. Nothing was written\n$/,
  );

  expect(await run('import', '--tenant', to, file, '--accept-unproven')).toMatchObject({ code: 0, err: '' }); // it is empty still
});
