import type { Row } from '../../../prisma/client.ts';
import { emit } from '../../events/events.ts';
import { key, type Context } from '../../graphql/context.ts';

export type BulkOperationRow = Row<'BulkOperation'>;

export const hasEnded = ({ finishedAt }: BulkOperationRow): boolean => finishedAt !== null;

/** How an operation ends. Its lines that are not done are deleted. Under its lock. */
export async function finish(
  inside: Context,
  { id }: Pick<BulkOperationRow, 'id'>,
  end: { status: 'COMPLETED' | 'CANCELLED' } | { status: 'FAILED'; error: string },
): Promise<void> {
  await inside.db.bulkChunk.deleteMany({ where: { operationId: id, done: false } });
  const data = { ...end, slot: null, finishedAt: inside.now() };
  await inside.db.bulkOperation.update({ where: key(inside, id), data });
  await emit(inside, 'bulk_operation.finished', id);
}
