import { closeSync, openSync, rmSync } from 'node:fs';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const waiting = new Set<() => void>();

function end(signal: NodeJS.Signals): void {
  for (const each of signals) process.off(each, end);
  for (const putInOrder of waiting) putInOrder();
  waiting.clear();
  // As without a handler, the process ends by the signal, unless another one decides how it ends.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

/**
 * Ctrl-C, or another signal that ends the process, runs no `finally`. What a command must not leave behind is put in order here.
 * @param putInOrder isn't waited for
 * @returns a function to be called once everything is in order anyway
 */
export function whenInterrupted(putInOrder: () => void): () => void {
  if (waiting.size === 0) for (const each of signals) process.on(each, end);
  waiting.add(putInOrder);
  return () => {
    waiting.delete(putInOrder);
    if (waiting.size === 0) for (const each of signals) process.off(each, end);
  };
}

/**
 * Has a file that isn't complete removed.
 * @param file is made right afterwards, without waiting: a signal that comes before this call leaves it behind. Then it is opened by
 *   'r+', which makes no file: one that is being made now would come after the removal
 * @returns a function to be called once it is complete, or removed anyway
 */
export const removeWhenInterrupted = (file: string): (() => void) =>
  whenInterrupted(() => rmSync(file, { force: true }));

/**
 * Creates an empty file, which removeWhenInterrupted() removes.
 * @param mode its permissions
 * @returns a function to be called once it is complete, or removed anyway
 */
export function createTemporaryFile(file: string, mode: number): () => void {
  const isOver = removeWhenInterrupted(file);
  try {
    closeSync(openSync(file, 'wx', mode));
  } catch (error) {
    isOver();
    throw error;
  }
  return isOver;
}
