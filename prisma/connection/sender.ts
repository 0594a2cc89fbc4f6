import { AsyncLocalStorage } from 'node:async_hooks';
import { escapeLiteral, type QueryConfig, type QueryResult } from 'pg';
import { Connection } from './connection.ts';

/**
 * Who makes a change, for the audit log. Its triggers take it from the setting kontor.actor, which a connection sends before a
 * statement that writes, so that no code that writes has to name it.
 */
export interface Actor {
  kind: 'user' | 'token' | 'session' | 'job' | 'import' | 'command_line';
  userId?: string | null | undefined;
  tokenId?: string | null | undefined;
  sessionId?: string | null | undefined;
  requestId?: string | null | undefined;
  job?: string | undefined;
}

/** Who sends statements, and what for. */
export interface Sender {
  /** Who acts, as encodeActor() has it. */
  actor?: string;
  /** The operation of the API, the task of a job, or a step of them, such as `event invoice.issued`. */
  operation?: string;
  /** The log's fields about the request. */
  toLogFields?: () => object;
}

const senders = new AsyncLocalStorage<Sender>();

/** The sender of the async context's statements. */
export const currentSender = (): Sender | undefined => senders.getStore();

/** Calls `work` with this sender. What it leaves out stays as it is. */
export const withSender = <Args extends unknown[], T>(sender: Sender, work: (...args: Args) => T, ...args: Args): T =>
  senders.run({ ...senders.getStore(), ...sender }, work, ...args);

/** Runs work whose statements belong to an operation. */
export const inOperation = <T>(operation: string, work: () => T): T =>
  senders.run({ ...senders.getStore(), operation }, work);

/** An actor as the setting has it. No part contains a comma. */
export const encodeActor = ({ kind, userId, tokenId, sessionId, requestId, job }: Actor): string =>
  `${kind},${userId ?? ''},${tokenId ?? ''},${sessionId ?? ''},${requestId ?? ''},${job ?? ''}`;

/**
 * Runs `work`, and everything that it awaits, as this actor, unless a client of a tenant names another one.
 * @param actor undefined for the one who acts already
 */
export const asActor = <T>(actor: Actor | undefined, work: () => T): T =>
  actor ? withSender({ actor: encodeActor(actor) }, work) : work();

/** The actor of the async context, as the setting has it. */
export const currentActor = (): string | undefined => senders.getStore()?.actor;

/** A statement that can tell itself who acts. */
export interface ActingStatement extends QueryConfig {
  /** The same statement, which sets the actor for its own transaction. */
  actAs?: ((actor: string) => QueryConfig) | undefined;
}

/** Whether a statement can change rows, or begins a transaction that can. */
export const mayWrite = (text: string): boolean => /^\s*(?:begin|insert|update|delete|with)\b/i.test(text);

/**
 * A connection to the tables of identity. Whatever can write is told who acts, in its own transaction, so that nothing of it stays
 * for whoever uses the connection next, also behind a pooler. Writes are rare here, so what this costs doesn't matter.
 */
export class ActingConnection extends Connection {
  protected override execute = async (statement: QueryConfig): Promise<QueryResult> => {
    const actor = senders.getStore()?.actor;
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
