import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBodyTurns } from '../../src/server/http/body-turns.ts';
import { makeCustomer } from '../graphql/books.ts';
import { startService, type Answer, type Integrator, type Service } from '../harness.ts';
import { withHolder } from '../../prisma/client.ts';

const of = (id: string, testOf: string | null = null) => ({ tenant: withHolder({ id, testOf }) });
const long = 100_000;

describe('long bodies', () => {
  it('of two tenants are parsed in turns, one in a tick, and short ones at once', async () => {
    const waitForTurn = createBodyTurns();
    const done: string[] = [];
    const parse = (who: string, length = long) => waitForTurn(of(who), length).then(() => void done.push(who));
    const all = ['a', 'a', 'a', 'b'].map((who) => parse(who));
    await parse('short', 1000);
    setImmediate(() => done.push('other'));
    await Promise.all(all);
    expect(done.slice(0, 2)).toContain('short');
    expect(done.indexOf('b')).toBeLessThan(done.lastIndexOf('a'));
    expect(done.indexOf('other')).toBeLessThan(done.lastIndexOf('a'));
  });

  it('of one tenant wait in a limited number, which is no limit for others', async () => {
    const waitForTurn = createBodyTurns();
    const asked = Array.from({ length: 40 }, () => waitForTurn(of('a'), long));
    const other = waitForTurn(of('b'), long);
    const outcomes = await Promise.allSettled(asked);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(24);
    expect(refused[0]?.reason).toMatchObject({ extensions: { code: 'RATE_LIMITED', retryAfter: 1 } });
    await other;
    await waitForTurn(of('a'), long); // all have had their turn
  });

  it('of a tenant and its test tenants wait in the same number', async () => {
    const waitForTurn = createBodyTurns();
    const asked = Array.from({ length: 40 }, (_, at) =>
      waitForTurn(at % 4 === 0 ? of('a') : of(`test ${at % 4}`, 'a'), long),
    );
    const other = waitForTurn(of('b'), long);
    const outcomes = await Promise.allSettled(asked);
    await other;
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(24);
  });
});

describe('at both APIs', () => {
  let service: Service;
  let acme: Integrator;
  let globex: Integrator;
  beforeAll(async () => {
    service = await startService();
    [acme, globex] = [await service.integrator(), await service.integrator()];
  });
  afterAll(() => service.close());

  /** An invoice of some 200 kB. */
  const invoice = (customerId: string) => ({
    customer_id: customerId,
    invoice_date: '2026-03-01',
    items: Array.from({ length: 100 }, () => ({
      title: 'x',
      description: 'd'.repeat(2000),
      quantity: 1,
      unit_price_net: 1,
      vat_rate: 19,
    })),
  });

  it('all long bodies of one tenant are answered, or refused with 429, and another tenant’s is answered', async () => {
    const [mine, theirs] = [await makeCustomer(acme), await makeCustomer(globex)];
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 1]));
    const document = 'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }';
    const sent: Promise<Answer>[] = Array.from({ length: 40 }, (_, at) => {
      if (at % 3 === 0) return acme.rest('POST', '/invoices', invoice(mine));
      if (at % 3 === 1) return acme.rest('POST', '/customers', wide, { 'Idempotency-Key': `key ${at}` });
      return acme.graphqlAnswer(document, { input: wide });
    });
    expect((await globex.rest('POST', '/invoices', invoice(theirs))).status).toBe(201);
    const answers = await Promise.all(sent);
    const outcome = ({ status, body }: Answer): string =>
      `${status} ${body.errors?.[0]?.extensions?.code ?? ''}`.trim();
    const expected = new Set(['201', '422', '429', '200 VALIDATION_FAILED', '429 RATE_LIMITED', '200 RATE_LIMITED']);
    expect(answers.map(outcome).filter((each) => !expected.has(each))).toEqual([]);
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
  });
});
