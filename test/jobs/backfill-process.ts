import { parseBackfill } from '../../prisma/migrate/backfills.ts';
import { ActingConnection } from '../../prisma/connection/sender.ts';
import { ConnectionPool } from '../../prisma/connection/connection.ts';
import { backfill } from '../../src/jobs/backfill.ts';
import { runJob } from './run-job.ts';

// node test/jobs/backfill-process.ts URL NAME STATEMENT: runs a backfill, until it is done or killed.

const [connectionString = '', name = '', statement = ''] = process.argv.slice(2);
const pool = new ConnectionPool({ connectionString, max: 1, Client: ActingConnection });
await runJob(backfill(pool, async () => [parseBackfill(name, statement)]));
await pool.end();
