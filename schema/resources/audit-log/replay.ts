import { tableOf, type Column, type Prisma } from '../../../prisma/client.ts';
import type { Context } from '../../graphql/context.ts';
import type { Report } from '../difference.ts';

// Compares the rows of the books with what the audit log says of them last: who changes a row past the triggers leaves no entry.
// A row from before there was a log, or whose first entries are over, is compared in what the log knows of it.

/** The resources whose rows the log has, and the columns that it leaves out. */
const resources: { resource: string; model: Prisma.ModelName; name: string; leftOut?: string }[] = [
  { resource: 'customer', model: 'Customer', name: 'Customer' },
  { resource: 'company', model: 'Company', name: 'Company profile' },
  { resource: 'project', model: 'Project', name: 'Project' },
  { resource: 'invoice', model: 'Invoice', name: 'Invoice' },
  { resource: 'credit_note', model: 'CreditNote', name: 'Credit note' },
  { resource: 'receipt', model: 'Receipt', name: 'Receipt' },
  { resource: 'attachment', model: 'Attachment', name: 'Attachment' },
  { resource: 'time_entry', model: 'TimeEntry', name: 'Time entry' },
  { resource: 'bank_account', model: 'BankAccount', name: 'Bank account' },
  { resource: 'bank_statement', model: 'BankStatement', name: 'Bank statement' },
  { resource: 'bank_transaction', model: 'BankTransaction', name: 'Bank transaction', leftOut: 'identity' },
  { resource: 'payment', model: 'Payment', name: 'Payment' },
  { resource: 'period_lock', model: 'PeriodLock', name: 'Period lock' },
];
const documents = [
  { resource: 'invoice', model: 'InvoiceItem', name: 'Invoice' },
  { resource: 'credit_note', model: 'CreditNoteItem', name: 'Credit note' },
  { resource: 'receipt', model: 'ReceiptLine', name: 'Receipt' },
] as const;

/** How many entries, and rows of each table, are compared by one statement. */
const windowRows = 5000;

/** The clocks of the service and of the database can differ so much: a row with such an age may be from before the log. */
const clockSkewMs = 5 * 60_000;

/** A time is written in the time zone of who wrote it. */
const sameTime = (value: string): string =>
  `case when key = any ($5::text[]) and ${value} <> 'null' then to_jsonb((${value} #>> '{}')::timestamptz)
    else jsonb_strip_nulls(${value}) end`;

/**
 * $2 and $3 are a range of ids, $4 the compared columns, $5 those of them that are times, $6 defaults, $7 when the log began.
 * A default stands for a column that was added after the row's first entry. The join is a full one because PostgreSQL may expect
 * one row, and would compare each row with each for any other join.
 */
const differencesSql = (table: string, resource: string): string => `
  with entry as materialized (
    select resource_id as id, id as entry_id, position, action, version, after,
      max(position) filter (where action = 'created') over (partition by resource_id) as created
    from audit_entries
    where tenant_id = $1 and resource_id > $2::uuid and resource_id <= $3::uuid and resource = '${resource}'
  ), logged as materialized (
    select entry.id, bool_or(action = 'created') as is_whole,
      (array_agg(action order by position desc, entry_id desc))[1] as last_action,
      (array_agg(version order by position desc, entry_id desc))[1] as version,
      coalesce(jsonb_object_agg(key, value order by position, entry_id) filter (where key is not null), '{}') as fields
    from entry left join lateral jsonb_each(after) on true
    where position >= coalesce(created, 0)
    group by entry.id
  ), stored as materialized (
    select id, to_jsonb(stored) as fields from ${table} as stored
    where tenant_id = $1 and id > $2::uuid and id <= $3::uuid
  ), compared as (
    select coalesce(stored.id, logged.id) as id, coalesce(stored.fields ->> 'number', logged.fields ->> 'number') as number,
      case
        when stored.id is null then case when last_action <> 'deleted' then 'gone' end
        when logged.id is null then
          case when (stored.fields ->> 'created_at')::timestamptz > $7::timestamptz then 'unlogged' end
        when last_action = 'deleted' then 'deleted'
        else 'kept'
      end as finding,
      case when logged.version <> (stored.fields ->> 'version')::integer then array['version'] else '{}' end || array(
        select key from jsonb_each(stored.fields) as field (key, value)
        where key = any ($4::text[]) and case
          when logged.fields ? key then ${sameTime('value')} is distinct from ${sameTime('(logged.fields -> key)')}
          else logged.is_whole and value <> 'null' and value is distinct from ($6::jsonb -> key)
        end
        order by key
      ) as columns
    from stored full join logged on logged.id = stored.id
  )
  select * from compared where finding <> 'kept' or columns <> '{}' order by id`;

/** The same for the lines of documents, of which an entry has all. */
const linesSql = (table: string, resource: string): string => `
  with logged as materialized (
    select distinct on (resource_id) resource_id as id, after -> 'lines' as lines from audit_entries
    where tenant_id = $1 and resource_id > $2::uuid and resource_id <= $3::uuid and resource = '${resource}_lines'
    order by resource_id, position desc, audit_entries.id desc
  ), stored as materialized (
    select ${resource}_id as id,
      jsonb_agg(jsonb_strip_nulls(to_jsonb(line) - array['tenant_id', 'id', '${resource}_id']) order by position) as lines
    from ${table} as line where tenant_id = $1 and ${resource}_id > $2::uuid and ${resource}_id <= $3::uuid
    group by ${resource}_id
  )
  select logged.id from stored full join logged on logged.id = stored.id
  where logged.id is not null and stored.lines is distinct from logged.lines and (
    coalesce(jsonb_array_length(stored.lines), 0) <> coalesce(jsonb_array_length(logged.lines), 0)
    or exists (
      select from jsonb_array_elements(stored.lines) with ordinality as current (line, at)
      join jsonb_array_elements(logged.lines) with ordinality as known (line, at) using (at)
      where current.line - array(
        select key from jsonb_each(current.line) where not known.line ? key and value = $5::jsonb -> key
      ) <> known.line - array(
        select key from jsonb_object_keys(known.line) as key where key <> all ($4::text[])
      )
    )
  ) order by logged.id`;

interface Compared {
  id: string;
  number: string | null;
  finding: 'gone' | 'unlogged' | 'deleted' | 'kept';
  columns: string[];
}

const messages: Record<Compared['finding'], (columns: string[]) => string> = {
  gone: () => 'is gone, and the audit log does not say who deleted it',
  unlogged: () => 'is not in the audit log',
  deleted: () => 'is there, but was deleted by the audit log',
  kept: (columns) => `${columns.join(', ')} not as the audit log has it`,
};

/** Compares all rows with the audit log, and the lines of documents. */
export async function replayAuditLog({ db }: Context, report: Report): Promise<void> {
  const [first] = await db.$rows<{ at: Date }>(
    'select at from audit_entries where tenant_id = $1 order by position, id limit 1',
    [],
  );
  // Without a log there is nothing to compare with.
  if (!first) return;
  const begin = new Date(first.at.getTime() + clockSkewMs).toISOString();
  for await (const [after, upTo] of windows(db)) {
    for (const { resource, model, name, leftOut } of resources) {
      const { columns, times, defaults } = comparedColumns(model, leftOut);
      const values = [after, upTo, columns, times, defaults, begin];
      for (const { id, number, finding, columns: changed } of await db.$rows<Compared>(
        differencesSql(tableOf(model).table, resource),
        values,
      ))
        report({ type: resource, id, message: `${name} ${number ?? id}: ${messages[finding](changed)}` });
    }
    for (const { resource, model, name } of documents) {
      const { columns, defaults } = comparedColumns(model);
      const values = [after, upTo, columns, defaults];
      for (const { id } of await db.$rows<{ id: string }>(linesSql(tableOf(model).table, resource), values))
        report({ type: resource, id, message: `${name} ${id}: its lines are not as the audit log has them` });
    }
  }
}

const leftOutOfAll = new Set(['id', 'tenant_id', 'version', 'updated_at', 'search_text']);

function comparedColumns(
  model: Prisma.ModelName,
  leftOut?: string,
): { columns: string[]; times: string[]; defaults: string } {
  const columns = [...tableOf(model).fields.values()]
    .filter((field) => field.kind === 'column')
    .filter(({ column, isGenerated }) => !isGenerated && !leftOutOfAll.has(column) && column !== leftOut);
  return {
    columns: columns.map(({ column }) => column),
    times: columns.filter(({ native }) => native === 'Timestamptz').map(({ column }) => column),
    defaults: JSON.stringify(Object.fromEntries(columns.map((column) => [column.column, getDefault(column)]))),
  };
}

/** A column's default as JSON; null for one that isn't the same for all rows. */
function getDefault({ initial, enumeration }: Column): unknown {
  if (enumeration) return enumeration.values.get(String(initial)) ?? null;
  if (typeof initial !== 'object' || initial === null) return initial;
  return 'json' in initial ? initial.json : null;
}

const [firstId, lastId] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/** Ranges of ids, of which neither the log nor a table has very many. */
async function* windows(db: Context['db']): AsyncGenerator<[after: string, upTo: string]> {
  const tables = [
    ...resources.map(({ model }) => ({ table: tableOf(model).table, column: 'id' })),
    { table: 'audit_entries', column: 'resource_id' },
  ];
  for (let after = firstId; after !== lastId;) {
    let upTo = lastId;
    for (const { table, column } of tables) {
      const [row] = await db.$rows<{ id: string }>(
        `select ${column} as id from ${table} where tenant_id = $1 and ${column} > $2::uuid
         order by ${column} offset ${windowRows} limit 1`,
        [after],
      );
      if (row && row.id < upTo) upTo = row.id;
    }
    yield [after, upTo];
    after = upTo;
  }
}
