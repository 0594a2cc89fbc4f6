import { open, rename, rm } from 'node:fs/promises';

/**
 * Makes a file that appears under its name once it is complete. Only its owner may read it.
 * @param file its path; there must be no such file
 * @param write writes to another path, which is then renamed; it must flush what it writes
 */
export async function makeWholeFile<T>(file: string, write: (draft: string) => Promise<T>): Promise<T> {
  await (await open(file, 'wx', 0o600)).close(); // reserves the name
  const draft = `${file}.partial`;
  try {
    const result = await write(draft);
    await rename(draft, file);
    return result;
  } catch (error) {
    await Promise.all([draft, file].map((each) => rm(each, { force: true })));
    throw error;
  }
}
