import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type Integrator, type Service } from '../harness.ts';
import { create, exactData, invoiceBody, receiptBody, computeSums, type JsonLine } from './exact.ts';
import { fits, invoiceTotals, minorDigits, plain, receiptAmounts, type Decimal, type Line } from './oracle.ts';

let service: Service;
let acme: Integrator;
let customerId: string;

beforeAll(async () => {
  service = await startService();
  acme = await service.integrator();
  ({ id: customerId } = await acme.db.customer.create({ data: { type: 'CUSTOMER', companyName: 'x' } }));
});
afterAll(() => service.close());

const currency = fc.constantFrom(...Object.keys(minorDigits));

/** A number with at most `decimals` decimals and 15 digits. Most are small: small numbers are more often halfway. */
const decimal = (decimals: number): fc.Arbitrary<Decimal> =>
  fc
    .tuple(
      fc.integer({ min: 0, max: decimals }),
      fc.oneof(
        { weight: 4, arbitrary: fc.bigInt({ min: -30n, max: 300n }) },
        { weight: 4, arbitrary: fc.bigInt({ min: -2_000_000n, max: 9_000_000n }) },
        { weight: 1, arbitrary: fc.bigInt({ min: -999_999_999_999_999n, max: 999_999_999_999_999n }) },
        { weight: 1, arbitrary: fc.constantFrom(5n, -5n, 25n, 1005n, 999_999_999_999_999n, -999_999_999_999_999n) },
      ),
    )
    .map(([scale, units]) => ({ scale, units }));

const nonZero = (number: Decimal): boolean => number.units !== 0n;

const rate: fc.Arbitrary<Decimal> = fc.oneof(
  fc.constantFrom(0n, 700n, 1900n, 500n, 1000n, 2500n, 10_000n).map((units) => ({ units, scale: 2 })),
  fc.bigInt({ min: 0n, max: 10_000n }).map((units) => ({ units, scale: 2 })),
);

const discount = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 10_000n }));

const line: fc.Arbitrary<Line> = fc.record({ quantity: decimal(4).filter(nonZero), price: decimal(4), rate, discount });

/** Ways to write a number in JSON: plain, with trailing zeros, with an exponent, and each of these as a string. */
type Spelling = readonly [zeros: number, exponent: number | undefined, letter: string, quoted: boolean];
const plainly: Spelling = [0, undefined, 'e', false];
const spelling: fc.Arbitrary<Spelling> = fc.tuple(
  fc.nat(6),
  fc.option(fc.integer({ min: -20, max: 20 }), { nil: undefined }),
  fc.constantFrom('e', 'E', 'e+', 'E+'),
  fc.boolean(),
);

function write(number: Decimal, [zeros, exponent, letter, quoted]: Spelling): string {
  let text = plain(number);
  if (zeros > 0) text += (text.includes('.') ? '' : '.') + '0'.repeat(zeros);
  if (exponent !== undefined) {
    // number × 10^-exponent, then the exponent
    const { units, scale } = number;
    const shifted = scale + exponent;
    text =
      shifted >= 0 ? plain({ units, scale: shifted }) : plain({ units: units * 10n ** BigInt(-shifted), scale: 0 });
    text += exponent < 0 ? `${letter[0]}${exponent}` : `${letter}${exponent}`;
  }
  return quoted ? `"${text}"` : text;
}

const writtenLine = fc.tuple(line, fc.tuple(spelling, spelling, spelling));

const jsonLine = (
  { quantity, price, rate: per, discount: less = 0n }: Line,
  [first, second, third]: readonly Spelling[],
): JsonLine => [write(quantity, first!), write(price, second!), write(per, third!), plain({ units: less, scale: 2 })];

describe('the totals of an invoice, compared with integer arithmetic', () => {
  it('line totals, VAT per rate, net, VAT, and gross are exact; too large and negative totals are answered 422', async () => {
    const seen = { accepted: 0, tooLarge: 0, negative: 0 };
    await fc.assert(
      fc.asyncProperty(currency, fc.array(writtenLine, { minLength: 1, maxLength: 8 }), async (code, written) => {
        const lines = written.map(([each]) => each);
        const expected = invoiceTotals(lines, code);
        const body = invoiceBody(
          customerId,
          code,
          written.map(([each, how]) => jsonLine(each, how)),
        );

        const tooLarge = expected.lines.flatMap((total, index) => (fits(total) ? [] : [`items.${index}`]));
        const totals = [
          expected.net,
          expected.vat,
          expected.gross,
          ...expected.breakdown.flatMap((b) => [b.net, b.vat]),
        ];
        const largeTotal = !totals.every(fits);
        const negative = expected.gross.units < 0n;
        if (tooLarge.length > 0 || largeTotal || negative) {
          const answer = await acme.rest('POST', '/invoices', body);
          expect(answer.status).toBe(422);
          const invalid = [...tooLarge, ...(largeTotal || negative ? ['items'] : [])];
          expect(Object.keys(answer.body.errors).toSorted()).toEqual(invalid.toSorted());
          seen[negative ? 'negative' : 'tooLarge']++;
          return;
        }

        const text = await create(acme, '/invoices', body);
        expect(computeSums(text)).toEqual({
          lines: expected.lines.map(plain),
          net: plain(expected.net),
          vat: plain(expected.vat),
          gross: plain(expected.gross),
          breakdown: expected.breakdown.map((share) => [plain(share.rate), plain(share.net), plain(share.vat)]),
        });
        // Each number sent is answered in its plain form.
        const { items, amount_due: due } = exactData(text);
        expect(due).toBe(plain(expected.gross));
        expect(
          items.map((item: Record<string, string>) => [item['quantity'], item['unit_price_net'], item['vat_rate']]),
        ).toEqual(lines.map((each) => [plain(each.quantity), plain(each.price), plain(each.rate)]));
        seen.accepted++;
      }),
      { numRuns: 300 },
    );
    // The generator reaches all three outcomes.
    expect(Math.min(seen.accepted, seen.tooLarge, seen.negative)).toBeGreaterThan(5);
  });

  it('the totals of 500 lines are exact', async () => {
    const [lines = []] = fc.sample(
      fc.array(
        fc.record({
          quantity: fc.bigInt({ min: 1n, max: 99_999n }).map((units) => ({ units, scale: 4 })),
          price: fc.bigInt({ min: -99_999n, max: 999_999n }).map((units) => ({ units, scale: 4 })),
          rate,
        }),
        { minLength: 500, maxLength: 500 },
      ),
      { numRuns: 1, seed: 500 },
    );
    const expected = invoiceTotals(lines, 'EUR');
    const written = lines.map((each) => jsonLine(each, [plainly, plainly, plainly]));
    const sums = computeSums(await create(acme, '/invoices', invoiceBody(customerId, 'EUR', written)));
    expect(sums.lines).toEqual(expected.lines.map(plain));
    expect([sums.net, sums.vat, sums.gross]).toEqual([expected.net, expected.vat, expected.gross].map(plain));
    expect(sums.breakdown).toEqual(expected.breakdown.map((share) => [share.rate, share.net, share.vat].map(plain)));
  });
});

describe('the amounts of a receipt, compared with integer arithmetic', () => {
  it('vat_amount and amount_net are exact, and add up to amount_gross', async () => {
    const receipt = currency.chain((code) =>
      fc.tuple(
        fc.constant(code),
        decimal(minorDigits[code]!).map(({ units, scale }) => ({ units: units < 0n ? -units : units, scale })),
        rate,
        spelling,
        spelling,
      ),
    );
    await fc.assert(
      fc.asyncProperty(receipt, async ([code, gross, per, first, second]) => {
        const expected = receiptAmounts(gross, per, code);
        const data = exactData(
          await create(acme, '/receipts', receiptBody(code, write(gross, first), write(per, second))),
        );
        expect([data.amount_gross, data.vat_rate, data.vat_amount, data.amount_net]).toEqual(
          [gross, per, expected.vat, expected.net].map(plain),
        );
      }),
      { numRuns: 200 },
    );
  });

  it("answers 422 to an amount_gross with more than the currency's minor digits", async () => {
    await fc.assert(
      fc.asyncProperty(
        currency,
        decimal(5).filter((gross) => gross.units > 0n),
        spelling,
        async (code, gross, how) => {
          const decimals = (plain(gross).split('.')[1] ?? '').length;
          const { status, body } = await acme.rest('POST', '/receipts', receiptBody(code, write(gross, how)));
          expect(status).toBe(decimals <= minorDigits[code]! ? 201 : 422);
          if (status === 422) expect(Object.keys(body.errors)).toEqual(['amount_gross']);
        },
      ),
      { numRuns: 150 },
    );
  });
});
