import { setTimeout } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';

type Session = Pick<ClientBase | Pool, 'query'>;

const pollMs = 100;

/**
 * Takes an advisory lock for the session, as soon as no other session has it. It asks again and again: a statement that waits
 * for the lock would keep a snapshot, which the holder's `create index concurrently` waits for in turn.
 *
 * @param session a client, or a pool that has one connection
 * @param mode how the lock is taken: for this session alone, or together with others who share it
 */
export async function takeAdvisoryLock(session: Session, key: number, mode: '' | '_shared' = ''): Promise<void> {
  for (;;) {
    const { rows } = await session.query<{ taken: boolean }>(`select pg_try_advisory_lock${mode}(${key}) as taken`);
    if (rows[0]?.taken) return;
    await setTimeout(pollMs);
  }
}
