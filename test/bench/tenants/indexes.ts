import type { Installation } from './installation.ts';
import { figure, type ReportRow } from './report.ts';

interface Index {
  name: string;
  scans: number;
  megabytes: number;
}

/** The sizes of tables and indexes, what autovacuum did, and the indexes that no statement has read. */
export async function indexUse({ pool }: Installation, report: (line: string) => void): Promise<ReportRow[]> {
  await pool.query('select pg_stat_force_next_flush()');
  const { rows: indexes } = await pool.query<Index>(
    `select indexrelname as name, idx_scan::int as scans, pg_relation_size(indexrelid) / 1e6::float8 as megabytes
     from pg_stat_user_indexes join pg_index using (indexrelid)
     where schemaname = 'public' and not indisprimary order by 3 desc`,
  );
  const unused = indexes.filter(({ scans }) => scans === 0);
  for (const { name, megabytes } of unused) report(`not read: ${name} (${megabytes.toFixed(0)} MB)`);
  const { rows: tables } = await pool.query<{ tables: number; indexes: number; vacuums: number; dead: number }>(
    `select sum(pg_table_size(relid)) / 1e6::float8 as tables, sum(pg_indexes_size(relid)) / 1e6::float8 as indexes,
       sum(autovacuum_count)::int as vacuums, max(n_dead_tup::float8 / greatest(n_live_tup, 10000)) as dead
     from pg_stat_user_tables where schemaname = 'public'`,
  );
  const [sums] = tables;
  return [
    {
      work: 'size',
      figures: [figure('tables', sums!.tables, 'MB'), figure('indexes', sums!.indexes, 'MB')],
    },
    {
      work: 'autovacuum during all of this',
      figures: [figure('runs', sums!.vacuums), figure('dead rows of a table at most', sums!.dead * 100, '%')],
    },
    {
      work: 'indexes that nothing has read',
      figures: [
        figure('count', unused.length),
        figure('of', indexes.length),
        figure(
          'size',
          unused.reduce((sum, { megabytes }) => sum + megabytes, 0),
          'MB',
        ),
      ],
    },
  ];
}
