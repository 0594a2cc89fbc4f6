import fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildScale, getShare } from '../../src/dashboard/pages/overview/scale.ts';

const amount = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }).map((cents) => String(cents / 100));

it('a scale contains zero and all values, in a few even steps', () => {
  fc.assert(
    fc.property(fc.array(amount), (values) => {
      const scale = buildScale(values);
      for (const value of [0, ...values.map(Number)]) {
        expect(getShare(value, scale)).toBeGreaterThanOrEqual(0);
        expect(getShare(value, scale)).toBeLessThanOrEqual(100);
      }
      const { ticks } = scale;
      expect(ticks).toContain(0);
      expect([ticks.at(0), ticks.at(-1)]).toEqual([scale.low, scale.high]);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(7);
    }),
  );
});

it.each([
  [
    ['9450', '5100'],
    [0, 5000, 10_000],
  ],
  [['0'], [0, 0.5]],
  [
    ['-300', '900'],
    [-500, 0, 500, 1000],
  ],
])('%j has the steps %j', (values, ticks) => {
  expect(buildScale(values).ticks).toEqual(ticks);
});
