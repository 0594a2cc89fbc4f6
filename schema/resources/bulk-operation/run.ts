import { key, type Context } from '../../graphql/context.ts';
import { compressLines, decompressLines, splitLines, type InputLine } from './read-chunks.ts';
import { finish, hasEnded, type BulkOperationRow } from './transitions.ts';

/** The answer to a line: JSON text without the line's number, and whether the line was refused. */
export interface LineResult {
  json: string;
  isRefused: boolean;
}

/** Does lines in a transaction, in their order. Each that is refused leaves nothing. */
export type RunLines = (
  operation: BulkOperationRow,
  lines: readonly InputLine[],
  inside: Context,
) => Promise<LineResult[]>;

/** The lines of a chunk may be invoices of many items each. */
const limits = { timeout: 2 * 60 * 1000, savepoints: true } as const;

/** The tenant's bulk operation whose turn it is: the oldest that has not ended. */
export const findNext = (context: Context): Promise<BulkOperationRow | null> =>
  context.db.bulkOperation.findFirst({ where: { finishedAt: null }, orderBy: { id: 'asc' } });

/**
 * Does the next chunk: its writes, events, and results are committed together with the operation's counts, or not at all. So
 * each line is done once, whatever is killed.
 * @returns whether the operation goes on
 */
export function runNextChunk(context: Context, id: string, run: RunLines): Promise<boolean> {
  return context.transaction(async (inside) => {
    const operation = await inside.db.lock('BulkOperation', id, 'no key update');
    if (!operation || hasEnded(operation)) return false;
    const next = { where: { operationId: id, done: false }, orderBy: { number: 'asc' }, take: 1 } as const;
    const [chunk] = await inside.db.bulkChunk.findMany(next);
    if (chunk) {
      const lines = splitLines(chunk.firstLine, await decompressLines(chunk.content));
      const results = await run(operation, lines, inside);
      const failedLines = results.filter(({ isRefused }) => isRefused).length;
      const text = results.map(({ json }, at) => `{"line":${lines[at]?.number},${json.slice(1)}\n`).join('');
      await inside.db.bulkChunk.update({
        where: { tenantId_operationId_number: { tenantId: context.tenant.id, operationId: id, number: chunk.number } },
        data: { content: await compressLines(Buffer.from(text)), done: true, failedLines },
      });
      const processedLines = operation.processedLines + lines.length;
      await inside.db.bulkOperation.update({
        where: key(inside, id),
        data: {
          status: 'RUNNING',
          startedAt: operation.startedAt ?? context.now(),
          processedLines,
          failedLines: operation.failedLines + failedLines,
          succeededLines: operation.succeededLines + lines.length - failedLines,
        },
      });
      if (processedLines < operation.lines) return true;
    }
    await finish(inside, operation, { status: 'COMPLETED' });
    return false;
  }, limits);
}

/** Ends an operation that can't go on. @param error why, as a sentence */
export async function failOperation(context: Context, id: string, error: string): Promise<void> {
  await context.transaction(async (inside) => {
    const operation = await inside.db.lock('BulkOperation', id, 'no key update');
    if (operation && !hasEnded(operation)) await finish(inside, operation, { status: 'FAILED', error });
  });
}
