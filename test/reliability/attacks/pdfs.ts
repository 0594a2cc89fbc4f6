import { expect } from 'vitest';
import { makeIssuedInvoice, setCompany } from '../../documents/parties.ts';
import { item } from '../../graphql/books.ts';
import type { Integrator } from '../../harness.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const invoices = size('INVOICES', { suite: 1, full: 20 });
const lines = 500;
const atOnce = 12;

async function prepare({ url }: Served, attacker: Integrator): Promise<() => Promise<void>> {
  await setCompany(attacker);
  const items = Array.from({ length: lines }, (_, index) => ({ ...item, title: `Item ${index}` }));
  const ids: string[] = [];
  for (let count = 0; count < invoices; count += 1) ids.push(await makeIssuedInvoice(attacker, { items }));
  const download = async (id: string): Promise<void> => {
    const headers = { authorization: `Bearer ${attacker.token}` };
    const response = await fetch(`${url}/api/v1/invoices/${id}/pdf`, { headers });
    await response.arrayBuffer();
    if (response.status === 429) return;
    const answer = [response.status, response.headers.get('retry-after')];
    expect(answer).toEqual(response.status === 200 ? [200, null] : [503, '5']);
  };
  return async () => {
    for (const id of ids) await Promise.all(Array.from({ length: atOnce }, () => download(id)));
  };
}

const attack: Attack = {
  title: `${atOnce} PDFs of each new invoice of ${lines} lines at once`,
  // A thread that draws takes 150 MiB with its fonts. Each of four processes may have two.
  memoryGrowth: 1400,
  prepare,
};
export default attack;
