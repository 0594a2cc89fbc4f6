import { createInterface } from 'node:readline/promises';
import { RefusedError } from '../identity/index.ts';

/**
 * Asks on a terminal for a name to be typed, before something that can't be undone at once.
 * @param warning what would happen
 * @param yes whether the caller confirms without being asked, in a script
 * @throws RefusedError unless it is confirmed
 */
export async function confirm(warning: string, name: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) throw new RefusedError(`${warning} To confirm: --yes`);
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await asked.question(`${warning}\nType ${JSON.stringify(name)} to confirm: `);
    if (answer.trim() !== name) throw new RefusedError('It was not confirmed');
  } finally {
    asked.close();
  }
}
