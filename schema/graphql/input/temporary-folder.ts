import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

// Temporary files of a request that are too large for memory. TMPDIR names their folder.

/** The names of all such folders begin like this. The process's id and six random characters follow. */
const prefix = `kontor-${hostname().replaceAll(/[^\w.]/g, '_')}-`;
const folderName = new RegExp(`^${prefix.replaceAll('.', String.raw`\.`)}(\\d+)-\\w{6}$`);

export interface TemporaryFolder {
  path: string;
  /** Deletes the folder and its content. */
  discard: () => Promise<void>;
}

/** A folder that only this process's user can enter (mode 0700). */
export async function makeTemporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  return { path, discard: () => rm(path, { recursive: true, force: true }) };
}

/**
 * Deletes the folders that ended processes have left behind. Must be called before this process creates one: a folder with
 * the same process id is then from an earlier process.
 */
export async function clearTemporaryFolders(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, pid] = folderName.exec(name) ?? [];
    if (pid === undefined || (Number(pid) !== process.pid && isRunning(Number(pid)))) continue;
    // A folder of another user can't be deleted.
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
