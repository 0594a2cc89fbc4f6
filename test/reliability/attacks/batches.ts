import { expect } from 'vitest';
import type { Integrator } from '../../harness.ts';
import { create, customer, invoice, item } from '../../rest/samples.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const seconds = size('SECONDS', { suite: 3, full: 30 });
const atOnce = 3;
/** As many lines as fit into one request with a hundred invoices. */
const lines = 38;

async function prepare(_served: Served, attacker: Integrator): Promise<() => Promise<void>> {
  const { id } = await create(attacker, '/customers', customer);
  const items = Array.from({ length: 100 }, () => ({
    ...invoice(id),
    items: Array.from({ length: lines }, () => item),
  }));
  return async () => {
    const until = performance.now() + seconds * 1000;
    const send = async (atomic: boolean): Promise<void> => {
      while (performance.now() < until) {
        const { status } = await attacker.rest('POST', '/invoices/batch', { items, atomic });
        expect([200, 429, 503]).toContain(status);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, (_, at) => send(at === 0)));
  };
}

const attack: Attack = {
  title: `${atOnce} batches at once of 100 invoices of ${lines} lines`,
  memoryGrowth: 600,
  prepare,
};
export default attack;
