import type { Db, Prisma } from '../../prisma/client.ts';

// A row that was just read or written need not be read again to answer a mutation or to render an event's payload.

export type DelegateName = Extract<keyof Db, Uncapitalize<Prisma.ModelName>>;

/** All columns of a row, and those of its relations that are loaded, in the order in which its type lists them. */
export type PrefetchedRow = { id: string };

/** The part of a Prisma query that selects fields. */
interface Selection {
  include?: object;
  select?: object;
}

/** Whether a row has all the relations that a query selects, without a filter or a limit on them. */
function hasAllSelected(row: object, { select, include }: Selection): boolean {
  return Object.entries({ ...select, ...include }).every(([name, asked]: [string, unknown]) => {
    const value = (row as Record<string, unknown>)[name];
    if (asked === true) return value !== undefined;
    const { orderBy: _, ...inner } = asked as Selection & { orderBy?: unknown };
    const isWhole = Object.keys(inner).every((part) => part === 'select' || part === 'include');
    if (!isWhole || value === undefined) return false;
    return [value].flat().every((each) => each === null || hasAllSelected(each as object, inner));
  });
}

/** A client whose findUnique() returns `row` from memory where the row has all that is selected. Valid until it changes. */
export function withPrefetchedRow(db: Db, model: DelegateName, row: PrefetchedRow): Db {
  const delegate = db[model] as { findUnique(args: object): Promise<unknown> };
  const findUnique = (args: Selection & { where: { tenantId_id?: { id: string } } }): Promise<unknown> =>
    args.where.tenantId_id?.id === row.id && hasAllSelected(row, args)
      ? Promise.resolve(row)
      : delegate.findUnique(args);
  const answering = new Proxy(delegate, {
    get: (target, name) => (name === 'findUnique' ? findUnique : Reflect.get(target, name)),
  });
  return new Proxy(db, { get: (target, name) => (name === model ? answering : Reflect.get(target, name)) });
}
