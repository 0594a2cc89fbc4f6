import { expect } from 'vitest';
import { asIntegrator, type Integrator } from '../../harness.ts';
import type { Served } from '../served.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const seconds = size('SECONDS', { suite: 1, full: 20 });
const atOnce = size('CONCURRENCY', { suite: 2, full: 8 });

const unknownFields = Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [`k${at}`, 1]));
const document = 'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }';

async function prepare({ beside, request }: Served, attacker: Integrator): Promise<() => Promise<void>> {
  const reader = asIntegrator({ request, books: beside.books }, await beside.integrator({ abilities: ['read'] }));
  const rest = JSON.stringify(unknownFields);
  const graphql = JSON.stringify({ query: document, variables: { input: unknownFields } });
  const headers = ({ token }: Integrator): Record<string, string> => ({ authorization: `Bearer ${token}` });
  return async () => {
    const until = performance.now() + seconds * 1000;
    const send = async (first: number): Promise<void> => {
      for (let next = first; performance.now() < until; next += 1) {
        const who = next % 2 ? attacker : reader;
        const sent = request('POST', '/api/v1/customers', { body: rest, headers: headers(who) });
        // The body of a refused request isn't read: its connection is closed, which fetch() may have used again.
        const inRest = await sent.catch(() => undefined);
        if (inRest) expect([inRest.status, inRest.text.length < 20_000]).toEqual([who === reader ? 403 : 422, true]);
        const inGraphql = await request('POST', '/graphql', { body: graphql, headers: headers(who) }).catch(
          () => undefined,
        );
        if (!inGraphql) continue;
        const code = who === reader ? 'FORBIDDEN' : 'VALIDATION_FAILED';
        expect([inGraphql.body.errors[0].extensions.code, inGraphql.text.length < 20_000]).toEqual([code, true]);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, (_, index) => send(index)));
  };
}

const attack: Attack = {
  title: `${atOnce} clients that send bodies of 90,000 unknown fields`,
  memoryGrowth: 400,
  prepare,
};
export default attack;
