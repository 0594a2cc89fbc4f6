import type { ReactNode } from 'react';
import { useQuery, type TypedDocumentNode } from 'urql';
import type { VariablesOf } from '../graphql.ts';
import { DataTable, type ListConnection, type SortableColumn } from './data-table.tsx';
import type { SelectionOptions } from './selection/selection.ts';
import { orderBy, type ListState, type PageVariables, type Sort } from './list-state.ts';

/** A query for a page of a list. Its connection has the alias `rows`. */
type ListQuery<Row, Filters, Field extends string> = TypedDocumentNode<
  { rows: ListConnection<Row> },
  Filters & PageVariables & { orderBy?: Sort<Field>[] | null }
>;

/** The props of a list's table. The filters are the query's variables, except for page and order. */
export interface ListTableProps<Query> {
  list: ListState<never>;
  filters: Omit<VariablesOf<Query>, keyof PageVariables | 'orderBy'>;
  /** Replaces an empty list. */
  empty: ReactNode;
}

interface Definition<Row, Filters, Field extends string> {
  query: ListQuery<Row, Filters, Field>;
  columns: SortableColumn<Row, Field>[];
  list: ListState<never>;
  filters: Filters;
}

/** Queries the current page of a list. @returns props of its DataTable */
export function useListQuery<Row, Filters, Field extends string>({
  query,
  columns,
  list,
  filters,
}: Definition<Row, Filters, Field>) {
  const fields = columns.flatMap(({ sort }) => sort ?? []);
  const [{ data, fetching, stale, error }, refetch] = useQuery({
    query,
    variables: {
      ...list.variables,
      ...filters,
      ...(fields.length > 0 && { orderBy: orderBy(list.sort, fields) }),
    },
  });
  return { columns, list, connection: data?.rows, fetching: fetching && !stale, error, refetch };
}

interface Props<Row, Filters, Field extends string> extends Definition<Row, Filters, Field> {
  /** The rows' name: `Invoices`. */
  caption: string;
  empty: ReactNode;
  /** The actions on several rows. Undefined: rows can't be selected. */
  selection?: SelectionOptions<Row> | undefined;
}

/** The table of a list: queries the current page and shows it. */
export function ListTable<Row extends { id: string }, Filters, Field extends string>({
  caption,
  empty,
  selection,
  ...definition
}: Props<Row, Filters, Field>): ReactNode {
  return <DataTable caption={caption} empty={empty} selection={selection} {...useListQuery(definition)} />;
}
