import { expect } from 'vitest';
import type { Integrator } from '../../harness.ts';
import { create, customer, invoice, item } from '../../rest/samples.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const seconds = size('SECONDS', { suite: 1, full: 30 });
const atOnce = 3;
/** As many lines as fit into one request with a hundred documents. */
const lines = { invoices: 38, receipts: 98 };

async function prepare(_served: Served, attacker: Integrator): Promise<() => Promise<void>> {
  const { id } = await create(attacker, '/customers', customer);
  const invoices = Array.from({ length: 100 }, () => ({
    ...invoice(id),
    items: Array.from({ length: lines.invoices }, () => item),
  }));
  const receipts = Array.from({ length: 100 }, () => ({
    receipt_date: '2026-03-01',
    lines: Array.from({ length: lines.receipts }, (_, n) => ({ vat_rate: n % 20, amount_gross: n + 1 })),
  }));
  return async () => {
    const until = performance.now() + seconds * 1000;
    const send = async (atomic: boolean): Promise<void> => {
      for (let n = 0; n < 2 || performance.now() < until; n += 1) {
        const { status } = await (n % 2
          ? attacker.rest('POST', '/receipts/batch', { items: receipts, atomic })
          : attacker.rest('POST', '/invoices/batch', { items: invoices, atomic }));
        expect([200, 429, 503]).toContain(status);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, (_, at) => send(at === 0)));
  };
}

const attack: Attack = {
  title: `${atOnce} batches at once of 100 invoices or receipts of many lines`,
  memoryGrowth: 600,
  prepare,
};
export default attack;
