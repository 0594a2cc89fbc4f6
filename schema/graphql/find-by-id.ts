import type { Prisma, Row } from '../../prisma/client.ts';
import { key, type Context } from './context.ts';
import { NotFoundError } from '../errors/errors.ts';

/** All columns of a row, and those of its relations that are loaded, in the order in which its type lists them. */
export type PrefetchedRow = { id: string };

/** The part of a Prisma query that selects fields. */
interface Selection {
  include?: object | undefined;
  select?: object | undefined;
}

/**
 * One of the tenant's rows, with the fields that `query` selects. A row that was just read or written is not read again if
 * it has all of these fields: to answer a mutation, or to render an event's payload.
 * @param row its id, or the row itself as it stands in `context`'s transaction
 * @throws NotFoundError if the tenant has no such row
 */
export async function findById<Name extends Prisma.ModelName>(
  context: Pick<Context, 'db' | 'tenant'>,
  model: Name,
  row: string | PrefetchedRow,
  query: Selection = {},
): Promise<Row<Name>> {
  if (typeof row !== 'string' && hasAllSelected(row, query)) return row as Row<Name>;
  const id = typeof row === 'string' ? row : row.id;
  const stored = await context.db.model(model).findUnique({ ...query, where: key(context, id) });
  if (stored === null) throw new NotFoundError();
  return stored;
}

/** One of the tenant's rows, with the fields that `query` selects; null if the tenant has no such row. */
export function findByIdIfAny<Name extends Prisma.ModelName>(
  context: Pick<Context, 'db' | 'tenant'>,
  model: Name,
  id: string,
  query: Selection = {},
): Promise<Row<Name> | null> {
  return context.db.model(model).findUnique({ ...query, where: key(context, id) });
}

/** Whether a row has all the relations that a query selects, without a filter or a limit on them. */
function hasAllSelected(row: object, { select, include }: Selection): boolean {
  for (const [name, selected] of Object.entries<unknown>({ ...select, ...include })) {
    const value = (row as Record<string, unknown>)[name];
    if (value === undefined) return false;
    if (selected === true) continue;
    const { orderBy: _, select: inner, include: joined, ...others } = selected as Selection & { orderBy?: unknown };
    if (Object.keys(others).length > 0) return false;
    for (const each of [value].flat())
      if (each !== null && !hasAllSelected(each as object, { select: inner, include: joined })) return false;
  }
  return true;
}
