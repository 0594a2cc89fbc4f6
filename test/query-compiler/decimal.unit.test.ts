import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Prisma } from '../../prisma/client.ts';
import { toDecimal } from '../../prisma/query-compiler/decimal.ts';

// As PostgreSQL writes a numeric: no exponent, as many decimals as its type has.
const numeric = fc
  .tuple(
    fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }),
    fc.integer({ min: 0, max: 6 }),
    fc.integer({ min: 0, max: 4 }),
  )
  .map(([digits, scale, zeros]) => new Prisma.Decimal(`${digits}e-${scale}`).toFixed(scale + zeros));

const methods = ['toString', 'toJSON', 'valueOf', 'isZero', 'isNegative', 'decimalPlaces', 'negated', 'abs'] as const;

describe('a decimal that PostgreSQL wrote', () => {
  it('formats and converts like Prisma’s', () => {
    fc.assert(
      fc.property(numeric, fc.integer({ min: 0, max: 6 }), (text, places) => {
        const [ours, theirs] = [toDecimal(text), new Prisma.Decimal(text)];
        expect(ours.toFixed()).toBe(theirs.toFixed());
        expect(ours.toFixed(places)).toBe(theirs.toFixed(places));
        expect(ours.toFixed(places, Prisma.Decimal.ROUND_DOWN)).toBe(theirs.toFixed(places, Prisma.Decimal.ROUND_DOWN));
        expect(methods.map((name) => String(ours[name]()))).toEqual(methods.map((name) => String(theirs[name]())));
        expect(JSON.stringify({ ours })).toBe(JSON.stringify({ ours: theirs }));
      }),
    );
  });

  it('calculates with Prisma’s decimals and with its own, on either side', () => {
    const Exact = Decimal.clone({ precision: 60 });
    fc.assert(
      fc.property(numeric, numeric, (one, other) => {
        const [a, b] = [new Exact(one), new Exact(other)];
        expect(new Exact(toDecimal(one)).plus(toDecimal(other)).toFixed()).toBe(a.plus(b).toFixed());
        expect(a.times(toDecimal(other)).toFixed()).toBe(a.times(b).toFixed());
        expect(toDecimal(one).comparedTo(toDecimal(other))).toBe(a.comparedTo(b));
        const [c, d] = [new Prisma.Decimal(one), new Prisma.Decimal(other)];
        expect(toDecimal(one).minus(toDecimal(other)).toFixed()).toBe(c.minus(d).toFixed());
        expect(Prisma.Decimal.max(toDecimal(one), other).toFixed()).toBe(Prisma.Decimal.max(c, d).toFixed());
      }),
    );
  });
});
