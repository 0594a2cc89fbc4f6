import { expect } from 'vitest';
import type { Integrator } from '../../harness.ts';
import type { Served } from '../served.ts';
import { insertInvoices } from '../large-books.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const invoices = size('REPORTED', { suite: 2000, full: 100_000 });
const seconds = size('SECONDS', { suite: 1, full: 30 });
const atOnce = 20;

const year = 'from=2026-01-01&to=2026-12-31';
const row = 'kind=output&vat_category=S&vat_rate=19&currency=EUR';
/** Each reads all documents, their lines, and payments; or all of the audit log, whose entries are long. */
const paths = [
  `/reports/vat?${year}&basis=accrual`,
  `/reports/vat?${year}&basis=cash`,
  `/reports/vat/documents?${year}&basis=cash&${row}&limit=1000&skip=${invoices - 1000}`,
  `/reports/ec-sales?${year}`,
  `/reports/ec-sales/documents?${year}&kind=goods&country=FR&vat_number=FR83404833048&currency=EUR&limit=1000`,
  `/reports/profit-and-loss?${year}&basis=accrual`,
  `/reports/profit-and-loss?${year}&basis=cash`,
  `/reports/profit-and-loss/documents?${year}&basis=cash&kind=revenue&currency=EUR&limit=1000&skip=${invoices - 1000}`,
  `/reports/open-items?at=2026-12-31&limit=1000&skip=${invoices / 2 - 1000}`,
  '/period-locks/check?until=2026-12-31',
  '/audit-log?resource=invoice_lines&per_page=100',
  '/audit-log?resource=company&per_page=100',
  '/audit-log?actor=00000000-0000-7000-8000-000000000000',
];

async function prepare({ beside }: Served, attacker: Integrator): Promise<() => Promise<void>> {
  await insertInvoices(beside, attacker, invoices);
  for (const path of paths) expect([path, (await attacker.rest('GET', path)).status]).toEqual([path, 200]);
  return async () => {
    const until = performance.now() + seconds * 1000;
    const send = async (_: unknown, at: number): Promise<void> => {
      for (let n = at; performance.now() < until; n += 1) {
        const { status } = await attacker.rest('GET', paths[n % paths.length]!);
        expect([200, 429, 503]).toContain(status);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, send));
  };
}

const attack: Attack = {
  title: `${atOnce} concurrent callers of reports and of the audit log over ${invoices} invoices`,
  memoryGrowth: 500,
  prepare,
};
export default attack;
