import { resources } from '../schema/resource-list.ts';
import { getStateColumn } from '../prisma/row-counts.ts';
import { getTable } from '../prisma/tables.ts';

/**
 * The tables whose rows triggers count, each with SQL that counts them anew: tenant_id, state ('' where rows are not counted by
 * one), rows.
 */
export const countedTables = resources.map((resource) => {
  const { table } = getTable(resource.model);
  const column = getStateColumn(resource.model);
  const state = column === null ? "''" : `${column}::text`;
  return { table, sql: `select tenant_id, ${state} as state, count(*)::int as rows from ${table} group by 1, 2` };
});

/** SQL that writes the counts of rows that were written without triggers. */
export const countAnew = ({ table, sql }: (typeof countedTables)[number]): string =>
  `insert into row_counts (tenant_id, resource, state, rows) select tenant_id, '${table}', state, rows from (${sql}) counted`;

/** SQL that selects where the maintained counts of a table say otherwise than its rows do. */
export const wrongCounts = ({ table, sql }: (typeof countedTables)[number]): string => `
  select '${table}' as table, * from (${sql}) counted
    full join (select tenant_id, state, sum(rows)::int as maintained from row_counts where resource = '${table}' group by 1, 2) sums
      using (tenant_id, state)
  where coalesce(rows, 0) <> coalesce(maintained, 0)`;
