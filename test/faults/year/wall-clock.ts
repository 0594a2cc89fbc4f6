import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The wall clock of processes that have its settings. */
export interface WallClock {
  settings: Record<string, string>;
  /** By how many seconds it differs from the machine's. Processes notice within a second. */
  set(seconds: number): Promise<void>;
}

const preload = fileURLToPath(new URL('shifted-clock.ts', import.meta.url));

/** @param file where the difference is written */
export async function createWallClock(file: string): Promise<WallClock> {
  const set = (seconds: number): Promise<void> => writeFile(file, String(seconds));
  await set(0);
  return { settings: { SHIFTED_CLOCK: file, NODE_OPTIONS: `--import=${preload}` }, set };
}
