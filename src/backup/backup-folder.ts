import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './whole-file.ts';

// A folder of backups by schedule. A file has its name only once it was restored for a trial, so that what is there is good.

const pattern = /^kontor-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)Z\.backup$/;
const unproven = /^kontor-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.unproven(?:\.[\da-f]+\.partial)?$/;

const nameAt = (at: Date): string => `kontor-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;

export const unprovenPath = (folder: string, at: Date): string => join(folder, `${nameAt(at)}.unproven`);

/** The good backups, newest first. What claims to be from later than `now` is none of ours. */
export async function listBackups(folder: string, now: Date): Promise<{ file: string; at: Date }[]> {
  const found = (await readdir(folder)).flatMap((name) => {
    const [, hour, minute, second] = pattern.exec(name) ?? [];
    const at = new Date(`${hour}:${minute}:${second}Z`);
    return hour === undefined || Number.isNaN(at.getTime()) || at > now ? [] : [{ file: join(folder, name), at }];
  });
  return found.toSorted((one, other) => other.at.getTime() - one.at.getTime());
}

/** Gives a backup that was tried its name, and deletes all but the newest. */
export async function keepBackup(folder: string, at: Date, keep: number): Promise<string> {
  const file = join(folder, `${nameAt(at)}.backup`);
  await rename(unprovenPath(folder, at), file);
  await syncFolder(folder);
  for (const old of (await listBackups(folder, at)).slice(keep)) await rm(old.file, { force: true });
  return file;
}

/** Deletes what was not completed, or not tried. */
export async function clearUnproven(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (unproven.test(name)) await rm(join(folder, name), { force: true });
}
