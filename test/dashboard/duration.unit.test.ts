import { expect, it } from 'vitest';
import { clock, toMinutes } from '../../src/dashboard/pages/time-entries/duration.ts';

it.each([
  ['1:30', 90],
  ['0:05', 5],
  ['24:00', 1440],
  ['1.5', 90],
  ['1,25', 75],
  ['2', 120],
  ['1.5 h', 90],
  ['90 min', 90],
  ['45m', 45],
  ['1 h 30 min', 90],
  ['1h30', 90],
])('%s is %d minutes', (typed, minutes) => {
  expect(toMinutes(typed)).toBe(minutes);
});

it.each([[''], ['1:75'], ['soon'], ['-1'], ['1:30:00'], ['1.2.3']])('%j is not a duration', (typed) => {
  expect(toMinutes(typed)).toBeNaN();
});

it('a formatted duration is parsed as the same minutes', () => {
  for (const minutes of [1, 59, 60, 61, 1440]) expect(toMinutes(clock(minutes))).toBe(minutes);
});
