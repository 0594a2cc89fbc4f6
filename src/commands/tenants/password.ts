import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { RefusedError } from '../../identity/index.ts';

export interface PasswordOptions {
  password?: string;
  passwordStdin?: true;
}

/** Adds the options of a password. Standard input is the safe way: every user of the machine can read command lines. */
export const asPassword = (command: Command): Command =>
  command
    .option(
      '--password <password>',
      'at least 12 characters; visible to all users of this machine; - for standard input',
    )
    .option('--password-stdin', 'read the password from standard input');

/**
 * The password of a command's options; undefined if there is none. On standard input, it is the whole input without the line
 * break at its end.
 *
 * @throws RefusedError if there are two, or if standard input is a terminal, which would show the password
 */
export async function readPassword({ password, passwordStdin }: PasswordOptions): Promise<string | undefined> {
  if (!passwordStdin && password !== '-') return password;
  if (passwordStdin && password !== undefined) throw new RefusedError('Use either --password or --password-stdin');
  if (process.stdin.isTTY)
    throw new RefusedError('--password-stdin reads from a pipe or a file: a terminal would show the password');
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}
