import { cpus, release, totalmem } from 'node:os';
import type { Pool } from 'pg';
import type { Row } from './bench.ts';

/** What the figures were taken on. */
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

const headings = ['work', 'against', 'Kontor', 'other', 'ratio', 'to reach', ''];

export function print(about: string, rows: Row[]): void {
  const lines = rows.map(({ work, against, ours, theirs, ratio, goal, atMost }) => {
    const bound = atMost ?? goal;
    const reached = atMost === undefined ? ratio >= (goal ?? 0) : ratio <= atMost;
    const sign = atMost === undefined ? '≥' : '≤';
    const verdict = bound === undefined ? ['', ''] : [`${sign} ${bound}`, reached ? '✓' : '✗'];
    return [work, against, ours, theirs, ratio.toPrecision(3), ...verdict];
  });
  const widths = headings.map((heading, at) => Math.max(heading.length, ...lines.map((line) => line[at]!.length)));
  const write = (cells: string[]): void => {
    const padded = cells.map((cell, at) => (at < 2 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)));
    process.stdout.write(`${padded.join('  ').trimEnd()}\n`);
  };
  process.stdout.write(`${about}\n\n`);
  write(headings);
  write(widths.map((width) => '─'.repeat(width)));
  lines.forEach(write);
}
