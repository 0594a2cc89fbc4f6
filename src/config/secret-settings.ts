import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { ConfigError } from './config-error.ts';

/** Longer than any secret, or the URL of a database. */
const maxBytes = 8192;

/** A secret of the environment, and the variable that it is from. */
export interface SecretSetting {
  text: string;
  variable: string;
}

/**
 * Reads a secret: from its variable, or from the file that the same variable with `_FILE` names. A variable that is empty counts
 * as unset. A line break at the file's end is left out.
 *
 * @returns undefined if neither is set
 * @throws ConfigError if both are set, or the file can't be read
 */
export function readSecretSetting(env: NodeJS.ProcessEnv, name: string): SecretSetting | undefined {
  const text = env[name] || undefined;
  const variable = `${name}_FILE`;
  const file = env[variable] || undefined;
  if (file === undefined) return text === undefined ? undefined : { text, variable: name };
  if (text !== undefined) throw new ConfigError(`${name} and ${variable} are both set: unset one of them`);
  return { text: readSecretFile(variable, file), variable };
}

/** @param variable which names the file, for messages */
function readSecretFile(variable: string, file: string): string {
  const refuse = (problem: string): never => {
    throw new ConfigError(`${variable}=${JSON.stringify(file)} is not accepted: ${problem}`);
  };
  if (file.includes('\0')) return refuse('it must be a path');
  let descriptor: number;
  try {
    // Without O_NONBLOCK, opening a pipe would wait for its writer.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return refuse(`it can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return refuse('it must be a file');
    if ((stats.mode & constants.S_IWOTH) !== 0) return refuse('every user of the machine can write to it: chmod o-w');
    const bytes = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    if (length > maxBytes) return refuse(`it must have at most ${maxBytes} bytes`);
    const text = bytes.toString('utf8', 0, length).replace(/\r?\n$/, '');
    return text === '' ? refuse('it is empty') : text;
  } finally {
    closeSync(descriptor);
  }
}
