import type { OwnPostgres } from '../postgres.ts';
import { findLostUploads } from './clients.ts';
import type { Installation } from './installation.ts';

/** A time in which a fault happened, and the service recovered from it; by performance.now(). */
export interface Phase {
  fault: string;
  from: number;
  to: number;
  /** From the fault's end until every tenant's write was acknowledged. */
  recoveredMs: number;
}

/** The outcomes of the requests that were sent in a phase. */
export interface Row {
  fault: string;
  requests: number;
  unavailable: number;
  resets: number;
  internal: number;
  slowestMs: number;
  recoveredMs: number;
  lost: number;
  doubled: number;
}

/** One row for each phase. All writes must have ended. */
export async function tabulate({ url, postgres, tenants }: Installation, phases: readonly Phase[]): Promise<Row[]> {
  const counts = await countRows(postgres);
  const writes = tenants.flatMap(({ writer }) => writer.writes);
  const answers = tenants.flatMap(({ writer, reader, follower, uploader }) =>
    [writer, reader, follower, uploader].flatMap((client) => client?.answers ?? []),
  );
  const lostUploads = await Promise.all(
    tenants.map(({ token, uploader }) => findLostUploads(url, token, uploader?.uploads ?? [])),
  );
  return phases.map(({ fault, from, to, recoveredMs }) => {
    const isWithin = (at: number): boolean => at >= from && at < to;
    const those = answers.filter(({ at }) => isWithin(at));
    const written = writes.filter(({ begun }) => isWithin(begun));
    const found = written.map(({ table, mark, rows, acknowledged }) => ({
      acknowledged,
      more: (counts.get(`${table} ${mark}`) ?? 0) - rows,
    }));
    const count = (outcome: string): number => those.filter((each) => each.outcome === outcome).length;
    return {
      fault,
      requests: those.length,
      unavailable: count('unavailable'),
      resets: count('none'),
      internal: count('internal'),
      slowestMs: Math.round(Math.max(0, ...those.map(({ ms }) => ms))),
      recoveredMs: Math.round(recoveredMs),
      lost:
        found.filter(({ acknowledged, more }) => acknowledged && more < 0).length +
        lostUploads.flat().filter(({ begun }) => isWithin(begun)).length,
      doubled: found.filter(({ more }) => more > 0).length,
    };
  });
}

/** The number of rows of each mark. */
async function countRows(postgres: OwnPostgres): Promise<Map<string, number>> {
  const rows = await postgres.query(`
    select 'customers ' || split_part(company_name, ' ', 1) as mark, count(*)::int as rows from customers group by 1
    union all select 'invoices ' || subject, count(*)::int from invoices group by 1`);
  return new Map(rows.map(({ mark, rows: count }) => [mark as string, count as number]));
}

/** For people. */
export function print(rows: readonly Row[]): string[] {
  const seconds = (ms: number): string => (ms / 1000).toFixed(1);
  const lines = rows.map((row) => [
    row.fault,
    ...[row.requests, row.unavailable, row.resets, row.internal].map(String),
    ...[row.slowestMs, row.recoveredMs].map(seconds),
    ...[row.lost, row.doubled].map(String),
  ]);
  const head = ['fault', 'requests', '503', 'resets', '500', 'slowest s', 'recovered s', 'lost', 'doubled'];
  const widths = head.map((name, at) => Math.max(name.length, ...lines.map((line) => line[at]!.length)));
  return [head, ...lines].map((line) =>
    line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  '),
  );
}
