import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

// Files that are too large for memory and needed no longer than their request. TMPDIR says where they are.

/** Of this machine's folders; the process's number and six random characters follow. */
const prefix = `kontor-${hostname().replaceAll(/[^\w.]/g, '_')}-`;
const ours = new RegExp(`^${prefix.replaceAll('.', String.raw`\.`)}(\\d+)-\\w{6}$`);

export interface TemporaryFolder {
  path: string;
  /** Deletes it and all that is in it. */
  discard: () => Promise<void>;
}

/** A folder that only this process's user can enter (mode 0700). */
export async function makeTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  return { path, discard: () => rm(path, { recursive: true, force: true }) };
}

/**
 * Deletes the folders of processes that ended without doing so. To be called before this process makes one: a folder
 * with its number is then of an earlier process.
 */
export async function clearTemporaryFolders(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, pid] = ours.exec(name) ?? [];
    if (pid === undefined || (Number(pid) !== process.pid && isRunning(Number(pid)))) continue;
    // One of another user's stays.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // another user's
  }
}
