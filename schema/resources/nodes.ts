import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { batchPerRequest } from '../../prisma/batching.ts';
import type { Prisma } from '../../prisma/client.ts';
import { resources, type Resource } from '../resource-list.ts';
import { getTable } from '../../prisma/tables.ts';
import type { Ability } from '../graphql/ability.ts';
import { builder } from '../graphql/builder.ts';
import type { Context } from '../graphql/context.ts';
import { readableEvents } from '../events/access.ts';
import { count } from '../graphql/input/validators.ts';
import { Anchor } from './anchor/type.ts';
import { readableEntries } from './audit-log/readable.ts';
import { AuditEntry } from './audit-log/type.ts';
import { BankStatement } from './bank-statement/type.ts';
import { BulkOperation } from './bulk-operation/type.ts';
import { Company } from './company/type.ts';
import { CreditNoteItem } from './credit-note/type.ts';
import { Delivery } from './delivery/type.ts';
import { Event } from './event/type.ts';
import { Export } from './export/type.ts';
import { InvoiceItem } from './invoice/type.ts';
import { resourceTypes } from './types.ts';
import { Webhook } from './webhook/type.ts';
import { isUuid } from '../graphql/scalars/scalars.ts';
import { Node, withType, type NodeRow } from '../graphql/node.ts';

/** At most this many ids in one `nodes`. */
export const maxNodes = 100;

/** The types with the interface Node. */
const types = {
  ...resourceTypes,
  InvoiceItem,
  CreditNoteItem,
  Company,
  Webhook,
  Delivery,
  Event,
  BulkOperation,
  Export,
  AuditEntry,
  Anchor,
  BankStatement,
} satisfies Partial<Record<Prisma.ModelName, unknown>>;

type NodeType = keyof typeof types;
const nodeTypes = Object.keys(types) as NodeType[];

/** The rows of a type that the caller may read, as a condition of Prisma; null for none of them. */
type Readable = (context: Context) => object | null;

const needs =
  (ability: Ability, where: Readable = () => ({})): Readable =>
  (context) =>
    context.may(ability) ? where(context) : null;

/** As the types' own queries have it. */
const readable: Record<NodeType, Readable> = {
  ...(Object.fromEntries(resources.map(({ model, scope }) => [model, needs(`${scope}:read`)])) as Record<
    Resource['model'],
    Readable
  >),
  InvoiceItem: needs('invoices:read'),
  CreditNoteItem: needs('invoices:read'),
  Payment: (context) => {
    const [ofInvoices, ofReceipts] = [context.may('invoices:read'), context.may('receipts:read')];
    if (!ofInvoices && !ofReceipts) return null;
    return { ...(!ofInvoices && { invoiceId: null, creditNoteId: null }), ...(!ofReceipts && { receiptId: null }) };
  },
  Company: needs('company:read'),
  Webhook: needs('webhooks:read', () => ({ deletedAt: null })),
  Delivery: needs('webhooks:read', (context) => ({ event: readableEvents(context) })),
  Event: needs('webhooks:read', (context) => readableEvents(context) ?? {}),
  BulkOperation: needs('bulk-operations:read'),
  Export: needs('exports:read'),
  AuditEntry: needs('audit:read', readableEntries),
  Anchor: needs('audit:read'),
  BankStatement: needs('bank-transactions:read'),
};

const nodeId = (type: string, id: string): string => `${type}:${id}`;

for (const type of Object.values(types)) {
  builder.objectField(type, 'nodeId', (t) =>
    t.id({
      description:
        'The id with its type, which `node` and `nodes` find faster than `id`. Opaque: clients take no part of it.',
      resolve: ({ id }, _args, _context, { parentType }) => nodeId(parentType.name, id),
    }),
  );
}

/** The type of each id, by the primary keys: one statement. */
const typesOfIds = batchPerRequest(async (ids, context: Context) => {
  const selects = nodeTypes.map(
    (type) =>
      `select '${type}' as type, id from ${getTable(type).table} where tenant_id = $1 and id = any ($2::uuid[])`,
  );
  const rows = await context.db.$rows<{ type: NodeType; id: string }>(selects.join(' union all '), [ids]);
  return new Map<string, NodeType | undefined>(rows.map(({ type, id }) => [id, type]));
}, undefined);

const typesByName = new Map(nodeTypes.map((type) => [type.toLowerCase(), type]));

/** An id and its type, if a row may have it. */
async function identify(text: string, context: Context): Promise<{ type: NodeType; id: string } | undefined> {
  const [, named, id] = /^(?:(\w+):)?([^:]+)$/.exec(text.toLowerCase()) ?? [];
  if (!isUuid(id)) return undefined;
  const type = named === undefined ? await typesOfIds(id, context) : typesByName.get(named);
  return type && { type, id };
}

/**
 * The rows with these ids, in their order: one statement for each type, and one for ids without a type.
 * @returns null for an id of no row, of another tenant's, and of one that the caller may not read
 */
async function findNodes(
  ids: readonly string[],
  context: Context,
  info: GraphQLResolveInfo,
): Promise<(NodeRow | null)[]> {
  const identified = await Promise.all(ids.map((id) => identify(id, context)));
  const byType = Map.groupBy(
    identified.filter((each) => each !== undefined),
    ({ type }) => type,
  );
  const rows = await Promise.all(
    byType.entries().map(async ([type, wanted]): Promise<[string, NodeRow][]> => {
      const where = readable[type](context);
      if (!where) return [];
      const query = queryFromInfo({ context, info, typeName: type });
      const ofType: NodeRow[] = await context.db.model(type).findMany({
        ...query,
        where: { ...where, id: { in: [...new Set(wanted.map(({ id }) => id))] } },
      });
      return ofType.map((row) => [nodeId(type, row.id), withType(row, type)]);
    }),
  );
  const found = new Map(rows.flat());
  return identified.map((each) => (each && found.get(nodeId(each.type, each.id))) ?? null);
}

const missing = 'null for an id of nothing, of another tenant, or of what the token may not read';

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: `An object by its id; ${missing}.`,
    args: { id: t.arg.id({ required: true, description: 'An `id` or `nodeId`.' }) },
    resolve: async (_root, { id }, context, info) => (await findNodes([id], context, info))[0] ?? null,
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description: `Objects by their ids, in the same order; ${missing}.`,
    args: {
      ids: t.arg.idList({
        required: true,
        description: 'Each an `id` or `nodeId`.',
        validate: count(0, maxNodes, 'ids'),
      }),
    },
    resolve: (_root, { ids }, context, info) => findNodes(ids, context, info),
  }),
}));
