import { asActor } from '../../prisma/client.ts';
import { followDatabaseClock } from '../../prisma/clock.ts';
import { readConfig } from '../config/config.ts';
import { openDatabase, type Database } from '../database/database.ts';
import { RefusedError } from '../identity/index.ts';
import { printError } from './output.ts';

/** Opens the database for a command, which the audit log names for its changes. */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(readConfig(process.env), { report: printError });
  let unfollow: (() => void) | undefined;
  try {
    const unready = await database.unready();
    if (unready) throw new RefusedError(unready);
    unfollow = await followDatabaseClock(database.pool);
    return await asActor({ kind: 'command_line' }, () => work(database));
  } finally {
    unfollow?.();
    await database.close();
  }
}
