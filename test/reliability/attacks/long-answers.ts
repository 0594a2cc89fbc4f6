import { expect } from 'vitest';
import type { Integrator } from '../../harness.ts';
import { lines, makeCompanyWithLogo, makeDelivery, makeEvents } from '../../answers/large.ts';
import { makeInvoice } from '../../graphql/books.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const seconds = size('SECONDS', { suite: 1, full: 20 });
const atOnce = size('CONCURRENCY', { suite: 2, full: 8 });
const events = size('EVENTS', { suite: 20, full: 100 });

const repeat = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

async function prepare(_served: Served, attacker: Integrator): Promise<() => Promise<void>> {
  const company = await makeCompanyWithLogo(attacker, 3_000_000);
  const invoice = await makeInvoice(attacker, { items: lines('d'.repeat(1500)) });
  const delivery = await makeDelivery(attacker, Buffer.alloc(16_384, 1));
  await makeEvents(attacker, events, 3_000_000);
  const fields = 'id position title quantity unit unitPriceNet vatRate lineTotalNet vatCategory description';
  const documents: [query: string, variables: object][] = [
    [
      `query ($ids: [ID!]!) { ${repeat(3, (i) => `a${i}: nodes(ids: $ids) { ... on Company { logo { base64 } } }`)} }`,
      { ids: [company, company] },
    ],
    ['{ events(first: 100) { nodes { json } } }', {}],
    [`{ ${repeat(5, (i) => `a${i}: events(first: 100) { nodes { body } }`)} }`, {}],
    [`query ($id: UUID!) { ${repeat(18, (i) => `a${i}: invoice(id: $id) { items { ${fields} } }`)} }`, { id: invoice }],
    [
      `query ($id: UUID!) { ${repeat(3, (n) => `d${n}: delivery(id: $id) { attempts { ${repeat(5, (i) => `a${i}: responseBody`)} } }`)} }`,
      { id: delivery },
    ],
  ];
  return async () => {
    const until = performance.now() + seconds * 1000;
    const codes = new Set<string>();
    let next = 0;
    const send = async (): Promise<void> => {
      while (next < documents.length || performance.now() < until) {
        const [query, variables] = documents[next++ % documents.length] as [string, object];
        const { status, body } = await attacker.graphqlAnswer(query, variables);
        expect(status).toBeLessThan(500);
        codes.add(body.errors?.[0].extensions.code ?? 'answered');
        const page = await attacker.rest('GET', '/events?per_page=100');
        expect([422, 429]).toContain(page.status);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, send));
    expect([...codes]).toContain('ANSWER_TOO_LARGE');
    expect([...codes]).not.toContain('INTERNAL_SERVER_ERROR');
  };
}

const attack: Attack = {
  title: `${atOnce} concurrent documents whose answers would be hundreds of megabytes long`,
  memoryGrowth: 900,
  prepare,
};
export default attack;
