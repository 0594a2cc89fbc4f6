/** The axis of a chart: round values from at most zero to at least the largest value. */
export interface Scale {
  low: number;
  high: number;
  ticks: number[];
}

/** Some four steps of 1, 2, or 5 times a power of ten. The values are decimals of the API; their places are rounded. */
export function buildScale(values: readonly string[]): Scale {
  const numbers = values.map(Number);
  const [least, most] = [Math.min(0, ...numbers), Math.max(0, ...numbers)];
  const step = findStep((most - least || 1) / 4);
  const [first, last] = [Math.floor(least / step), Math.max(1, Math.ceil(most / step))];
  const ticks = Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
  return { low: first * step, high: last * step, ticks };
}

/** Where a value lies between both ends, in percent. */
export const getShare = (value: number, { low, high }: Scale): number => ((value - low) / (high - low)) * 100;

function findStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power;
}
