import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { RefusedError } from '../identity/index.ts';

export interface PasswordOptions {
  password?: string;
  passwordStdin?: true;
}

/** A command that takes a password: on the command line, which every user of the machine can read, or better not. */
export const asPassword = (command: Command): Command =>
  command
    .option(
      '--password <password>',
      'at least 12 characters; visible to all users of this machine; - for standard input',
    )
    .option('--password-stdin', 'read the password from standard input');

/**
 * The password that a command was given; undefined where it was given none. From standard input it is all there is,
 * without the line break at its end.
 *
 * @throws RefusedError where it was given two ways, or standard input is a terminal, which would show what is typed
 */
export async function passwordOf({ password, passwordStdin }: PasswordOptions): Promise<string | undefined> {
  if (!passwordStdin && password !== '-') return password;
  if (passwordStdin && password !== undefined) throw new RefusedError('Use either --password or --password-stdin');
  if (process.stdin.isTTY)
    throw new RefusedError('--password-stdin reads from a pipe or a file: a terminal would show the password');
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}
