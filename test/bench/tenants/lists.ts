import { readFileSync } from 'node:fs';
import {
  buildSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
} from 'graphql';
import type { Prisma } from '../../../prisma/client.ts';
import { getIndexedFields, getSortedFields, getTable } from '../../../prisma/tables.ts';
import { toOrderField } from '../../../schema/graphql/paging/order.ts';
import { resources } from '../../../schema/resource-list.ts';
import type { Installation, Tenant } from './installation.ts';
import type { KontorProcess } from './processes.ts';
import { figure, type ReportRow } from './report.ts';

/** Arguments that choose a page, not rows. */
const pagingArguments = new Set(['first', 'last', 'after', 'before', 'offset', 'orderBy']);

/** Reads that a token is refused. */
const ofSessions = new Set(['apiTokenLimits']);

/** For the largest tenant and a small one: each list of the API by each filter, and in each order; the other reads; and each resource by its id. */
export async function readEverything(
  { pool, tenants }: Installation,
  { url }: KontorProcess,
  readers: number,
): Promise<ReportRow> {
  const durations: number[] = [];
  const send = async (path: string, { token }: Tenant, body?: object): Promise<void> => {
    const start = performance.now();
    const response = await fetch(new URL(path, url), {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    durations.push(performance.now() - start);
    if (!response.ok || text.includes('"errors":')) throw new Error(`${path} ${JSON.stringify(body)}: ${text}`);
  };
  for (const tenant of [tenants.at(0)!, tenants.at(-1)!].slice(0, readers)) {
    const ids = await someIds(pool, tenant);
    for (const query of documents(ids)) await send('/graphql', tenant, { query });
    for (const { name, path } of resources) {
      const id = ids.get(name);
      if (id !== undefined) await send(`/api/v1/${path}/${id}`, tenant);
    }
    await send('/api/v1/changes', tenant);
  }
  return {
    work: 'each list by each filter and in each order',
    figures: [figure('requests', durations.length), figure('worst', Math.max(...durations), 'ms')],
  };
}

/** The newest row of each kind that the tenant has. */
async function someIds(pool: Installation['pool'], { id, webhookId }: Tenant): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const { name, model } of resources) {
    const { rows } = await pool.query<{ id: string }>(
      `select id from ${getTable(model).table} where tenant_id = $1 order by id desc limit 1`,
      [id],
    );
    if (rows[0]) ids.set(name, rows[0].id);
  }
  if (webhookId !== null) ids.set('webhook', webhookId);
  return ids;
}

const printed = readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8');

function documents(ids: Map<string, string>): string[] {
  const fields = Object.values(buildSchema(printed, { assumeValid: true }).getQueryType()!.getFields());
  const isList = ({ type, args }: (typeof fields)[number]): boolean =>
    getNamedType(type).name.endsWith('Connection') && !args.some(isRequiredArgument);
  const lists = fields.filter(isList);
  return [
    ...fields
      .filter(({ name }) => !ofSessions.has(name))
      .filter(({ type, args }) => isObjectType(getNullableType(type)) && args.every(({ name }) => name === 'id'))
      .flatMap((field) => {
        const id = ids.get(snakeCase(field.name));
        if (field.args.length > 0 && id === undefined) return [];
        const selected = buildSelection(getNamedType(field.type), 1);
        return `{ ${field.name}${field.args.length > 0 ? `(id: "${id}")` : ''} ${selected} }`;
      }),
    ...lists.flatMap((list) => {
      const { served, others } = listArguments(list, ids);
      const read = (page: string, chosen: string[]): string =>
        `{ ${list.name}(${[page, ...chosen].join(', ')}) { totalCount nodes { id } } }`;
      return [
        ...served.flatMap((chosen) => [read('first: 25', chosen), read('last: 25', chosen)]),
        ...others.map((chosen) => read('first: 25', chosen)),
      ];
    }),
  ];
}

/**
 * The arguments with which a list is read. From both ends: none, and each filter and order that an index serves. From its start:
 * each other filter and order, and each pair that two indexes serve.
 */
function listArguments(
  { type, args }: GraphQLField<unknown, unknown>,
  ids: Map<string, string>,
): { served: string[][]; others: string[][] } {
  const plain = args
    .filter(({ name }) => !pagingArguments.has(name) && name !== 'filter')
    .flatMap(({ name, type: of }) => listValues(name, of, ids).map((value) => `${name}: ${value}`));
  const model = getNamedType(type).name.replace('Connection', '') as Prisma.ModelName;
  const sorted = new Set([...getSortedFields(model)].map(toOrderField)).add('CREATED_AT');
  const indexed = getIndexedFields(model);
  const filters = args
    .filter(({ name }) => name === 'filter')
    .flatMap((filter) => listComparisons(filter, indexed, ids))
    .map((comparison) => `filter: { ${comparison} }`);
  const found = filters.filter((filter) => indexed.has(/(\w+): \{ eq: /.exec(filter)?.[1] ?? ''));
  const orders = args.filter(({ name }) => name === 'orderBy').flatMap(listOrderFields);
  const order = (field: string): string => `orderBy: { field: ${field}, direction: ASC }`;
  const inOrder = orders.filter((field) => sorted.has(field));
  return {
    served: [[], ...[...plain, ...found].map((filter) => [filter]), ...inOrder.map((field) => [order(field)])],
    others: [
      ...inOrder.flatMap((field) => found.map((filter) => [order(field), filter])),
      ...filters.filter((filter) => !found.includes(filter)).map((filter) => [filter]),
      ...orders.filter((field) => !sorted.has(field)).map((field) => [order(field)]),
    ],
  };
}

/** Operators that PostgreSQL executes in different ways. Where no index helps, one of them shows what a scan takes. */
const operators = ['eq', 'gte', 'contains'];

/** The comparisons of a filter, for each column, and one for each kind of related rows. */
function listComparisons({ type }: GraphQLArgument, indexed: ReadonlySet<string>, ids: Map<string, string>): string[] {
  const filter = getNamedType(type);
  if (!isInputObjectType(filter)) return [];
  return Object.values(filter.getFields()).flatMap(({ name, type: of }) => {
    const input = getNamedType(of);
    if (input === filter) return []; // and, or
    if (!isInputObjectType(input)) return listValues(name, of, ids).map((value) => `${name}: ${value}`);
    const compared = input.getFields();
    if (compared['updatedAt']) return `${name}: { updatedAt: { gte: "${monthAgo()}" } }`;
    const possible = operators.filter((operator) => compared[operator]);
    return (indexed.has(name) ? possible : possible.slice(-1)).flatMap((operator) =>
      listValues(name, compared[operator]!.type, ids).map((text) => `${name}: { ${operator}: ${text} }`),
    );
  });
}

function listOrderFields({ type }: GraphQLArgument): string[] {
  const order = getNamedType(type);
  const field = isInputObjectType(order) ? getNamedType(order.getFields()['field']?.type) : undefined;
  return isEnumType(field) ? field.getValues().map(({ name }) => name) : [];
}

const monthAgo = (): string => new Date(Date.now() - 30 * 86_400_000).toISOString();

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Everything of a type that needs no arguments, and of the objects that it refers to. */
function buildSelection(type: GraphQLNamedType, depth: number): string {
  if (!isObjectType(type)) return '';
  const fields = Object.values(type.getFields()).flatMap((field) => {
    if (field.args.some(isRequiredArgument)) return [];
    const inner = getNamedType(field.type);
    if (isLeafType(inner)) return field.name;
    return depth > 0 && isObjectType(inner) && !inner.name.endsWith('Connection')
      ? `${field.name} ${buildSelection(inner, depth - 1)}`
      : [];
  });
  return `{ ${['__typename', ...fields].join(' ')} }`;
}

/** Values of an argument or a column, in GraphQL's syntax. */
function listValues(name: string, type: GraphQLInputType, ids: Map<string, string>): string[] {
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues().map((value) => value.name);
  switch (named.name) {
    case 'Boolean':
      return ['true', 'false'];
    case 'UUID': {
      const key = name.replace(/Id$/, '');
      const resource = { supplier: 'customer', resource: 'invoice', event: 'invoice' }[key] ?? snakeCase(key);
      const id = ids.get(resource);
      return id === undefined ? [] : [`"${id}"`];
    }
    case 'Int':
      return ['2'];
    case 'Decimal':
      return ['"119"'];
    case 'Date':
      return [`"${monthAgo().slice(0, 10)}"`];
    case 'DateTime':
      return [`"${monthAgo()}"`];
    case 'Metadata':
      return ['{ order: "Layout" }'];
    default:
      return [`"${{ type: 'invoice.paid', event: 'invoice.paid', resource: 'invoice' }[name] ?? 'Layout'}"`];
  }
}
