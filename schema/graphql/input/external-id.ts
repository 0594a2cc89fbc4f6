import { getNamedType, type GraphQLOutputType } from 'graphql';
import { isTaken, type ModelWith } from '../../../prisma/client.ts';
import { tables } from '../../../prisma/tables.ts';
import { ValidationError, type Problem, type Problems } from '../../errors/errors.ts';
import type { Context } from '../context.ts';
import { storable } from './validators.ts';

type Identified = Exclude<ModelWith<{ externalId: string | null }>, 'BankTransaction'>;

const path = 'input.externalId';
const taken: Problem = ['taken', 'Another one has this external id.'];

/**
 * Checks that no other row of the resource has this external id. The unique index enforces it, so the check is deferred.
 * @param id the row's own id, if it has one yet
 * @param at where the external id is given, if not in the input
 */
export function requireNewExternalId(
  { db }: Context,
  problems: Problems,
  model: Identified,
  externalId: string,
  { id, at = path }: { id?: string; at?: string } = {},
): void {
  problems.defer(async () => {
    const where = { externalId, ...(id !== undefined && { id: { not: id } }) };
    if ((await db.model(model).count({ where })) > 0) problems.add(at, ...taken);
  });
}

/** The resources with an external id. A preview takes the same input, and answers something else. */
const identified: ReadonlySet<string> = new Set(
  [...tables].filter(([, { fields }]) => fields.has('externalId')).map(([model]) => model),
);

/**
 * Checks the external id of a creation. Called where it is refused, so that all its problems are reported at once.
 * @param type what the mutation answers
 */
export function checkNewExternalId(type: GraphQLOutputType, args: object, context: Context, problems: Problems): void {
  const { input } = args as { input?: { externalId?: string | null } };
  const { name } = getNamedType(type);
  if ('id' in args || input?.externalId == null || !identified.has(name)) return;
  requireNewExternalId(context, problems, name as Identified, input.externalId);
}

/** The id of the resource's row that has this external id. PostgreSQL fails on a text that can't be stored, so no row has it. */
export async function findByExternalId(
  { db }: Pick<Context, 'db'>,
  model: Identified,
  externalId: string,
): Promise<string | undefined> {
  if (!storable(externalId)) return undefined;
  const [row] = await db.model(model).findMany({ where: { externalId }, take: 1 });
  return row?.id;
}

/** The path of the first external id in the arguments of a mutation. Metadata can have such a key. */
function findPath(args: object): string | undefined {
  for (const [name, value] of Object.entries(args) as [string, unknown][]) {
    if (name === 'externalId' && value != null) return name;
    const below = typeof value === 'object' && value !== null && name !== 'metadata' ? findPath(value) : undefined;
    if (below !== undefined) return `${name}.${below}`;
  }
  return undefined;
}

/**
 * The client's error for a write that the unique index of external ids refused, although no row has the id any more.
 * @returns undefined for any other error
 */
export const externalIdError = (error: unknown, args: object): ValidationError | undefined =>
  isTaken(error, 'external_id') ? new ValidationError({ [findPath(args) ?? path]: [taken] }) : undefined;
