import type { Prisma, Row, RowLock } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import { found, Problems, VersionConflictError } from '../errors.ts';

// A rule that reads a stored row is checked while the row is locked, so that it still holds when the change is committed.
// Of two concurrent changes, the later one is checked against the values that the earlier one wrote
// (DECISIONS.md#d71-locked-rows).

/** Arguments of a mutation that changes one row. */
export interface RowArguments {
  id: string;
  /** The version that the caller has read. Default: any. */
  expectedVersion?: number | null | undefined;
}

/**
 * Runs a change of one row in a transaction that holds the row's lock.
 * @param work gets the context of the transaction, and the row as it stands under the lock
 * @param lock `update` for a deletion, or where the change affects rules of rows that refer to this one
 * @throws NotFoundError if the tenant has no such row
 */
export const withLockedRow = <Of extends Prisma.ModelName, Result>(
  context: Context,
  model: Of,
  id: string,
  work: (inside: Context, row: Row<Of>) => Promise<Result>,
  lock: RowLock = 'no key update',
): Promise<Result> => context.transaction(async (inside) => work(inside, await found(inside.db.lock(model, id, lock))));

/**
 * Refuses a change by a caller who has read another version of the row. The row is locked, so that of several changes that
 * expect one version, one is made.
 * @throws VersionConflictError
 */
export function requireVersion(row: { id: string; version: number }, expected: number | null | undefined): void {
  if (expected != null && row.version !== expected) throw new VersionConflictError({}, row.id);
}

/**
 * Checks rules inside a transaction, against rows that are locked.
 * @throws ValidationError naming all faults at once
 */
export async function enforce(rules: (problems: Problems) => void | Promise<void>): Promise<void> {
  const problems = new Problems();
  await rules(problems);
  if (problems.any) await problems.runDeferred();
  problems.throwIfAny();
}
