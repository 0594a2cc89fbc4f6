import { cpus, release, totalmem } from 'node:os';
import type { Pool } from 'pg';
import { manyConnections, type Figures, type ComparisonRow } from './bench.ts';
import { perSecond } from './race.ts';

/** The machine that the figures were taken on. */
export async function machine(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ server_version: string }>('show server_version');
  const [cpu] = cpus();
  return [
    `${cpus().length} × ${cpu?.model.trim() || process.arch}`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Linux ${release()}`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${rows[0]?.server_version}`,
  ].join(', ');
}

/** The comparisons, and whether each reaches its goal. */
export const comparisons = (rows: ComparisonRow[]): string[][] => [
  ['work', 'against', 'Kontor', 'other', 'ratio', 'to reach', ''],
  ...rows.map(({ work, against, ours, theirs, ratio, goal, atMost }) => {
    const bound = atMost ?? goal;
    const reached = atMost === undefined ? ratio >= (goal ?? 0) : ratio <= atMost;
    const sign = atMost === undefined ? '≥' : '≤';
    const verdict = bound === undefined ? ['', ''] : [`${sign} ${bound}`, reached ? '✓' : '✗'];
    return [work, against, ours, theirs, ratio.toPrecision(3), ...verdict];
  }),
];

/** The figures of each contender: rate, latency in milliseconds, CPU time in milliseconds for each request. */
export const details = (figures: Figures[]): string[][] => [
  ['work', 'contender', 'rate', 'median', 'p99', 'worst', ...at(manyConnections), 'Node CPU', 'PostgreSQL CPU'],
  ...figures.map(({ work, contender, perSecond: rate, latency, crowded, cpu }) => [
    work,
    contender,
    perSecond(rate),
    ...[latency, crowded].flatMap(({ median, p99, worst }) => [median, p99, worst].map((ms) => ms.toFixed(1))),
    ...[cpu.node, cpu.postgres].map((ms) => ms.toFixed(2)),
  ]),
];

const at = (connections: number): string[] => ['median', 'p99', 'worst'].map((name) => `${name} at ${connections}`);

export const toCsv = (lines: string[][]): string =>
  lines.map((cells) => `${cells.map((cell) => (cell.includes(',') ? `"${cell}"` : cell)).join(',')}\n`).join('');

/** The first line is the headings. */
export function print([headings = [], ...lines]: string[][]): void {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...lines.map((line) => line[column]!.length)),
  );
  const write = (cells: string[]): void => {
    const padded = cells.map((cell, column) =>
      column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
    );
    process.stdout.write(`${padded.join('  ').trimEnd()}\n`);
  };
  process.stdout.write('\n');
  write(headings);
  write(widths.map((width) => '─'.repeat(width)));
  lines.forEach(write);
}
