import type { Client } from 'pg';

/** A table of a backup. */
export interface Table {
  /** As SQL names it, with its schema: `public.customers`. */
  name: string;
  /** Without generated columns, which the database computes again. */
  columns: string[];
}

/** The state of a sequence. */
export interface Sequence {
  name: string;
  /** Null if the sequence was never used. */
  lastValue: string | null;
}

/** The tables that only migrations write. A restored database gets their rows from its migrations. */
const migrationTables = ['public._prisma_migrations', 'graphile_worker.migrations'];

/** All tables of Kontor and of its queue. Their schemas and columns are the migrations' work, never a user's. */
export async function listTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select format('%I.%I', n.nspname, c.relname) as name,
       array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relkind = 'r' and n.nspname in ('public', 'graphile_worker')
       and format('%I.%I', n.nspname, c.relname) <> all ($1)
     group by 1 order by 1`,
    [migrationTables],
  );
  return rows;
}

export async function listSequences(client: Client): Promise<Sequence[]> {
  const { rows } = await client.query<Sequence>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as "lastValue"
     from pg_sequences where schemaname in ('public', 'graphile_worker') order by 1`,
  );
  return rows;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** `name` is SQL already; the columns are not. */
export const copySource = ({ name, columns }: Table): string => `${name} (${columns.map(quoted).join(', ')})`;
