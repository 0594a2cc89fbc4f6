import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { writeRows } from './rows.ts';
import type { StatementOptions } from './statement.ts';
import { StatementError } from './transaction.ts';

// Parses one statement in a separate thread, so that the event loop isn't blocked: see parse-file.ts.

/** The input of the thread. */
export interface Order {
  statement: string;
  rows: string;
  options: Pick<StatementOptions, 'format' | 'csv'>;
}

/** A message of the thread. */
export type Said = { bytes: number } | { warning: string } | { refused: { where: string | null; reason: string } };

const say = (said: Said): void => parentPort?.postMessage(said, []);

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
const { statement, rows, options } = workerData as Order;
let reported = 0;
try {
  await writeRows(statement, rows, {
    ...options,
    warn: (warning) => say({ warning }),
    report: (bytes) => {
      if (bytes < reported + reportEvery) return;
      reported = bytes;
      say({ bytes });
    },
  });
} catch (error) {
  if (!(error instanceof StatementError)) throw error;
  say({ refused: { where: error.where, reason: error.reason } });
}
