import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrations } from '../../prisma/migrate/migrate.ts';
import { applyMigrations } from '../../prisma/migrate/schema-engine.ts';
import { createEmptyDatabase, type Database } from '../harness.ts';
import { makeLaterVersion, type ProjectCopy } from '../processes/project-copy.ts';

const execute = promisify(execFile);
const released = (await migrations()).map(({ name }) => name);
const later = '99990000000000_later';
const names = [...released, later];

/** A copy of the project with one more migration. */
let copy: ProjectCopy;
let database: Database;
let client: Client;

beforeAll(async () => {
  database = await createEmptyDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  copy = await makeLaterVersion({
    name: later,
    script: `alter table invoices add column gross_of_two numeric(19, 4) generated always as (total_gross * 2) stored;
     create trigger again after insert on tenants for each row execute function add_overdue_job();`,
  });
});
afterAll(async () => {
  await copy.remove();
  await client.end();
  await database.drop();
});

const migrate = async (...options: string[]): Promise<string> => {
  const env = { ...process.env, DATABASE_URL: database.url, KONTOR_SECRET: 'the secret of the tests, long enough' };
  return (await execute(process.execPath, [join(copy.path, 'src/cli.ts'), 'migrate', ...options], { env })).stdout;
};

it('--status and --dry-run show what is pending and change nothing; afterwards nothing is', async () => {
  expect(JSON.parse(await migrate('--status', '--json'))).toEqual({
    applied: [],
    pending: names,
    of_later_version: [],
    backfills: [],
  });
  expect((await client.query(`select from pg_class where relnamespace = 'public'::regnamespace`)).rowCount).toBe(0);

  await applyMigrations(database.url, await migrations());
  await client.query(
    `insert into tenants (id, name, country) select gen_random_uuid(), 'T', 'DE' from generate_series(1, 30); analyze tenants`,
  );
  const status = await migrate('--status');
  expect(status).toMatch(new RegExp(`^applied   ${released[0]}  20\\S+\n`));
  expect(status).toMatch(new RegExp(`^pending   ${later}$`, 'm'));
  expect(JSON.parse(await migrate('--dry-run', '--json'))).toEqual([
    {
      name: later,
      statements: [
        {
          statement: expect.stringMatching(/^alter table invoices add column gross_of_two /),
          locks: [{ table: 'invoices', mode: 'ACCESS EXCLUSIVE', rows: null }],
          rewrites: true,
          reads: true,
          advice: ['add a column with a constant default or none; a backfill or the code computes it'],
        },
        expect.objectContaining({ locks: [{ table: 'tenants', mode: 'SHARE ROW EXCLUSIVE', rows: 30 }], advice: [] }),
      ],
    },
  ]);
  const text = await migrate('--dry-run');
  expect(text).toContain(
    '    lock: ACCESS EXCLUSIVE on invoices (no statistics)\n    writes the table anew under this lock\n    better: ',
  );
  expect(text).toContain('    lock: SHARE ROW EXCLUSIVE on tenants (about 30 rows)\n');
  expect((await client.query('select from _prisma_migrations')).rowCount).toBe(released.length);

  expect(await migrate()).toBe('The database is up to date.\n');
  await client.query(`insert into backfills (name, table_name, rows) values ('99990000000000_filled', 'tenants', 12)`);
  await client.query(
    `insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at) values ('x', 'x', '99990000000001_latest', now(), now())`,
  );
  const after = await migrate('--status');
  expect(after).not.toContain('pending   ');
  expect(after).toContain('backfill  99990000000000_filled  tenants: 40 %, 12 of about 30 rows\n');
  expect(after).toMatch(/^applied   99990000000001_latest  \S+ \(of a later version\)$/m);
  expect(await migrate('--dry-run')).toBe('No migration is pending.\n');
  expect(await migrate()).toBe('The database is up to date.\n'); // the way back
});

it('wrong options are refused', async () => {
  await expect(migrate('--status', '--dry-run')).rejects.toMatchObject({ code: 2 });
  await expect(migrate('--json')).rejects.toMatchObject({
    code: 1,
    stderr: 'kontor: --json needs --status or --dry-run\n',
  });
});
