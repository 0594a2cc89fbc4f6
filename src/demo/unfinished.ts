import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createConnection } from '../../prisma/connection/connection.ts';

// A file of the data folder names the demo tenants from before they are made until their books are filled. Where a start finds it,
// the one before was interrupted.

const lockKey = 0x64656d6f; // "demo"

const markIn = (dataDir: string): string => join(dataDir, 'demo-unfinished');

/**
 * Lets one process at a time make, fill, or delete the demo tenants. A process that is killed loses the lock with its connection.
 * @returns a function that releases it, any number of times; undefined while another process has it
 */
export async function lockDemo(url: string): Promise<(() => Promise<void>) | undefined> {
  const holder = createConnection({ connectionString: url });
  holder.on('error', () => {});
  await holder.connect();
  let released: Promise<void> | undefined;
  const release = (): Promise<void> => (released ??= holder.end());
  const { rows } = await holder.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [lockKey]);
  if (rows[0]?.taken) return release;
  await release();
  return undefined;
}

/** Notes tenants whose creation isn't committed yet. */
export const markUnfinished = (dataDir: string, tenantIds: string[]): Promise<void> =>
  writeFile(markIn(dataDir), JSON.stringify(tenantIds), { mode: 0o600, flush: true });

export const markFinished = (dataDir: string): Promise<void> => rm(markIn(dataDir), { force: true });

/** The tenants of a start that was interrupted. */
export async function findUnfinished(dataDir: string): Promise<string[]> {
  const text = await readFile(markIn(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '[]';
    throw error;
  });
  try {
    return z.array(z.uuid()).parse(JSON.parse(text));
  } catch {
    return []; // The computer stopped while it was written: then nothing was committed yet.
  }
}
