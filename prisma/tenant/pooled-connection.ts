import { escapeLiteral, type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { Connection } from '../connection.ts';
import { withoutName } from '../pooler.ts';
import type { Transaction } from './pool.ts';

/**
 * A connection of a TenantPool, with what the pool knows of it. Role and tenant are set for the session, or for each
 * transaction: then a transaction is one tenant's from its first statement to its last, a statement outside of one gets its
 * own, and role and tenant end with it.
 * - Behind a pooler in transaction mode, settings of the session would reach the next client.
 * - Citus passes on to its workers only what a transaction sets, and only if the transaction asks for it first. On plain
 *   PostgreSQL that line sets an unused name.
 *
 * Beginning, statement and end are sent together (the pool sets `pipeline`): one way there and back, as without.
 */
export class PooledConnection extends Connection {
  /** Gives it back to the pool. pg's pool sets it. */
  declare release: PoolClient['release'];

  /** The tenant that it is set to. While it is undefined, statements are sent as they are. */
  tenantId: string | undefined;

  /** The tenant whose share of the pool's connections it counts towards. */
  holder: string | undefined;

  /** The transaction that Prisma runs on it. */
  transaction: Transaction | undefined;

  /** How many statement names had been assigned when it was opened. */
  namesAtOpening = 0;

  /** Whether role and tenant are set for each transaction, instead of for the session. */
  get isSetPerTransaction(): boolean {
    return this.execute !== undefined;
  }

  setPerTransaction(): void {
    this.execute = (statement) => this.#executeAsTenant(statement);
  }

  async #executeAsTenant(statement: QueryConfig): Promise<QueryResult> {
    if (this.tenantId === undefined || this.getTransactionStatus() !== 'I') return this.send(statement);
    const begun = this.beginFor(this.tenantId);
    const isBegin = /^begin$/i.test(statement.text);
    const sent = isBegin ? begun : [...begun, this.send(statement), this.send({ text: 'commit' })];
    await Promise.allSettled(sent);
    const results = await Promise.all(sent);
    return results[isBegin ? 0 : begun.length] as QueryResult;
  }

  /** Citus passes on the whole text of a command with each setting in it. So each setting is a command of its own. */
  protected beginFor(tenantId: string): Promise<QueryResult>[] {
    return beginning(tenantId).map((text) => this.send({ text }));
  }
}

/**
 * The same behind a pooler, where no statement is kept under its name. There, commands cost more than what Citus repeats.
 * But it must not repeat `begin`: its servers would log a warning each time.
 */
export class UnnamedPooledConnection extends PooledConnection {
  protected override beginFor(tenantId: string): Promise<QueryResult>[] {
    const [begin, propagate, ...settings] = beginning(tenantId);
    return [`${begin}; ${propagate}`, settings.join('; ')].map((text) => this.send({ text }));
  }

  protected override async send(statement: QueryConfig): Promise<QueryResult> {
    return super.send(withoutName(statement));
  }
}

const beginning = (tenantId: string): string[] => [
  'begin',
  `set local citus.propagate_set_commands = 'local'`,
  'set local role kontor_books',
  `set local kontor.tenant_id = ${escapeLiteral(tenantId)}`,
];
