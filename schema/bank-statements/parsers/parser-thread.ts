import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { writeRows } from './rows.ts';
import type { StatementOptions } from './statement.ts';
import { StatementError } from './transaction.ts';

// Parses one statement in a separate thread, so that the event loop isn't blocked: see parse-file.ts.

/** The input of the thread. */
export interface ThreadInput {
  statement: string;
  rows: string;
  options: Pick<StatementOptions, 'format' | 'csv'>;
}

/** A message of the thread. */
export type ThreadMessage =
  | { bytes: number }
  | { warning: string }
  | { refused: { where: string | null; reason: string } };

const send = (message: ThreadMessage): void => parentPort?.postMessage(message, []);

/** Bytes between two reports. */
const reportEvery = 1024 * 1024;

/** Requests have priority over parsing. Only Linux has a nice value per thread. */
function stepBack(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, 5);
  } catch {
    // Parsing works without it.
  }
}

stepBack();
const { statement, rows, options } = workerData as ThreadInput;
let reported = 0;
try {
  await writeRows(statement, rows, {
    ...options,
    warn: (warning) => send({ warning }),
    report: (bytes) => {
      if (bytes < reported + reportEvery) return;
      reported = bytes;
      send({ bytes });
    },
  });
} catch (error) {
  if (!(error instanceof StatementError)) throw error;
  send({ refused: { where: error.where, reason: error.reason } });
}
