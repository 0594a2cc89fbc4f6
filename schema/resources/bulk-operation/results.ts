import type { Context } from '../../graphql/context.ts';
import { decompressLines } from './read-chunks.ts';

/** Only lines that were refused have a message. The text of a message can't begin so: its quotes are escaped. */
const isRefused = (line: string): boolean => line.includes('"message":');

/** The results of a bulk operation as JSON Lines, a chunk at a time, in the order of the lines. */
export async function* readResults(
  context: Context,
  operationId: string,
  { onlyFailed, after = -1 }: { onlyFailed: boolean; after?: number },
): AsyncGenerator<Buffer> {
  for (let last = after; ;) {
    const where = { operationId, done: true, number: { gt: last }, ...(onlyFailed && { failedLines: { gt: 0 } }) };
    const [chunk] = await context.db.bulkChunk.findMany({ where, orderBy: { number: 'asc' }, take: 1 });
    if (!chunk) return;
    last = chunk.number;
    const text = await decompressLines(chunk.content);
    context.responseSize?.restart(); // a part is read only once the one before is sent
    context.responseSize?.write(text.length); // nobody may have memory for many that aren't read
    yield onlyFailed ? filterRefused(text) : text;
  }
}

function filterRefused(text: Buffer): Buffer {
  const lines = text.toString().split('\n').filter(isRefused);
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}
