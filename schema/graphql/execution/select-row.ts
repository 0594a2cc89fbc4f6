import { queryFromInfo } from '@pothos/plugin-prisma';
import { getNamedType, Kind, type GraphQLResolveInfo } from 'graphql';
import type { ModelWith } from '../../../prisma/client.ts';
import { eventResources, readAbilities } from '../../resource-list.ts';
import type { Ability } from '../ability.ts';
import type { Context } from '../context.ts';
import { findById } from '../find-by-id.ts';
import { compileOperation, graphqlFormat, startExecution } from './compile-selection.ts';

const abilities = new Map<string, Ability[]>([
  ...eventResources.map((resource) => [resource.model, readAbilities(resource)] as const),
  ['Company', ['company:read']],
  ['Webhook', ['webhooks:read']],
]);

/** Whether the caller may read rows of the model that a field returns. Nobody may read a webhook's secret again. */
export function mayReadRow({ may }: Context, { returnType }: GraphQLResolveInfo): boolean {
  return abilities.get(getNamedType(returnType).name)?.every(may) ?? false;
}

/**
 * Renders the row's current state with a field's selection, for errors that show the row.
 * @param info of a field that returns rows of a model
 * @returns the fields as GraphQL answers them; id and version alone where the selection has directives
 * @throws NotFoundError; ForbiddenError where the caller may not read a part of the selection
 */
export async function selectRow(context: Context, id: string, info: GraphQLResolveInfo): Promise<object> {
  const model = getNamedType(info.returnType).name as ModelWith<{ id: string; version: number }>;
  const { write } = compileField(info) ?? {};
  if (!write) {
    const { version } = await findById(context, model, id);
    return { id, version };
  }
  const row = await findById(context, model, id, queryFromInfo({ context, info }));
  return JSON.parse(await write(row, startExecution(context, info.variableValues))) as object;
}

function compileField({ schema, fragments, operation, fieldNodes }: GraphQLResolveInfo) {
  const selectionSet = { kind: Kind.SELECTION_SET, selections: fieldNodes } as const;
  const document = { kind: Kind.DOCUMENT, definitions: Object.values(fragments) } as const;
  try {
    const { fields } = compileOperation(schema, document, { ...operation, selectionSet }, graphqlFormat);
    return [...fields.values()][0];
  } catch {
    return undefined; // a selection that isn't supported
  }
}
