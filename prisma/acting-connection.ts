import { escapeLiteral, type QueryConfig, type QueryResult } from 'pg';
import { currentActor, mayWrite } from './actor.ts';
import { Connection } from './connection.ts';

/**
 * A connection to the tables of identity. Whatever can write is told who acts, in its own transaction, so that nothing of it stays
 * for whoever uses the connection next, also behind a pooler. Writes are rare here, so what this costs doesn't matter.
 */
export class ActingConnection extends Connection {
  protected override execute = async (statement: QueryConfig): Promise<QueryResult> => {
    const actor = currentActor();
    if (actor === undefined || this.getTransactionStatus() !== 'I' || !mayWrite(statement.text))
      return this.send(statement);
    const isBegin = /^\s*begin\b/i.test(statement.text);
    const begun = await this.send(isBegin ? statement : { text: 'begin' });
    try {
      await this.send({ text: `set local kontor.actor = ${escapeLiteral(actor)}` });
      if (isBegin) return begun;
      const answer = await this.send(statement);
      await this.send({ text: 'commit' });
      return answer;
    } catch (error) {
      await this.send({ text: 'rollback' }).catch(() => this.abandon());
      throw error;
    }
  };
}
