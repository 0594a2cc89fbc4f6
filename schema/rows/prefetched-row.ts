import type { Db, Prisma } from '../../prisma/client.ts';

// What was just read or written need not be read again: to be answered, or told of by an event.

export type Model = Extract<keyof Db, Uncapitalize<Prisma.ModelName>>;

/** All columns of a row, and such relations as are known too, in the order in which its type lists them. */
export type Known = { id: string };

/** What Prisma is asked for, as far as it says what of a row. */
interface Query {
  include?: object;
  select?: object;
}

/** Whether a row has all the relations that a query asks, whole. */
function holds(row: object, { select, include }: Query): boolean {
  return Object.entries({ ...select, ...include }).every(([name, asked]: [string, unknown]) => {
    const value = (row as Record<string, unknown>)[name];
    if (asked === true) return value !== undefined;
    const { orderBy: _, ...inner } = asked as Query & { orderBy?: unknown };
    const isWhole = Object.keys(inner).every((part) => part === 'select' || part === 'include');
    if (!isWhole || value === undefined) return false;
    return [value].flat().every((each) => each === null || holds(each as object, inner));
  });
}

/** A client that answers for `row` from memory what it can. Only good until the row changes. */
export function knowing(db: Db, model: Model, row: Known): Db {
  const delegate = db[model] as { findUnique(args: object): Promise<unknown> };
  const findUnique = (args: Query & { where: { tenantId_id?: { id: string } } }): Promise<unknown> =>
    args.where.tenantId_id?.id === row.id && holds(row, args) ? Promise.resolve(row) : delegate.findUnique(args);
  const answering = new Proxy(delegate, {
    get: (target, name) => (name === 'findUnique' ? findUnique : Reflect.get(target, name)),
  });
  return new Proxy(db, { get: (target, name) => (name === model ? answering : Reflect.get(target, name)) });
}
