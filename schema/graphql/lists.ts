import type { GraphQLResolveInfo } from 'graphql';
import { batchPerRequest } from '../../prisma/batching.ts';
import type { Ability } from './ability.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { getSortedFields, getTable, type Column } from '../../prisma/tables.ts';
import type { ModelWith, Row } from '../../prisma/client.ts';
import type { Enums } from './filters/comparators.ts';
import {
  filterInput,
  type ComputedFilter,
  type Filter,
  type FilterValue,
  type Search,
} from './filters/filter-input.ts';
import { orderInput, type Order } from './paging/order.ts';
import { buildConnection, buildWindow, listNodes, readPage, type Connection, type PageArgs } from './paging/page.ts';

interface ListOptions {
  /** The ability that reads the rows. */
  ability: Ability;
  /** Columns that the rows' type doesn't show. */
  hidden?: readonly string[];
  /** The GraphQL types of the columns that are enums. */
  enums?: Enums;
  /** The inputs of related rows' lists, by the names of the relations. */
  relations?: Record<string, ListInputs>;
  computed?: Record<string, ComputedFilter>;
  search?: Search;
}

/** How a list can be filtered and ordered. */
export interface ListInputs {
  filter: Filter;
  order: Order;
}

/** Columns that no type shows. */
const neverShown = new Set(['tenantId', 'searchText']);

/** Columns of several lines, and of pairs, by which nobody orders a list. */
const unsorted = new Set(['description', 'metadata']);

/**
 * Declares how lists of a model's rows can be filtered and ordered: by each column that its type shows, a new one included. A test
 * compares the columns with those of the type.
 */
export function listInputs(
  model: ModelWith<{ id: string }>,
  { ability, hidden = [], enums = {}, relations = {}, computed = {}, search }: ListOptions,
): ListInputs {
  const { fields } = getTable(model);
  const isHidden = ({ name, isList }: Column): boolean => isList || neverShown.has(name) || hidden.includes(name);
  const columns = [...fields.values()].filter((field): field is Column => field.kind === 'column' && !isHidden(field));
  const filters = Object.fromEntries(Object.entries(relations).map(([name, { filter }]) => [name, filter]));
  const filter = filterInput({ typeName: model, ability, columns, enums, relations: filters, computed, search });
  const sortable = columns.filter(({ name }) => !unsorted.has(name));
  return { filter, order: orderInput(model, sortable, getSortedFields(model)) };
}

/** The arguments of a list that is filtered and ordered. */
export const listArguments = ({ filter, order }: ListInputs) =>
  builder.args((t) => ({
    filter: t.field({ type: filter.input, description: 'Only rows for which all of these conditions hold.' }),
    orderBy: t.field(order.argument),
  }));

interface ListArgs extends PageArgs {
  filter?: FilterValue | null;
}

/** Reads one page of a list of the tenant's rows. */
export async function readList<Name extends ModelWith<{ id: string }>>(
  asked: { context: Context; info: GraphQLResolveInfo },
  model: Name,
  { filter, order }: ListInputs,
  args: ListArgs,
): Promise<Connection<Row<Name>>> {
  return readPage(asked, model, args, await filter.findCondition(args.filter, asked.context), order.columns);
}

/** The function that Pothos gives a selection, to select the fields of related rows that a document asks for. */
type Nested<Query> = (query: Query, path: string[]) => Query;

/**
 * The arguments, selection, and resolver of a list inside a resource: of the rows that refer to it.
 * @param column the column that has the resource's id
 * @param relation the resource's relation to these rows
 */
export function nestedList<Name extends ModelWith<{ id: string }>, Relation extends string>(
  model: Name,
  column: string,
  relation: Relation,
  inputs: ListInputs,
) {
  const { filter, order } = inputs;
  const countRows = batchPerRequest(async (ids, context: Context, condition) => {
    const where = { AND: [{ [column]: { in: ids } }, condition] };
    const counts = await context.db.model(model).groupBy({ by: column, where, _count: true });
    return new Map(counts.map((count) => [String(count[column]), count._count]));
  }, 0);
  type Query = ReturnType<typeof buildWindow>;
  return {
    args: builder.args((t) => ({ ...listArguments(inputs), offset: t.int() })),
    select: (args: ListArgs, context: Context, nested: Nested<Query>) =>
      ({
        id: true,
        [relation]: nested(
          buildWindow(args, filter.toCondition(args.filter, context), order.columns),
          listNodes(model),
        ),
      }) as { id: true } & Record<Relation, Query>,
    resolve: (
      row: { id: string } & Record<Relation, object[]>,
      args: ListArgs,
      context: Context,
    ): Connection<Row<Name>> =>
      buildConnection(args, row[relation] as (Row<Name> & { id: string })[], order.columns, () =>
        countRows(row.id, context, filter.toCondition(args.filter, context)),
      ),
  };
}
