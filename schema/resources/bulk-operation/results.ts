import { refuse } from '../../errors/errors.ts';
import type { Context } from '../../graphql/context.ts';
import type { Connection } from '../../graphql/paging/page.ts';
import { defaultPageSize } from '../../graphql/paging/page-sizes.ts';
import type { ProblemDetail } from '../../errors/problem-codes.ts';
import { decompressLines } from './read-chunks.ts';
import type { BulkOperationRow } from './transitions.ts';

/** The answer to one line. */
export interface BulkResult {
  line: number;
  status: number;
  id?: string;
  message?: string;
  details?: ProblemDetail[];
}

/** Only lines that were refused have a message. The text of a message can't begin so: its quotes are escaped. */
const isRefused = (line: string): boolean => line.includes('"message":');

/** The chunks that are done, one at a time, in the order of the lines. @param from the number of the first one */
async function* readDone(
  context: Context,
  operationId: string,
  { onlyFailed, from }: { onlyFailed: boolean; from: number },
): AsyncGenerator<{ number: number; text: Buffer }> {
  for (let next = from; ;) {
    const where = { operationId, done: true, number: { gte: next }, ...(onlyFailed && { failedLines: { gt: 0 } }) };
    const [chunk] = await context.db.bulkChunk.findMany({ where, orderBy: { number: 'asc' }, take: 1 });
    if (!chunk) return;
    next = chunk.number + 1;
    yield { number: chunk.number, text: await decompressLines(chunk.content) };
  }
}

/** The results of a bulk operation as JSON Lines, a chunk at a time, in the order of the lines. */
export async function* readResults(
  context: Context,
  operationId: string,
  { onlyFailed }: { onlyFailed: boolean },
): AsyncGenerator<Buffer> {
  for await (const { text } of readDone(context, operationId, { onlyFailed, from: 0 })) {
    context.responseSize?.restart(); // a part is read only once the one before is sent
    context.responseSize?.write(text.length); // nobody may have memory for many that aren't read
    yield onlyFailed ? filterRefused(text) : text;
  }
}

function filterRefused(text: Buffer): Buffer {
  const lines = text.toString().split('\n').filter(isRefused);
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}

export interface ResultArgs {
  failed?: boolean | null;
  first?: number | null;
  after?: string | null;
}

/** One page of the results of a bulk operation. */
export async function readResultPage(
  context: Context,
  { id, processedLines, failedLines }: Pick<BulkOperationRow, 'id' | 'processedLines' | 'failedLines'>,
  { failed, first, after }: ResultArgs,
): Promise<Connection<BulkResult>> {
  const onlyFailed = failed === true;
  const size = first ?? defaultPageSize;
  const position =
    after == null ? { chunk: 0, line: 0 } : (decodeCursor(after) ?? refuse('after', 'invalid_cursor', notOurs));
  const edges: Connection<BulkResult>['edges'] = [];
  chunks: for await (const { number, text } of readDone(context, id, { onlyFailed, from: position.chunk })) {
    for (const json of text.toString().split('\n')) {
      if (json === '' || (onlyFailed && !isRefused(json))) continue;
      const node = JSON.parse(json) as BulkResult;
      // Only of its own chunk: a made-up cursor would have every chunk read for nothing.
      if (number === position.chunk && node.line <= position.line) continue;
      context.responseSize?.read(json.length);
      edges.push({ cursor: encodeCursor({ chunk: number, line: node.line }), node });
      if (edges.length > size) break chunks;
    }
  }
  const shown = edges.slice(0, size);
  return {
    edges: shown,
    pageInfo: {
      startCursor: shown[0]?.cursor ?? null,
      endCursor: shown.at(-1)?.cursor ?? null,
      hasNextPage: edges.length > size,
      hasPreviousPage: after != null,
    },
    totalCount: async () => (onlyFailed ? failedLines : processedLines),
  };
}

const notOurs = 'Must be a cursor of this list.';

/** A position right after a line, which is in this chunk. */
interface Position {
  chunk: number;
  line: number;
}

const encodeCursor = ({ chunk, line }: Position): string => Buffer.from(`${chunk} ${line}`).toString('base64url');

function decodeCursor(cursor: string): Position | undefined {
  const [, chunk, line] = /^(\d{1,7}) (\d{1,7})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return chunk === undefined ? undefined : { chunk: Number(chunk), line: Number(line) };
}
