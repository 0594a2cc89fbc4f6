import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatDay, formatTime } from '../../schema/graphql/scalars/scalars.ts';

const [min, max] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59.999Z')];

it('times and days are written as by Date, also before 1970 and after many others', () => {
  const same = (time: Date): void => {
    expect(formatTime(time)).toBe(`${time.toISOString().slice(0, 19)}+00:00`);
    expect(formatDay(time)).toBe(time.toISOString().slice(0, 10));
  };
  [min, max, new Date(0), new Date(-1), new Date(-86_400_000), new Date(86_399_999)].forEach(same);
  fc.assert(fc.property(fc.date({ min, max, noInvalidDate: true }), same), { numRuns: 15_000 });
});

it('an invalid time is an error', () => {
  expect(() => formatTime(new Date(NaN))).toThrow(RangeError);
  expect(() => formatDay(new Date(NaN))).toThrow(RangeError);
});
