import type { Prisma } from '../../prisma/client.ts';
import { builder } from './builder.ts';

// Object identification as Relay has it: https://relay.dev/graphql/objectidentification.htm

/** A row of a type with the interface Node. */
export interface NodeRow {
  id: string;
}

/** The types of rows whose type the schema doesn't know: those of an interface or a union. */
const rowTypes = new WeakMap<object, Prisma.ModelName>();

/** Notes the type of a row that a field of an interface or a union returns. */
export function withType<Row extends object>(row: Row, type: Prisma.ModelName): Row {
  rowTypes.set(row, type);
  return row;
}

export const typeOfRow = (row: object): Prisma.ModelName | undefined => rowTypes.get(row);

export const Node = builder.interfaceRef<NodeRow>('Node').implement({
  description: 'An object with an id of its own. `node` finds it.',
  resolveType: typeOfRow,
  fields: (t) => ({ id: t.exposeID('id') }),
});

/**
 * Clients' caches identify an object by `id`. An object that has no id of its own, and names a resource by `id`, offers
 * the same as `resourceId`.
 */
export const resourceIdDescription = (what: string): string =>
  `${what}, as \`id\`. For clients whose cache takes \`id\` for the object's own.`;
