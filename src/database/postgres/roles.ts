import { randomBytes } from 'node:crypto';
import { chown, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { escapeLiteral, type Client } from 'pg';
import { createConnection } from '../../../prisma/connection/connection.ts';
import type { ServerLocation, User } from './postgres-user.ts';

// The embedded server has three roles. Only this file connects as the superuser; the service never does.

/** The password of each role. */
export interface Passwords {
  /** `postgres`: the superuser. Makes the other roles, declares functions leakproof, takes backups. */
  superuser: string;
  /** `kontor`: owns the database and everything in it, and is no superuser. */
  owner: string;
  /** `kontor_books`: owns nothing, sees one tenant's rows. It has a login of its own, so `reset role` leads nowhere. */
  books: string;
}

const files: Record<keyof Passwords, string> = {
  superuser: 'superuser-password',
  owner: 'password',
  books: 'books-password',
};

export const superuserPasswordFile = (folder: string): string => join(folder, files.superuser);

/** Writes new passwords into a folder, in files that only the server's user may read. Existing files stay. */
export async function makePasswords(folder: string, user: User): Promise<void> {
  for (const name of Object.values(files)) {
    const file = join(folder, name);
    try {
      await writeFile(file, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    if (user) await chown(file, user.uid, user.gid);
  }
}

/** @throws Error of one line if the files belong to another user or are gone */
export async function readPasswords({ home, user }: ServerLocation): Promise<Passwords> {
  const read = async (name: string): Promise<string> => {
    try {
      return (await readFile(join(home, name), 'utf8')).trim();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new Error(
        code === 'EACCES'
          ? `The database in ${home} belongs to another user: start Kontor as that user`
          : `The database in ${home} lacks its password file: ${message}`,
        { cause: error },
      );
    }
  };
  const owner = await read(files.owner);
  await makePasswords(home, user); // a cluster of an earlier version has the owner's only
  return { owner, superuser: await read(files.superuser), books: await read(files.books) };
}

/** The URL of a database of the embedded server for a role. */
export const roleUrl = (role: string, password: string, port: number, database: string): string =>
  `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;

const roles = ['postgres', 'kontor', 'kontor_books'];

/**
 * The server's log has errors of these roles without details and statements. Those can have values of rows, which are
 * personal data and would outlive their rows; and the service answers such errors, or logs them itself.
 */
const logSettings = ['log_error_verbosity=terse', 'log_min_error_statement=fatal'];
const alterRoles = roles.flatMap((role) => logSettings.map((set) => `alter role ${role} set ${set};`)).join('\n');

/**
 * Whether the roles are those of this version. In earlier versions, the owner was the superuser.
 * @param client connected as the owner
 */
export async function rolesAreReady(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ ready: boolean }>(
    `
    select not rolsuper
      and exists (select from pg_database where datname = 'kontor' and datdba = pg_roles.oid)
      and exists (select from pg_roles books where books.rolname = 'kontor_books' and books.rolcanlogin)
      and (select count(*) = 3 from pg_roles where rolname = any($1) and rolconfig @> $2) as ready
    from pg_roles where rolname = current_user`,
    [roles, logSettings],
  );
  return rows[0]?.ready ?? false;
}

/** Creates the roles and the database, or converts those of an earlier version. A second call changes nothing. */
export async function prepareRoles(port: number, passwords: Passwords): Promise<void> {
  const { superuser, owner, books } = passwords;
  if (!(await canConnect('postgres', superuser, port))) await renameSuperuser(port, passwords);
  const found = await asRole('postgres', superuser, port, 'postgres', async (client) => {
    await client.query(`
      begin;
      drop role if exists ${temporarySuperuser};
      do $$ begin
        if not exists (select from pg_roles where rolname = 'kontor') then create role kontor; end if;
        if not exists (select from pg_roles where rolname = 'kontor_books') then create role kontor_books; end if;
      end $$;
      alter role kontor login nosuperuser password ${escapeLiteral(owner)};
      alter role kontor_books login nosuperuser nobypassrls password ${escapeLiteral(books)};
      grant kontor_books to kontor;
      ${alterRoles}
      commit`);
    const { rowCount } = await client.query("select from pg_database where datname = 'kontor'");
    if (rowCount === 0) await client.query('create database kontor owner kontor');
    return rowCount === 1;
  });
  if (!found) return;
  await asRole('postgres', superuser, port, 'kontor', async (client) => {
    await client.query(giveToOwner);
    await client.query('alter database kontor owner to kontor'); // last: it marks the rest as done
  });
}

const temporarySuperuser = 'kontor_upgrade';

/**
 * In a cluster of an earlier version the superuser is called `kontor`. It gets its usual name, so that `kontor` is free
 * for the owner. PostgreSQL renames no role that is connected: a temporary superuser does it.
 */
async function renameSuperuser(port: number, { superuser, owner }: Passwords): Promise<void> {
  const password = escapeLiteral(superuser);
  await asRole('kontor', owner, port, 'postgres', (client) =>
    client.query(`
      begin;
      drop role if exists ${temporarySuperuser};
      create role ${temporarySuperuser} superuser login password ${password};
      commit`),
  );
  await asRole(temporarySuperuser, superuser, port, 'postgres', (client) =>
    client.query(`
      begin;
      alter role kontor rename to postgres;
      alter role postgres password ${password};
      create role kontor login nosuperuser password ${escapeLiteral(owner)};
      commit`),
  );
}

/** Changes the owner of all objects that the superuser made, except those of extensions. */
const giveToOwner = `
  do $$
  declare
    superuser constant oid := 10; -- of the role that initdb makes
    command text;
  begin
    for command in
      with ours as (
        select oid, nspname, nspowner from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
      ), theirs as (
        select classid, objid from pg_depend where deptype in ('e', 'a', 'i') and objsubid = 0
      )
      select format('alter schema %I owner to kontor', nspname) from ours where nspowner = superuser
      union all
      select format('alter table %s owner to kontor', oid::regclass) from pg_class
      where relowner = superuser and relnamespace in (select oid from ours) and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
        and ('pg_class'::regclass, oid) not in (select * from theirs)
      union all
      select format('alter routine %s owner to kontor', oid::regprocedure) from pg_proc
      where proowner = superuser and pronamespace in (select oid from ours)
        and ('pg_proc'::regclass, oid) not in (select * from theirs)
      union all
      select format('alter type %s owner to kontor', oid::regtype) from pg_type
      where typowner = superuser and typnamespace in (select oid from ours)
        and (typtype in ('e', 'd', 'r') or typrelid in (select oid from pg_class where relkind = 'c'))
        and ('pg_type'::regclass, oid) not in (select * from theirs)
    loop
      execute command;
    end loop;
  end
  $$`;

async function canConnect(role: string, password: string, port: number): Promise<boolean> {
  try {
    return await asRole(role, password, port, 'postgres', async () => true);
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
}

/** Whether the server has no such role with that password. */
export const isRefused = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '28P01'; // invalid_password, for unknown roles too

async function asRole<T>(
  role: string,
  password: string,
  port: number,
  database: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const connectionString = roleUrl(role, password, port, database);
  const client = createConnection({ connectionString, ssl: false, connectionTimeoutMillis: 5000 });
  client.on('error', () => {}); // the query that was under way says it
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
