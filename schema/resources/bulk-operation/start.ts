import { createReadStream } from 'node:fs';
import type { BulkAction, BulkResource } from '../../../prisma/generated/client/client.ts';
import { TooManyUnfinishedError } from '../../errors/errors.ts';
import { key, type Context } from '../../graphql/context.ts';
import { compressLines, readChunks } from './read-chunks.ts';

/** At most so many of a tenant's bulk operations are pending or running. */
export const maxUnfinished = 10;

/** Seconds after which a client should try again. A retry with an Idempotency-Key is no replay: the refusal isn't stored. */
const retryAfter = 30;

/** A body of the most bytes takes seconds. */
const limits = { timeout: 5 * 60 * 1000 };

/**
 * Stores a bulk operation and its lines, in one transaction. A trigger adds its job.
 * @param path the file that has the lines
 * @returns its id
 * @throws ValidationError; TooManyUnfinishedError
 */
export function startOperation(
  context: Context,
  { resource, action }: { resource: BulkResource; action: BulkAction },
  path: string,
): Promise<string> {
  return context.transaction(async (inside) => {
    const id = await insertIntoSlot(inside, { resource, action });
    let [number, lines] = [0, 0];
    for await (const chunk of readChunks(createReadStream(path))) {
      const content = await compressLines(chunk.text);
      const row = inside.db.row('BulkChunk', { operationId: id, number, firstLine: chunk.firstLine, content });
      await inside.db.insert({ BulkChunk: [row] });
      number += 1;
      lines += chunk.lines;
    }
    await inside.db.bulkOperation.update({ where: key(inside, id), data: { lines } });
    return id;
  }, limits);
}

/** Takes a free slot. One that another transaction is taking isn't waited for: that may have a long body. */
async function insertIntoSlot(inside: Context, kind: { resource: BulkResource; action: BulkAction }): Promise<string> {
  const { user, token } = inside;
  for (let slot = 1; slot <= maxUnfinished; slot += 1) {
    if (!(await inside.db.tryAdvisoryLock(`bulk operation ${slot}`))) continue;
    const data = { ...kind, slot, lines: 0, userId: user.id, tokenId: token?.id ?? null };
    const [made] = await inside.db.bulkOperation.createManyAndReturn({ data, skipDuplicates: true });
    if (made) return made.id;
  }
  throw new TooManyUnfinishedError('bulk operations', maxUnfinished, retryAfter);
}
