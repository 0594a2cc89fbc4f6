import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { ConcurrencyLimiter } from '../../graphql/execution/concurrency-limiter.ts';
import type { ThreadInput, ThreadMessage } from './parser-thread.ts';
import { writeRows } from './rows.ts';
import type { StatementOptions } from './statement.ts';
import { StatementError } from './transaction.ts';

/** The largest statement that is parsed on the event loop, in bytes: this takes less time than starting a thread. */
const smallFile = 64 * 1024;
/** How many parser threads this process runs at a time, for all tenants. Each takes a processor core and some memory. */
const readers = new ConcurrencyLimiter(2);
/** The memory limit of a thread. A real statement of 64 MiB needs a fourth of it. */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };
/** The time limit of a thread, in milliseconds. */
const mayTakeMs = 5 * 60 * 1000;

/**
 * Parses a statement of any size without blocking the event loop or filling the memory: see rows.ts for its output.
 * @param statement the path of a complete file
 * @param rows the path of the file to write
 * @param signal ends the parsing
 * @returns the warnings
 * @throws StatementError saying where the statement can't be read, and why
 */
export async function readStatementFile(
  statement: string,
  rows: string,
  options: Omit<StatementOptions, 'warn'>,
  signal?: AbortSignal,
): Promise<string[]> {
  const { size } = await stat(statement);
  if (size > smallFile) return readers.run(() => readInThread(statement, rows, options, signal));
  const warnings: string[] = [];
  await writeRows(statement, rows, { ...options, warn: (warning) => warnings.push(warning) });
  return warnings;
}

async function readInThread(
  statement: string,
  rows: string,
  { report, ...options }: Omit<StatementOptions, 'warn'>,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  signal?.throwIfAborted();
  const workerData: ThreadInput = { statement, rows, options };
  const thread = new Worker(new URL('parser-thread.ts', import.meta.url), { workerData, resourceLimits, execArgv: [] });
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  const warnings: string[] = [];
  const giveUp = (reason: unknown): void => {
    reject(reason as Error);
    void thread.terminate();
  };
  const timer = setTimeout(() => giveUp(new StatementError(null, 'takes too long to be read')), mayTakeMs);
  const onAbort = (): void => giveUp(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  thread.on('message', (message: ThreadMessage) => {
    if ('bytes' in message) report?.(message.bytes);
    else if ('warning' in message) warnings.push(message.warning);
    else reject(new StatementError(message.refused.where, message.refused.reason));
  });
  thread.on('error', (error: NodeJS.ErrnoException) => {
    const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    reject(isTooLarge ? new StatementError(null, 'needs more memory to be read than a statement does') : error);
  });
  // All messages of the thread have arrived by now.
  thread.on('exit', () => resolve(warnings));
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  });
}
