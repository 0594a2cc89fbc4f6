import { AsyncLocalStorage } from 'node:async_hooks';

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

const actors = new AsyncLocalStorage<string>();

/** An actor as the setting has it. No part contains a comma. */
export const encodeActor = ({ kind, userId, tokenId, sessionId, requestId, job }: Actor): string =>
  `${kind},${userId ?? ''},${tokenId ?? ''},${sessionId ?? ''},${requestId ?? ''},${job ?? ''}`;

/** Runs `work`, and everything that it awaits, as this actor, unless a client of a tenant names another one. */
export const asActor = <T>(actor: Actor, work: () => T): T => actors.run(encodeActor(actor), work);

/** The actor of the async context, as the setting has it. */
export const currentActor = (): string | undefined => actors.getStore();

/** Whether a statement can change rows, or begins a transaction that can. */
export const mayWrite = (text: string): boolean => /^\s*(?:begin|insert|update|delete|with)\b/i.test(text);
