import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableOf, tenantModels } from '../../prisma/client.ts';
import { liftSecurity } from '../../prisma/distribute/forced-security.ts';
import { restoreSecurity } from '../../prisma/distribute/move-tenant.ts';
import { ConnectionPool } from '../../prisma/connection/connection.ts';
import { parentsFirst, tablesOfBooks } from '../../prisma/distribute/distribute.ts';
import { distribute, migrations, moveToWorker } from '../../prisma/migrate/migrate.ts';
import { LockWatch } from '../../prisma/connection/lock-waits.ts';
import { splitStatements } from '../../prisma/migrate/split-statements.ts';
import { onCluster } from '../citus/cluster.ts';
import { createDatabase, createEmptyDatabase, type Database } from '../harness.ts';

// On plain PostgreSQL, so without what Citus does.

const hasCitus = onCluster('Citus is installed');

let database: Database;
let pool: ConnectionPool;
beforeAll(async () => {
  database = await createDatabase();
  pool = new ConnectionPool({ connectionString: database.url, max: 1 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe('kontor distribute', () => {
  it.skipIf(hasCitus)('is refused where Citus is not installed, and changes nothing', async () => {
    const lines: string[] = [];
    await expect(distribute(database.url, (line) => lines.push(line))).rejects.toThrow(
      'Citus is not installed in this database. On every node, a superuser runs: create extension citus',
    );
    expect(lines).toEqual([]);
    expect((await pool.query('select is_distributed()')).rows).toEqual([{ is_distributed: false }]);
  });

  it('is refused before the migrations were applied', async () => {
    const { url, drop } = await createEmptyDatabase();
    await expect(distribute(url, () => {})).rejects.toThrow(/^Migrations are missing: .* Run migrate first\.$/);
    await drop();
  });

  it.skipIf(hasCitus)('finds all tables of the books, and no others', async () => {
    await pool.query('create table pg_dist_partition (logicalrelid regclass)'); // Citus’ list of distributed tables
    await pool.query(`insert into pg_dist_partition values ('customers')`);
    const tables = await tablesOfBooks(pool);
    const names = tables.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...tenantModels].map((model) => tableOf(model).table)));
    const { rows } = await pool.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relkind = 'r' and relrowsecurity and relnamespace = 'public'::regnamespace`,
    );
    expect(names.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
    expect(tables.filter(({ distributed }) => distributed).map(({ name }) => name)).toEqual(['customers']);
    for (const [index, { parents }] of tables.entries())
      for (const parent of parents) expect(names.indexOf(parent)).toBeLessThan(index);
  });
});

describe('kontor distribute move', () => {
  const unforced = async (): Promise<string[]> =>
    (
      await pool.query<{ name: string }>(
        `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
           and relrowsecurity and not relforcerowsecurity order by 1`,
      )
    ).rows.map(({ name }) => name);

  it('lifts what holds for the owner from all tables that have it, and another run forces it again', async () => {
    const watched = new ConnectionPool({ connectionString: database.url, max: 3 });
    const before = await unforced();
    expect(before).toEqual(['outbox', 'watchers']);
    const watch = new LockWatch(watched, () => {});
    const lifted = await liftSecurity(watched, watch); // a move that is killed leaves it so
    const { rows } = await pool.query('select from pg_class where relforcerowsecurity');
    expect(rows).toEqual([]);
    expect(await restoreSecurity(watched, () => {})).toEqual(lifted);
    expect(await unforced()).toEqual(before);
    await watched.end();
  });

  it.skipIf(hasCitus)('is refused on one server', async () => {
    const move = { tenantId: randomUUID(), to: 2, isAlone: false };
    await expect(moveToWorker(database.url, move, () => {})).rejects.toThrow('The books are not distributed.');
  });
});

it('no trigger of the books inserts what it selects: on Citus, that waits for the shards of other tenants that are moved', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `select distinct p.proname as name from pg_trigger t join pg_proc p on p.oid = t.tgfoid join pg_class c on c.oid = t.tgrelid
     where c.relrowsecurity and p.prosrc ~* 'insert into\\s+\\w+\\s*(\\([^)]*\\))?\\s*select'`,
  );
  expect(rows).toEqual([]);
});

describe('tables are distributed', () => {
  const table = (name: string, ...parents: string[]) => ({ name, parents });

  it('after those that their foreign keys refer to', () => {
    const tables = [
      table('items', 'invoices'),
      table('invoices', 'customers', 'logos'),
      table('logos'),
      table('customers'),
    ];
    expect(parentsFirst(tables).map(({ name }) => name)).toEqual(['logos', 'customers', 'invoices', 'items']);
  });

  it('unless their keys form a circle', () => {
    expect(() => parentsFirst([table('a', 'b'), table('b', 'a'), table('c')])).toThrow('form a circle: a, b');
  });
});

describe('on Citus, a migration is sent statement by statement', () => {
  it.each([
    ['select 1; select 2', ['select 1', ' select 2']],
    [`insert into notes values ('a;''b', ";") ; `, [`insert into notes values ('a;''b', ";") `]],
    ['do $$ begin perform 1; end $$; select $a$ $$;$$ $a$', ['do $$ begin perform 1; end $$', ' select $a$ $$;$$ $a$']],
    [`select 1 -- one; it's\n; /* two; 'three */ select 2;`, ['select 1 \n', '  select 2']],
    [`select '--', '/*'; select '*/'`, [`select '--', '/*'`, ` select '*/'`]],
  ])('%j', (script, statements) => {
    expect(splitStatements(script)).toEqual(statements);
  });

  it('each of which is a whole command', async () => {
    const commands = (await migrations()).flatMap(({ script }) => splitStatements(script));
    const verb = /^\s*(?:alter|comment|create|delete|do|drop|grant|insert|revoke|select|set|update|with)\s/i;
    expect(commands.length).toBeGreaterThan(200);
    expect(commands.filter((command) => !verb.test(command))).toEqual([]);
  });
});
