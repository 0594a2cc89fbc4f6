import type { Pool } from 'pg';
import { findMissingLeakproof } from '../../../prisma/migrate/leakproof.ts';
import { migrations, pendingMigrations } from '../../../prisma/migrate/migrate.ts';
import { findSettingsProblem } from '../../../prisma/connection/node-settings.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

// Kontor's requirements of its PostgreSQL.

const oldest = 15;
const extensions = ['pg_trgm', 'btree_gin'];
const migrateCommand = 'npm run -s kontor -- migrate';

export async function checkVersion(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ text: string; number: number }>(
    `select current_setting('server_version') as text, current_setting('server_version_num')::int as number`,
  );
  const [{ text, number } = { text: '', number: 0 }] = rows;
  return [judgeVersion(text, number)];
}

/** @param number as PostgreSQL's `server_version_num` */
export const judgeVersion = (text: string, number: number): Finding =>
  number >= oldest * 10_000
    ? ok('version', `PostgreSQL ${text}`)
    : fail('version', `PostgreSQL ${text} is too old`, `Upgrade it to version ${oldest} or newer`);

/** Time zone and form of dates, of Citus' workers too. */
export async function checkSettings(pool: Pool): Promise<Finding[]> {
  const problem = await findSettingsProblem(pool);
  if (problem === undefined) return [ok('database settings', 'Times are in UTC, and dates in ISO 8601')];
  const [message = '', ...action] = problem.split('. ');
  return [fail('database settings', message, action.join('. '))];
}

/** A replica takes no writes, and a primary's writes wait for the replicas that it must have. */
export async function checkWrites(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ isReadOnly: boolean; waiting: number }>(
    `select current_setting('transaction_read_only')::boolean as "isReadOnly",
       (select count(*)::int from pg_stat_activity
        where wait_event = 'SyncRep' and query_start < now() - interval '1 second') as waiting`,
  );
  const [{ isReadOnly, waiting } = { isReadOnly: false, waiting: 0 }] = rows;
  if (isReadOnly) {
    const action = 'Let DATABASE_URL name the primary, or reset default_transaction_read_only';
    return [fail('writes', 'The database is read-only', action)];
  }
  if (waiting === 0) return [ok('writes', 'The database takes writes')];
  const action =
    'Start the replica. Without one, as a superuser, run: alter system reset synchronous_standby_names; select pg_reload_conf()';
  return [fail('writes', 'Writes wait for a replica that does not answer', action)];
}

export async function checkExtensions(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ name: string; installed: boolean; available: boolean }>(
    `select name, exists (select from pg_extension where extname = name) as installed,
       exists (select from pg_available_extensions a where a.name = wanted.name) as available
     from unnest($1::text[]) as wanted (name)`,
    [extensions],
  );
  const missing = rows.filter(({ installed }) => !installed);
  if (missing.length === 0) return [ok('extensions', extensions.join(', '))];
  return missing.map(({ name, available }) =>
    available
      ? fail('extensions', `${name} is not installed`, `As the owner or a superuser, run: create extension ${name}`)
      : fail(
          'extensions',
          `${name} is not available`,
          "Install the package postgresql-contrib on the database's machine",
        ),
  );
}

interface Roles {
  owner: string;
  isSuperuser: boolean;
  exists: boolean;
  passesBy: boolean;
  mayAct: boolean;
  mayBecomeOwner: boolean;
}

/** Whether nobody reads the rows of another tenant: SECURITY.md, Isolation. */
export async function checkRoles(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<Roles>(`
    select current_user::text as owner, coalesce(own.rolsuper, false) as "isSuperuser", books.oid is not null as exists,
      coalesce(books.rolsuper or books.rolbypassrls, false) as "passesBy",
      coalesce(pg_has_role(current_user, books.oid, 'member'), false) as "mayAct",
      coalesce(pg_has_role(books.oid, own.oid, 'member'), false) as "mayBecomeOwner"
    from pg_roles own left join pg_roles books on books.rolname = 'kontor_books' where own.rolname = current_user`);
  const [roles] = rows;
  if (!roles) return [];
  const { owner, isSuperuser, exists, passesBy, mayAct, mayBecomeOwner } = roles;
  const asSuperuser = (statement: string): string => `As a superuser, run: ${statement}`;
  if (!exists)
    return [
      fail(
        'roles',
        'There is no role kontor_books',
        asSuperuser(`create role kontor_books; grant kontor_books to ${owner}`),
      ),
    ];
  const found: Finding[] = [];
  if (passesBy)
    found.push(
      fail(
        'roles',
        'kontor_books passes row-level security by: tenants are not isolated',
        asSuperuser('alter role kontor_books nosuperuser nobypassrls'),
      ),
    );
  // Before the next: a role can't be granted to its own member.
  if (mayBecomeOwner && !passesBy)
    found.push(fail('roles', `kontor_books may act as ${owner}`, asSuperuser(`revoke ${owner} from kontor_books`)));
  if (!mayAct)
    found.push(fail('roles', `${owner} may not act as kontor_books`, asSuperuser(`grant kontor_books to ${owner}`)));
  if (isSuperuser)
    found.push(
      warn('roles', `${owner} is a superuser`, 'Let DATABASE_URL name the owner of the database, who is none'),
    );
  return found.length > 0 ? found : [ok('roles', `${owner} owns the database, and requests run as kontor_books`)];
}

/** Row-level security of each tenant table, which is one that grants something to kontor_books and has a tenant. */
export async function checkIsolation(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ name: string; isolated: boolean }>(`
    select c.relname as name, c.relrowsecurity and exists (
      select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant'
    ) as isolated
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and has_table_privilege('kontor_books', c.oid, 'select') order by 1`);
  const open = rows.filter(({ isolated }) => !isolated).map(({ name }) => name);
  if (open.length > 0)
    return [
      fail(
        'isolation',
        `Without row-level security: ${open.join(', ')}`,
        `Stop the service. As the owner, run: alter table ${open[0]} enable row level security, force row level security`,
      ),
    ];
  const missing = await findMissingLeakproof(pool);
  return [
    ok('isolation', `Row-level security holds for ${rows.length} tables`),
    ...(missing === '' ? [] : [warn('isolation', 'Filters on long lists are slow', `As a superuser, run: ${missing}`)]),
  ];
}

export async function checkMigrations(pool: Pool): Promise<Finding[]> {
  const pending = await pendingMigrations(pool);
  if (pending.length > 0)
    return [fail('migrations', `${pending.length} are missing: ${pending.join(', ')}`, `Run: ${migrateCommand}`)];
  const known = (await migrations()).map(({ name }) => name);
  const { rows } = await pool.query<{ name: string }>(
    'select migration_name as name from _prisma_migrations where migration_name <> all ($1) order by 1',
    [known],
  );
  if (rows.length > 0)
    return [
      warn(
        'migrations',
        `A later version has added ${rows.map(({ name }) => name).join(', ')}`,
        'Finish the upgrade: replace the processes of this version',
      ),
    ];
  return [ok('migrations', `All ${known.length} are applied`)];
}

/** The action where connections are short. */
export const forConnections =
  'Raise max_connections, lower DATABASE_CONNECTIONS and DATABASE_BOOKS_CONNECTIONS, or use a pooler';

export async function checkConnections(pool: Pool, wanted: number): Promise<Finding[]> {
  const { rows } = await pool.query<{ most: number; used: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most,
       (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used`,
  );
  const [{ most, used } = { most: 0, used: 0 }] = rows;
  const message = `${used} of ${most} connections are open; one start takes up to ${wanted}`;
  if (used >= most * 0.95) return [fail('connections', message, forConnections)];
  if (used >= most * 0.8 || wanted > most) return [warn('connections', message, forConnections)];
  return [ok('connections', message)];
}

/** The longest difference that nobody notices, and that at which sessions and tokens end early. In seconds. */
const [noticed, harmful] = [1, 30];

export async function checkClock(pool: Pool, now: () => number): Promise<Finding[]> {
  await pool.query('select'); // the connection is open
  const before = now();
  const { rows } = await pool.query<{ at: string }>(`select extract(epoch from clock_timestamp()) * 1000 as at`);
  const after = now();
  const at = Number(rows[0]?.at);
  // It was read between the two.
  const seconds = Math.max(before - at, at - after, 0) / 1000;
  if (seconds < noticed) return [ok('clock', "The database's clock shows the same time")];
  const message = `The database's clock differs by ${seconds.toFixed(1)} s`;
  const action = 'Set both clocks by NTP: systemctl status chronyd, or systemd-timesyncd';
  return [seconds < harmful ? warn('clock', message, action) : fail('clock', message, action)];
}
