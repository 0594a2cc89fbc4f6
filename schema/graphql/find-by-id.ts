import type { Prisma, Row } from '../../prisma/client.ts';
import { key, type Context } from './context.ts';
import { NotFoundError } from '../errors.ts';

/** All columns of a row, and those of its relations that are loaded, in the order in which its type lists them. */
export type PrefetchedRow = { id: string };

/** The part of a Prisma query that selects fields. */
interface Selection {
  include?: object;
  select?: object;
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
  return Object.entries({ ...select, ...include }).every(([name, selected]: [string, unknown]) => {
    const value = (row as Record<string, unknown>)[name];
    if (selected === true) return value !== undefined;
    const { orderBy: _, ...inner } = selected as Selection & { orderBy?: unknown };
    const isWhole = Object.keys(inner).every((part) => part === 'select' || part === 'include');
    if (!isWhole || value === undefined) return false;
    return [value].flat().every((each) => each === null || hasAllSelected(each as object, inner));
  });
}
