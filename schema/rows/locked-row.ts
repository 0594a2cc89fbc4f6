import type { Row, RowLock } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import { found, Problems, VersionConflictError } from '../errors/errors.ts';

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
 * Refuses a change by a caller who has read another version of the row. The row is locked, so that of several changes that
 * expect one version, one is made.
 * @throws VersionConflictError
 */
export function requireVersion(row: { id: string; version: number }, expected: number | null | undefined): void {
  if (expected != null && row.version !== expected) throw new VersionConflictError({}, row.id);
}

/** Models whose rows are changed one at a time, with a version. */
export type Versioned = 'BankAccount' | 'Customer' | 'Invoice' | 'Payment' | 'Project' | 'Receipt' | 'TimeEntry';

/**
 * Locks the row of a change until the transaction ends, and reads it as it stands under the lock.
 * @param lock `update` for a deletion, or where the change affects rules of rows that refer to this one
 * @throws NotFoundError if the tenant has no such row; VersionConflictError
 */
export async function lockRow<Of extends Versioned>(
  inside: Context,
  model: Of,
  { id, expectedVersion }: RowArguments,
  lock: RowLock = 'no key update',
): Promise<Row<Of>> {
  const row = await found(inside.db.lock(model, id, lock));
  requireVersion(row, expectedVersion);
  return row;
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
