import { callbackify } from 'node:util';
import { escapeLiteral, type QueryConfig, type QueryResult } from 'pg';
import { Connection } from '../connection.ts';
import { withoutName } from '../pooler.ts';

/**
 * A connection to the books that can set role and tenant for each transaction, instead of for the session. A transaction is
 * one tenant's from its first statement to its last; a statement outside of one gets its own. Role and tenant end with it.
 * - Behind a pooler in transaction mode, settings of the session would reach the next client.
 * - Citus passes on to its workers only what a transaction sets, and only if the transaction asks for it first. On plain
 *   PostgreSQL that line sets an unused name.
 *
 * Beginning, statement and end are sent together (the pool sets `pipeline`): one way there and back, as without.
 */
export class TenantTransactions extends Connection {
  /** The tenant of the next transaction. While it is undefined, statements are sent as they are. */
  tenantId: string | undefined;

  protected override execute(statement: string | QueryConfig, ...rest: unknown[]): unknown {
    if (this.tenantId === undefined || this.getTransactionStatus() !== 'I') return this.send(statement, ...rest);
    const begun = this.beginFor(this.tenantId);
    const { text } = typeof statement === 'string' ? { text: statement } : statement;
    const isBegin = /^begin$/i.test(text);
    const values = rest.find(Array.isArray);
    const result = isBegin ? begun[0] : (this.send(statement, values) as Promise<QueryResult>);
    const sent = isBegin ? begun : [...begun, result, this.send('commit') as Promise<QueryResult>];

    const done = Promise.allSettled(sent)
      .then(() => Promise.all(sent))
      .then(() => result);
    const callback = rest.find((each) => typeof each === 'function');
    return callback ? callbackify(() => done)(callback as Callback) : done;
  }

  /** Citus passes on the whole text of a command with each setting in it. So each setting is a command of its own. */
  protected beginFor(tenantId: string): Promise<QueryResult>[] {
    return beginning(tenantId).map((text) => this.send(text) as Promise<QueryResult>);
  }
}

/**
 * The same behind a pooler, where no statement is kept under its name. There, commands cost more than what Citus repeats.
 * But it must not repeat `begin`: its servers would log a warning each time.
 */
export class UnnamedTenantTransactions extends TenantTransactions {
  protected override beginFor(tenantId: string): Promise<QueryResult>[] {
    const [begin, propagate, ...settings] = beginning(tenantId);
    const commands = [`${begin}; ${propagate}`, settings.join('; ')];
    return commands.map((text) => this.send(text) as Promise<QueryResult>);
  }

  protected override send(statement: string | QueryConfig, ...rest: unknown[]): unknown {
    return super.send(withoutName(statement), ...rest);
  }
}

const beginning = (tenantId: string): string[] => [
  'begin',
  `set local citus.propagate_set_commands = 'local'`,
  'set local role kontor_books',
  `set local kontor.tenant_id = ${escapeLiteral(tenantId)}`,
];

type Callback = (error: Error | null, result: QueryResult | undefined) => void;
