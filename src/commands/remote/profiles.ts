import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { CommandFailure, exitCodes } from '../exit-codes.ts';

// Profiles: an installation and a token each, in a file that only its owner can read.

const stored = z.object({
  current: z.string(),
  profiles: z.array(z.object({ name: z.string(), url: z.string(), token: z.string() })),
});
export type Profiles = z.infer<typeof stored>;
export type Profile = Profiles['profiles'][number];

/** Below XDG_CONFIG_HOME, which is ~/.config by default. */
function profilesFile(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CONFIG_HOME'] ?? '';
  // The XDG specification: a relative path is ignored.
  return join(isAbsolute(base) ? base : join(homedir(), '.config'), 'kontor', 'profiles.json');
}

/** @throws CommandFailure if others can read the file, or it is damaged */
export function readProfiles(env: NodeJS.ProcessEnv = process.env): Profiles {
  const file = profilesFile(env);
  let text: string;
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      throw new CommandFailure(exitCodes.usage, `Other users can read the tokens in ${file}: chmod 600 '${file}'`);
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: '', profiles: [] };
    throw new CommandFailure(exitCodes.usage, `${file} can't be read: ${(error as Error).message}`);
  }
  try {
    return stored.parse(JSON.parse(text));
  } catch {
    throw new CommandFailure(exitCodes.usage, `${file} is damaged: delete it, and log in again.`);
  }
}

export function writeProfiles(profiles: Profiles, env: NodeJS.ProcessEnv = process.env): void {
  const file = profilesFile(env);
  const draft = `${file}.${randomUUID()}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** @throws CommandFailure if there is none of this name */
export function findProfile(name: string, env: NodeJS.ProcessEnv = process.env): Profile {
  const { profiles } = readProfiles(env);
  const found = profiles.find((profile) => profile.name === name);
  if (found) return found;
  const names = profiles.map((profile) => profile.name).join(', ');
  const hint = names === '' ? `Make it: kontor login --profile ${name}` : `There are: ${names}.`;
  throw new CommandFailure(exitCodes.usage, `There is no profile "${name}". ${hint}`);
}

/** That of KONTOR_PROFILE, or of the last login; undefined if there is none. */
export function currentProfile(env: NodeJS.ProcessEnv): Profile | undefined {
  if (env['KONTOR_PROFILE']) return findProfile(env['KONTOR_PROFILE'], env);
  const { current, profiles } = readProfiles(env);
  return profiles.find(({ name }) => name === current);
}
