import type { Pool } from 'pg';
import { ok, fail, warn, type Finding } from './finding.ts';

/** A segment of the log is archived at the latest so long after it was begun, if `archive_timeout` is set to a usual value. */
const longestHours = 24;

/** Whether the operator's own PostgreSQL archives its write-ahead log, for point-in-time recovery. */
export async function checkArchive(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ mode: string; fails: boolean; hours: number | null; failed: string | null }>(`
    select current_setting('archive_mode') as mode, coalesce(last_failed_time > last_archived_time, last_failed_time is not null)
      as fails, extract(epoch from now() - last_archived_time)::float8 / 3600 as hours, last_failed_wal as failed
    from pg_stat_archiver`);
  const [archive] = rows;
  if (!archive || archive.mode === 'off')
    return [
      warn(
        'backup',
        "PostgreSQL archives no write-ahead log, and Kontor can't see dumps",
        'Check the age of your last dump, or set archive_mode: OPERATING.md, Backup of your own PostgreSQL',
      ),
    ];
  const { fails, hours, failed } = archive;
  if (fails)
    return [
      fail(
        'backup',
        `Archiving fails at ${failed}`,
        "Read PostgreSQL's log: archive_command failed. Its disk fills meanwhile",
      ),
    ];
  if (hours === null || hours > longestHours)
    return [
      warn(
        'backup',
        hours === null ? 'Nothing was archived yet' : `The last archived segment is ${Math.round(hours)} h old`,
        'Set archive_timeout, and run: select pg_switch_wal()',
      ),
    ];
  return [ok('backup', `The write-ahead log was archived ${Math.round(hours * 60)} min ago`)];
}
