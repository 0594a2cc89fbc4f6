import type { OutputRef } from '@pothos/core';
import { visit, type ASTNode, type GraphQLResolveInfo } from 'graphql';
import { getTable, type Column } from '../../prisma/tables.ts';
import type { Group, GroupsQuery, ModelWith } from '../../prisma/client.ts';
import { refuse } from '../errors/errors.ts';
import { resources } from '../resource-list.ts';
import { builder } from './builder.ts';
import { describedEnum } from './described-enum.ts';
import { findByIdIfAny } from './find-by-id.ts';
import { wholeNumber } from './input/validators.ts';
import type { ListInputs } from './lists.ts';
import { OrderDirection, toOrderField } from './paging/order.ts';

/** The most groups of one response. */
export const maxGroups = 1000;

/** A value by which rows are grouped. */
interface GroupKey {
  column: string;
  description: string;
  /** The type of an enum. */
  type?: OutputRef<unknown>;
  /** The months of the days in the column. */
  isMonth?: boolean;
}

interface AggregateOptions {
  description: string;
  /** By what rows can be grouped, by the names of the group's fields. */
  keys: Record<string, GroupKey>;
  /** The relations to the rows that keys are ids of: groups show these, too. */
  relations?: readonly string[];
  /** The columns that can be added up. */
  sums: readonly string[];
  /** Whether the sums are amounts of money: groups then always have one currency, so that no sum has two. */
  hasCurrency: boolean;
}

/** The name of the field that has the currency, and its column. */
const currency = 'currency';

/**
 * Declares a field of Query that groups a model's rows, counts them, and adds up their values.
 * @param field its name
 */
export function aggregateField(
  field: string,
  model: ModelWith<{ id: string }>,
  { filter }: ListInputs,
  { description, keys, relations = [], sums, hasCurrency }: AggregateOptions,
): void {
  const { fields: columns } = getTable(model);
  const findColumn = (name: string): Column => {
    const column = columns.get(name);
    if (column?.kind !== 'column') throw new Error(`${model}.${name} is no column`);
    return column;
  };
  /** `customerId` → `CUSTOMER` */
  const toName = (key: string): string => toOrderField(key.replace(/Id$/, ''));
  const byName = Object.fromEntries(Object.keys(keys).map((key) => [toName(key), key]));
  const GroupBy = describedEnum(
    `${model}GroupBy`,
    `By what rows of the type ${model} can be grouped.`,
    Object.fromEntries(Object.entries(keys).map(([key, each]) => [toName(key), each.description])),
  );
  const sumNames = Object.fromEntries(sums.map((name) => [toOrderField(name), name]));
  const OrderField = describedEnum(`${model}GroupOrderField`, `By what groups of the type ${model} can be ordered.`, {
    COUNT: 'The number of rows.',
    ...Object.fromEntries(sums.map((name) => [toOrderField(name), `The sum of \`${name}\`.`])),
  });
  const Order = builder.inputType(`${model}GroupOrder`, {
    description: 'The order of groups. Amounts of different currencies are compared as numbers.',
    fields: (t) => ({
      field: t.field({ type: OrderField, required: true, description: 'The field to order by.' }),
      direction: t.field({ type: OrderDirection, required: true, description: 'Ascending or descending.' }),
    }),
  });

  const Sums = builder.objectRef<Group>(`${model}Sums`).implement({
    description: `The sums of a group of rows of the type ${model}, exact.`,
    fields: (t) =>
      Object.fromEntries(
        sums.map((name) => {
          const type = findColumn(name).type === 'Int' ? 'Int' : 'Decimal';
          const options = { type, description: `The sum of \`${name}\`.` } as const;
          return [name, t.field({ ...options, resolve: (group) => group.sums[name] as never })];
        }),
      ),
  });
  const GroupType = builder.objectRef<Group>(`${model}Group`);
  GroupType.implement({
    description: `Rows of the type ${model} that share values.${hasCurrency ? ' They always share the currency.' : ''}`,
    fields: (t) => ({
      ...Object.fromEntries(
        Object.entries(keys).map(([key, { column, type, isMonth, description: meaning }]) => {
          const isNullable = key !== currency;
          const shown = type ?? (isMonth ? 'String' : getScalar(findColumn(column)));
          const explained = isNullable ? `${meaning} Null unless they are grouped by it.` : meaning;
          const options = { type: shown as 'String', nullable: isNullable, description: explained };
          return [key, t.field({ ...options, resolve: (group) => (group.values[key] ?? null) as never })];
        }),
      ),
      count: t.int({ description: 'The number of rows.', resolve: ({ count }) => count }),
      sums: t.field({ type: Sums, description: 'Their sums.', resolve: (group) => group }),
    }),
  });

  for (const name of relations) addRelation(GroupType, model, name);

  builder.queryField(field, (t) =>
    t.field({
      type: [GroupType],
      description: `${description} Without \`first\`, more than ${maxGroups} groups are refused.`,
      ability: filter.ability,
      args: {
        filter: t.arg({ type: filter.input, description: 'Only rows for which all of these conditions hold.' }),
        groupBy: t.arg({
          type: [GroupBy],
          description: `What the rows of a group share.${hasCurrency ? ' The currency always, whether or not it is named.' : ''}`,
        }),
        orderBy: t.arg({ type: Order, description: 'Default: by the values that the groups share.' }),
        first: t.arg.int({ description: 'At most so many groups.', validate: wholeNumber(1, maxGroups) }),
      },
      resolve: async (_root, { filter: given, groupBy, orderBy, first }, context, info) => {
        const named = (groupBy ?? []).map((name) => byName[name] ?? '');
        const chosen = [...new Set(hasCurrency ? [...named, currency] : named)];
        const query: GroupsQuery = {
          where: await filter.findCondition(given, context),
          by: Object.fromEntries(chosen.flatMap((key) => toGroupBy(key, keys[key]))),
          sums: sums.filter((name) => isSelected(info, name) || name === sumNames[orderBy?.field ?? '']),
          ...(orderBy && {
            orderBy: {
              field: sumNames[orderBy.field] ?? 'count',
              direction: orderBy.direction === 'ASC' ? 'asc' : 'desc',
            },
          }),
          take: first ?? maxGroups + 1,
        };
        const groups = await context.db.model(model).findGroups(query);
        if (groups.length > maxGroups)
          refuse(
            'groupBy',
            'too_many',
            `There are more than ${maxGroups} groups. Give \`first\`, or a narrower filter.`,
            {
              max: maxGroups,
            },
          );
        return groups;
      },
    }),
  );
}

/** Adds the row that a group's key is the id of. Those of all groups are read by one statement. */
function addRelation(
  group: ReturnType<typeof builder.objectRef<Group>>,
  model: ModelWith<{ id: string }>,
  name: string,
): void {
  const relation = getTable(model).fields.get(name);
  const resource = resources.find((each) => relation?.kind === 'relation' && each.model === relation.model);
  if (relation?.kind !== 'relation' || !resource) throw new Error(`${model}.${name} leads to no resource`);
  const key = relation.here.find((column) => column.name !== 'tenantId')?.name ?? '';
  const related = resource.model as 'Customer'; // or another: Pothos's types want one
  builder.objectField(group, name, (t) =>
    t.prismaField({
      type: related,
      nullable: true,
      description: `Its ${name}. Null unless they are grouped by it.`,
      ability: `${resource.scope}:read`,
      resolve: (query, { values }, _args, context) => {
        const id = values[key];
        return typeof id === 'string' ? findByIdIfAny(context, related, id, query) : null;
      },
    }),
  );
}

/** Whether a field of this name is selected anywhere below the field. */
function isSelected({ fieldNodes, fragments }: GraphQLResolveInfo, name: string): boolean {
  let found = false;
  const look = (node: ASTNode): unknown =>
    visit(node, {
      Field: (field) => void (found ||= field.name.value === name),
      FragmentSpread: (spread) => void (fragments[spread.name.value] && look(fragments[spread.name.value] as ASTNode)),
    });
  fieldNodes.forEach(look);
  return found;
}

const getScalar = ({ native, type }: Column): string => (native === 'Uuid' ? 'UUID' : type);

const toGroupBy = (key: string, found: GroupKey | undefined): [string, GroupsQuery['by'][string]][] =>
  found ? [[key, { field: found.column, month: found.isMonth ?? false }]] : [];
