import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './whole-file.ts';

// A folder of backups by schedule. A file has its name only once it was restored for a trial, so that what is there is good.
// One that could not be tried is kept under another name: it is better than none, but not a reason to delete a good one.

const pattern = /^kontor-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)Z\.(backup|untried)$/;
const unproven = /^kontor-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.unproven(?:\.[\da-f]+\.partial)?$/;

const nameAt = (at: Date): string => `kontor-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;

export const unprovenPath = (folder: string, at: Date): string => join(folder, `${nameAt(at)}.unproven`);

interface BackupFile {
  file: string;
  at: Date;
}

/** The good backups, newest first. What claims to be from later than `now` is none of ours. */
export const listBackups = (folder: string, now: Date): Promise<BackupFile[]> => list(folder, now, 'backup');

/** Those that had no room for a trial, newest first. */
export const listUntried = (folder: string, now: Date): Promise<BackupFile[]> => list(folder, now, 'untried');

async function list(folder: string, now: Date, wanted: 'backup' | 'untried'): Promise<BackupFile[]> {
  const found = (await readdir(folder)).flatMap((name) => {
    const [, hour, minute, second, kind] = pattern.exec(name) ?? [];
    const at = new Date(`${hour}:${minute}:${second}Z`);
    return kind !== wanted || Number.isNaN(at.getTime()) || at > now ? [] : [{ file: join(folder, name), at }];
  });
  return found.toSorted((one, other) => other.at.getTime() - one.at.getTime());
}

/** Gives a backup that was tried its name, and deletes all but the newest; and those that were not tried. */
export async function keepBackup(folder: string, at: Date, keep: number): Promise<string> {
  const file = await nameUnproven(folder, at, 'backup');
  const old = [...(await listBackups(folder, at)).slice(keep), ...(await listUntried(folder, at))];
  for (const each of old) await rm(each.file, { force: true });
  return file;
}

/** Keeps a backup that could not be tried, instead of the one before that could not be either. */
export async function keepUntried(folder: string, at: Date): Promise<void> {
  await nameUnproven(folder, at, 'untried');
  for (const old of (await listUntried(folder, at)).slice(1)) await rm(old.file, { force: true });
}

async function nameUnproven(folder: string, at: Date, kind: 'backup' | 'untried'): Promise<string> {
  const file = join(folder, `${nameAt(at)}.${kind}`);
  await rename(unprovenPath(folder, at), file);
  await syncFolder(folder);
  return file;
}

/** Deletes what was not completed, or failed its trial. */
export async function clearUnproven(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (unproven.test(name)) await rm(join(folder, name), { force: true });
}
