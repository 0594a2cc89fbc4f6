import { escapeLiteral, type PoolClient, type QueryArrayConfig, type QueryConfig, type QueryResult } from 'pg';
import { mayWrite, type ActingStatement } from '../connection/sender.ts';
import { Connection } from '../connection/connection.ts';
import { withoutName } from '../connection/pooler.ts';
import type { Holder } from './holder.ts';
import type { ReadLimit, Transaction } from './pool.ts';

/** A statement whose answer is counted. Those of Prisma's are not. */
interface ReadStatement extends ActingStatement {
  limit?: ReadLimit | undefined;
}

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
  holder: Holder | undefined;

  /** Gives back its place among the connections for the tenant's worker. */
  leaveWorker: (() => void) | undefined;

  /** The transaction that Prisma runs on it. */
  transaction: Transaction | undefined;

  /** How many statement names had been assigned when it was opened. */
  namesAtOpening = 0;

  /** Who acts for whoever holds it, for the audit log: see sender.ts. Empty for nobody. */
  actor = '';

  /** The actor that the session is set to. */
  #setActor = '';

  /** Whether role and tenant are set for each transaction, instead of for the session. */
  isSetPerTransaction = false;

  /** Runs a statement whose answer is counted. @returns its rows @throws the limit's error */
  async read<Row>(statement: QueryConfig | QueryArrayConfig, limit: ReadLimit | undefined): Promise<Row[]> {
    try {
      const { rows } = await this.run({ ...statement, limit } as ReadStatement);
      if (!this.excess) return rows as Row[];
    } catch (error) {
      if (!this.excess) throw error;
    }
    throw this.excess;
  }

  setPerTransaction(): void {
    this.isSetPerTransaction = true;
    this.execute = this.#executeAsTenant;
  }

  /**
   * Sets the actor before whatever can write, in the same trip. No transaction is open then that would take it back. A statement
   * that can set it itself needs no other: its transaction is its own.
   */
  protected override execute = async (statement: ReadStatement): Promise<QueryResult> => {
    this.readLimit = statement.limit;
    const { actor } = this;
    if (actor === this.#setActor || this.getTransactionStatus() !== 'I' || !mayWrite(statement.text))
      return this.send(statement);
    if (statement.actAs) return this.send(statement.actAs(actor));
    this.#setActor = actor;
    const setting = this.send({ name: 'act', text: `select set_config('kontor.actor', $1, false)`, values: [actor] });
    const [set, sent] = await Promise.allSettled([setting, this.send(statement)]);
    if (set.status === 'rejected') {
      this.abandon(); // whoever it is set to now
      throw set.reason;
    }
    if (sent.status === 'rejected') throw sent.reason;
    return sent.value;
  };

  async #executeAsTenant(statement: ReadStatement): Promise<QueryResult> {
    this.readLimit = statement.limit;
    if (this.tenantId === undefined || this.getTransactionStatus() !== 'I') return this.send(statement);
    const begun = this.beginFor(this.tenantId, mayWrite(statement.text) ? this.actor : '');
    const isBegin = /^begin$/i.test(statement.text);
    const sent = isBegin ? begun : [...begun, this.send(statement), this.send({ text: 'commit' })];
    await Promise.allSettled(sent);
    const results = await Promise.all(sent);
    return results[isBegin ? 0 : begun.length] as QueryResult;
  }

  /** Citus passes on the whole text of a command with each setting in it. So each setting is a command of its own. */
  protected beginFor(tenantId: string, actor: string): Promise<QueryResult>[] {
    return beginning(tenantId, actor).map((text) => this.send({ text }));
  }
}

/**
 * The same behind a pooler, where no statement is kept under its name. There, commands cost more than what Citus repeats.
 * But it must not repeat `begin`: its servers would log a warning each time.
 */
export class UnnamedPooledConnection extends PooledConnection {
  protected override beginFor(tenantId: string, actor: string): Promise<QueryResult>[] {
    const [begin, propagate, ...settings] = beginning(tenantId, actor);
    return [`${begin}; ${propagate}`, settings.join('; ')].map((text) => this.send({ text }));
  }

  protected override async send(statement: QueryConfig): Promise<QueryResult> {
    return super.send(withoutName(statement));
  }
}

const beginning = (tenantId: string, actor: string): string[] => [
  'begin',
  `set local citus.propagate_set_commands = 'local'`,
  'set local role kontor_books',
  `set local kontor.tenant_id = ${escapeLiteral(tenantId)}`,
  ...(actor === '' ? [] : [`set local kontor.actor = ${escapeLiteral(actor)}`]),
];
