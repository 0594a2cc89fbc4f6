import { stat } from 'node:fs/promises';
import { SingleBar } from 'cli-progress';
import { RefusedError } from '../identity/refused.ts';
import { whenInterrupted } from './when-interrupted.ts';

/**
 * Reads a file, with a progress bar on a terminal.
 * @param read gets a function for the number of bytes that are read so far
 * @param passes how often the file is read
 * @throws RefusedError where there is no such file
 */
export async function withProgress<T>(
  file: string,
  read: (report: (bytes: number) => void) => Promise<T>,
  passes = 1,
): Promise<T> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw new RefusedError(`There is no file ${file}`);
  const bar = startBar(`${file} {bar} {percentage}%`, found.size * passes);
  try {
    return await read(bar.update);
  } finally {
    bar.stop();
  }
}

/** A progress bar on a terminal; elsewhere nothing. */
export function startBar(
  format: string,
  total: number,
): { update: (value: number, total?: number) => void; stop: () => void } {
  const bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true, hideCursor: true });
  // Else the terminal would stay without a cursor and without line breaks.
  const isOver = whenInterrupted(() => bar.stop());
  if (process.stderr.isTTY) bar.start(total, 0);
  return {
    update: (value, newTotal) => {
      if (newTotal !== undefined) bar.setTotal(newTotal);
      bar.update(value);
    },
    stop: () => {
      bar.stop();
      isOver();
    },
  };
}
