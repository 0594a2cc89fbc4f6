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
  type GraphQLInputField,
  type GraphQLNamedType,
} from 'graphql';
import { resources } from '../../../schema/resources.ts';
import { getTable } from '../../../prisma/tables.ts';
import type { Installation, Tenant } from './installation.ts';
import type { KontorProcess } from './processes.ts';
import { figure, type ReportRow } from './report.ts';

/** Arguments that choose a page, not rows. */
const pagingArguments = new Set(['first', 'last', 'after', 'before', 'offset', 'direction', 'orderBy']);

/** For the largest tenant and a small one, reads each list of the API by each filter, in each order, from both ends; the other reads; and each resource by its id. */
export async function readEverything({ pool, tenants }: Installation, { url }: KontorProcess): Promise<ReportRow> {
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
  for (const tenant of [tenants.at(0)!, tenants.at(-1)!]) {
    const ids = await someIds(pool, tenant);
    for (const query of documents(ids)) await send('/graphql', tenant, { query });
    for (const { name, path } of resources) {
      const id = ids.get(name);
      if (id !== undefined) await send(`/api/v1/${path}/${id}`, tenant);
    }
    await send('/api/v1/changes', tenant);
  }
  return {
    work: 'each list by each filter, in each order, from both ends',
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
  const lists = fields.filter(({ type }) => getNamedType(type).name.endsWith('Connection'));
  return [
    ...fields
      .filter(({ type, args }) => isObjectType(getNullableType(type)) && args.every(({ name }) => name === 'id'))
      .flatMap((field) => {
        const id = ids.get(snakeCase(field.name));
        if (field.args.length > 0 && id === undefined) return [];
        const selected = buildSelection(getNamedType(field.type), 1);
        return `{ ${field.name}${field.args.length > 0 ? `(id: "${id}")` : ''} ${selected} }`;
      }),
    ...lists.flatMap(({ name, args }) => {
      const orders = args
        .filter(({ name: argument }) => argument === 'orderBy')
        .flatMap((order) => listValues(order, ids));
      const filters = args
        .filter(({ name: argument }) => !pagingArguments.has(argument))
        .flatMap((filter) => listValues(filter, ids));
      return ['first: 25', 'last: 25'].flatMap((page) =>
        ['', ...orders].flatMap((order) =>
          ['', ...filters].map(
            (filter) => `{ ${name}(${[page, order, filter].filter(Boolean).join(', ')}) { totalCount nodes { id } } }`,
          ),
        ),
      );
    }),
  ];
}

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

/** The values that an argument can have, in GraphQL's syntax. */
function listValues({ name, type }: GraphQLArgument | GraphQLInputField, ids: Map<string, string>): string[] {
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues().map((value) => `${name}: ${value.name}`);
  if (isInputObjectType(named)) {
    // The order of a list: a field, and a direction.
    const [fields = [], directions = []] = ['field', 'direction'].map((part) =>
      listValues(named.getFields()[part]!, ids),
    );
    return fields.map((field) => `${name}: { ${field}, ${directions[0]} }`);
  }
  switch (named.name) {
    case 'Boolean':
      return [`${name}: true`, `${name}: false`];
    case 'UUID': {
      const key = name.replace(/Id$/, '');
      const id = ids.get(key === 'supplier' ? 'customer' : key === 'resource' || key === 'event' ? 'invoice' : key);
      return id === undefined ? [] : [`${name}: "${id}"`];
    }
    case 'Decimal':
      return [`${name}: "119"`];
    case 'Date':
    case 'DateTime': {
      const time = new Date(Date.now() - 30 * 86_400_000).toISOString();
      return [`${name}: "${named.name === 'Date' ? time.slice(0, 10) : time}"`];
    }
    default:
      return [`${name}: "${{ type: 'invoice.paid', event: 'invoice.paid' }[name] ?? 'Layout'}"`];
  }
}
