import type { Client } from 'pg';

const own = `'public'::regnamespace`;

/** The parts of a schema, a row each. Not the order of columns, nor whether a CHECK was validated for old rows. */
const queries = [
  `select concat_ws(' ', relname, relkind, relpersistence, reloptions, relrowsecurity, relforcerowsecurity)
   from pg_class where relnamespace = ${own}`,
  `select concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attgenerated,
     pg_get_expr(adbin, adrelid), attacl)
   from pg_class c join pg_attribute on attrelid = c.oid left join pg_attrdef on adrelid = attrelid and adnum = attnum
   where relnamespace = ${own} and relkind = 'r' and attnum > 0 and not attisdropped`,
  // PostgreSQL names NOT NULL constraints itself, and doesn't rename them with their table.
  `select concat_ws(' ', conrelid::regclass, conname, replace(pg_get_constraintdef(oid), ' NOT VALID', ''))
   from pg_constraint where connamespace = ${own} and contype <> 'n'`,
  `select concat_ws(' ', pg_get_indexdef(indexrelid), indisvalid)
   from pg_index join pg_class on pg_class.oid = indexrelid where relnamespace = ${own}`,
  `select concat_ws(' ', pg_get_functiondef(oid), array(select acl::text from unnest(proacl) acl order by 1))
   from pg_proc p where pronamespace = ${own} and prokind = 'f' and not exists (
     select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')`,
  `select concat_ws(' ', pg_get_triggerdef(t.oid), tgenabled)
   from pg_trigger t join pg_class on pg_class.oid = tgrelid where relnamespace = ${own} and not tgisinternal`,
  `select concat_ws(' ', polrelid::regclass, polname, polcmd, polpermissive, polroles::regrole[],
     pg_get_expr(polqual, polrelid), '/', pg_get_expr(polwithcheck, polrelid)) from pg_policy`,
  `select concat_ws(' ', relname, acl) from pg_class, unnest(relacl) acl where relnamespace = ${own}`,
  `select concat_ws(' ', sequencename, data_type, start_value, increment_by) from pg_sequences where schemaname = 'public'`,
  `select concat_ws(' ', enumtypid::regtype, enumsortorder, enumlabel) from pg_enum`,
  `select concat_ws(' ', extname, extversion) from pg_extension`,
];

/** Describes tables, functions, triggers, rights, and all else that migrations make, one thing a line, in a fixed order. */
export async function describeSchema(client: Client): Promise<string[]> {
  const lines: string[] = [];
  for (const query of queries) {
    const { rows } = await client.query<{ line: string }>(`select line from (${query}) as things (line) order by 1`);
    lines.push(...rows.map(({ line }) => line));
  }
  return lines;
}
