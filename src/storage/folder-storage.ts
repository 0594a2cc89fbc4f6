import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isFileKey, type FileStorage } from '../../schema/graphql/file-storage.ts';
import { blamingDisk, writeFile } from './write-file.ts';

/** Keeps files in a folder, each under its key. A file that is being written has `.part` behind its name. */
export function createFolderStorage(folder: string, quota = Infinity): FileStorage {
  const locate = (key: string): string => {
    if (!isFileKey(key)) throw new Error(`${JSON.stringify(key)} is no key of a file`);
    return join(folder, key);
  };
  return {
    quota,
    write: async (key, content, maxLength) => {
      const path = locate(key);
      const part = `${path}.part`;
      const created = await blamingDisk(mkdir(dirname(path), { recursive: true, mode: 0o700 }));
      try {
        const identity = await writeFile(part, content, maxLength);
        await blamingDisk(rename(part, path));
        await blamingDisk(syncNames(dirname(path), created));
        return identity;
      } catch (error) {
        await rm(part, { force: true }).catch(() => {}); // the first error is thrown
        throw error;
      }
    },

    read: async (key) => {
      // No FileHandle: one that a caller forgets would end the process when it is collected.
      const content = createReadStream(locate(key));
      const isOpen = once(content, 'open').then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return false;
          throw error;
        },
      );
      if (!(await blamingDisk(isOpen))) return undefined;
      const { size } = await blamingDisk(stat(locate(key)));
      return { length: size, content };
    },

    delete: async (key) => {
      const path = locate(key);
      for (const each of [path, `${path}.part`]) await blamingDisk(rm(each, { force: true }));
    },
  };
}

/** Makes the name of a file durable, and those of folders that were made for it, from `created` on. */
async function syncNames(folder: string, created: string | undefined): Promise<void> {
  for (let each = folder; ; each = dirname(each)) {
    const handle = await open(each, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (created === undefined || each === dirname(created)) return;
  }
}
