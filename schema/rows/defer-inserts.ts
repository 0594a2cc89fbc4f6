import type { DeferredInserts } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';

/**
 * A context of the same transaction that collects what is inserted, for many mutations of which most only insert. Their
 * transactions join it: a mutation that fails after it has written something else must be rolled back with the others.
 */
export function deferInserts(inside: Context): { context: Context; inserts: DeferredInserts } {
  // The log has events in the order of their ids, whenever they are written.
  const { db, inserts } = inside.db.deferInserts(['Event']);
  const context: Context = {
    ...inside,
    db,
    transaction: (work) => work(context),
    insert: (rows) => db.insert(rows),
  };
  return { context, inserts };
}
