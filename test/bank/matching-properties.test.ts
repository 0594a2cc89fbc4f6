import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Answer } from '../harness.ts';
import { listEvents, refusal } from '../graphql/books.ts';
import { camt, imported } from './statement.ts';
import {
  keepBooks,
  openBooks,
  service,
  acme,
  mutation,
  invoicePart,
  invoice,
  issued,
  transaction,
  expectInvariants,
} from './matching.ts';

keepBooks();

describe('0 ≤ paid ≤ gross, payments add up, amount = amount_open + matched amounts, and states follow', () => {
  const step = fc.record({
    kind: fc.constantFrom('match', 'match', 'match', 'unmatch', 'ignore', 'unignore'),
    transaction: fc.nat(2),
    invoices: fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
    cents: fc.option(fc.integer({ min: -1, max: 16_000 }), { nil: undefined }),
  });
  const run = async (
    steps: (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
    together: number,
  ): Promise<Answer[]> => {
    const invoices = [await issued(), await issued(), await issued()];
    const transactions = [await transaction('119.00'), await transaction('150.00123'), await transaction('60.00')];
    const answers: Answer[] = [];
    for (let start = 0; start < steps.length; start += together) {
      const work = steps.slice(start, start + together).map(({ kind, cents, ...at }) => {
        const id = transactions[at.transaction];
        const amount = cents === undefined ? undefined : String(cents / 100);
        const matches = at.invoices.map((each) => invoicePart(invoices[each]!, amount));
        if (kind === 'match') return acme.graphqlAnswer(mutation.match, { id, matches });
        if (kind === 'unmatch')
          return acme.graphqlAnswer(mutation.unmatch, {
            id,
            matched: cents === undefined ? null : invoices[at.invoices[0]!],
          });
        return acme.graphqlAnswer(kind === 'ignore' ? mutation.ignore : mutation.unignore, { id });
      });
      answers.push(...(await Promise.all(work)));
      await expectInvariants();
    }
    return answers;
  };
  const outcomes = (answers: Answer[]) => answers.map(({ body }) => body.errors?.[0].extensions.code ?? 'done');

  it('after any sequence of changes', async () => {
    const all: string[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 14 }), async (steps) => {
        await openBooks();
        all.push(...outcomes(await run(steps, 1)));
      }),
      { numRuns: 12, endOnFailure: true },
    );
    expect(new Set(all)).toEqual(new Set(['done', 'VALIDATION_FAILED']));
  });

  it('after twelve concurrent changes', async () => {
    const steps = fc.sample(step, { numRuns: 96, seed: 7 });
    const all = outcomes(await run(steps, 12));
    expect(new Set(all)).toEqual(new Set(['done', 'VALIDATION_FAILED']));
    expect(all.filter((each) => each === 'done').length).toBeGreaterThan(10);
  });
});

describe('under concurrency', () => {
  const codes = (answers: Answer[]): string[] =>
    answers.filter(({ body }) => body.errors).map((answer) => refusal(answer).code);

  it('20 concurrent matches to one invoice pay it in full and not more', async () => {
    const id = await issued();
    const transactions = await Promise.all(Array.from({ length: 20 }, () => transaction('10.00')));
    const answers = await Promise.all(
      transactions.map((each) => acme.graphqlAnswer(mutation.match, { id: each, matches: [invoicePart(id)] })),
    );
    // Eleven whole ones and nine euros of a twelfth.
    expect(codes(answers)).toEqual(Array.from({ length: 8 }, () => 'VALIDATION_FAILED'));
    expect(await invoice(id)).toMatchObject({ status: 'paid', amount_paid: 119 });
    await expectInvariants();
    expect((await listEvents(service, acme)).filter(({ type }) => type === 'invoice.paid')).toHaveLength(1);
  });

  it('20 concurrent matches of one transaction succeed once', async () => {
    const id = await transaction('119.00');
    const invoices = await Promise.all(Array.from({ length: 20 }, () => issued()));
    const answers = await Promise.all(
      invoices.map((each) => acme.graphqlAnswer(mutation.match, { id, matches: [invoicePart(each)] })),
    );
    expect(codes(answers)).toEqual(Array.from({ length: 19 }, () => 'VALIDATION_FAILED'));
    expect(await acme.db.payment.count()).toBe(1);
    await expectInvariants();
  });

  it('matching and unmatching the same invoices in opposite orders causes no deadlock', async () => {
    const invoices = await Promise.all(Array.from({ length: 6 }, () => issued()));
    const transactions = await Promise.all(Array.from({ length: 8 }, () => transaction('714.00')));
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(
        transactions.map((id, index) => {
          const parts = invoices.map((each) => invoicePart(each, '10'));
          return acme.graphqlAnswer(mutation.match, { id, matches: index % 2 ? parts : parts.toReversed() });
        }),
      );
      expect(codes(answers)).toEqual([]);
      const back = await Promise.all(transactions.map((id) => acme.graphqlAnswer(mutation.unmatch, { id })));
      expect(codes(back)).toEqual([]);
    }
    await expectInvariants();
    expect(await acme.db.payment.count({ where: { reversedAt: null, reversalOfId: null } })).toBe(0);
  });

  it('imports, payments, and matches of the same invoices keep all sums right', async () => {
    const invoices = await Promise.all(Array.from({ length: 8 }, () => issued()));
    const numbers = (await acme.db.invoice.findMany({ orderBy: { id: 'desc' } })).map(({ number }) => number!);
    const transactions = await Promise.all(Array.from({ length: 4 }, () => transaction('300.00')));
    const [result, ...answers] = await Promise.all([
      imported(service, acme, camt(numbers.map((number) => ({ amount: '119.00', reference: number })))),
      ...invoices.map((id) =>
        acme.graphqlAnswer('mutation ($id: UUID!) { payInvoice(id: $id, amount: "100") { id } }', { id }),
      ),
      ...transactions.map((id, index) =>
        acme.graphqlAnswer(mutation.match, {
          id,
          matches: [invoicePart(invoices[index * 2]!), invoicePart(invoices[7 - index * 2]!)],
        }),
      ),
    ]);
    expect(result.imported).toBe(8);
    expect(new Set(codes(answers))).not.toContain('INTERNAL_SERVER_ERROR');
    await expectInvariants();
  });
});
