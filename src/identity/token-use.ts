import type { Pool } from 'pg';

// Another process may have written a use meanwhile, or may be changing the token: then this one isn't worth waiting for.
const write = `
  with used as (
    select id, at from unnest($1::uuid[], $2::timestamptz[]) as used(id, at)
      join api_tokens using (id)
    where last_used_at is null or last_used_at <= at - interval '1 minute'
    for update of api_tokens skip locked
  )
  update api_tokens set last_used_at = used.at from used where api_tokens.id = used.id`;

/**
 * Writes when tokens were last used, for one process: one statement at a time, for all tokens that are due. With statements
 * of their own, many tokens would take all connections while the database waits for its disk, and requests would wait.
 */
export class TokenUse {
  readonly #pool: Pool;
  /** By token: when it was used. Those that are being written, too. */
  readonly #due = new Map<string, Date>();
  #writing = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Notes a use, to be written.
   * @throws if uses could not be written
   */
  async note(id: string, now: Date): Promise<void> {
    if (this.#due.has(id)) return;
    this.#due.set(id, now);
    if (this.#writing) return;
    this.#writing = true;
    try {
      while (this.#due.size > 0) await this.#writeDue();
    } finally {
      this.#writing = false;
    }
  }

  async #writeDue(): Promise<void> {
    const ids = [...this.#due.keys()];
    try {
      await this.#pool.query({ name: 'token use', text: write, values: [ids, [...this.#due.values()]] });
    } finally {
      for (const id of ids) this.#due.delete(id);
    }
  }
}
