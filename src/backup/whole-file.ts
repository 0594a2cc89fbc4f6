import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { access, link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** File systems without hard links. */
const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Makes a file that appears under its name once it is complete. Only its owner may read it. What a killed process leaves
 * behind ends in `.partial`.
 * @param file its path; there must be no such file
 * @param write writes to another path, which then gets the name. An empty file is there, which it opens by 'r+'. It must flush what
 *   it writes
 * @param onDraft is called with that path right before the file is there, and returns a function that is called once nothing is there any
 *   more. A signal that comes in between finds its handler
 */
export async function makeWholeFile<T>(
  file: string,
  write: (draft: string) => Promise<T>,
  onDraft?: (draft: string) => () => void,
): Promise<T> {
  await refuseExisting(file);
  const draft = `${file}.${randomBytes(4).toString('hex')}.partial`;
  const isOver = onDraft?.(draft);
  try {
    makeEmpty(draft, file);
    try {
      const result = await write(draft);
      // Unlike renaming, linking overwrites nothing.
      await link(draft, file).catch(async (error: NodeJS.ErrnoException) => {
        if (!withoutLinks.has(error.code ?? '')) throw error;
        await refuseExisting(file);
        await rename(draft, file);
      });
      await syncFolder(dirname(file));
      return result;
    } finally {
      await rm(draft, { force: true });
    }
  } finally {
    isOver?.();
  }
}

/** Why a folder takes no file. The system's message would name the draft, which nobody asked for. */
export const whyNoFile = (folder: string, { code }: NodeJS.ErrnoException): string =>
  code === 'ENOENT' ? `there is no folder ${folder}` : `no file can be made in ${folder}, ${code}`;

function makeEmpty(draft: string, file: string): void {
  try {
    closeSync(openSync(draft, 'wx', 0o600));
  } catch (error) {
    const reason = whyNoFile(dirname(file), error as NodeJS.ErrnoException);
    throw new Error(`${file} can't be written: ${reason}`, { cause: error });
  }
}

async function refuseExisting(file: string): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new Error(`EEXIST: ${file} is there already`);
}

/** Makes the names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
