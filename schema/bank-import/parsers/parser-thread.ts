import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { writeRows } from './rows.ts';
import type { StatementOptions } from './statement.ts';
import { StatementError } from './transaction.ts';

// Reads one statement in a thread of its own, so that the event loop goes on answering: see parse-file.ts.

/** What the thread is given. */
export interface Order {
  statement: string;
  rows: string;
  options: Pick<StatementOptions, 'format' | 'csv'>;
}

/** What the thread says. */
export type Said = { bytes: number } | { warning: string } | { refused: { where: string | null; reason: string } };

const say = (said: Said): void => parentPort?.postMessage(said, []);

/** Bytes between two reports. */
const reportEvery = 1024 * 1024;

/** Answering comes before reading: where processors are short, this thread waits. Only Linux has threads of their own nice. */
function stepBack(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, 5);
  } catch {
    // It is no condition for reading.
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
