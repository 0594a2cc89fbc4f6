import { asActor, type Actor } from '../../prisma/client.ts';
import type { Caller } from '../../schema/graphql/identity.ts';

type Credentials = Pick<Caller, 'token' | 'session' | 'user' | 'requestId'>;

/**
 * The one who calls, for the audit log; undefined for jobs and the command line, which have no credentials and say themselves
 * who they are.
 */
export function findActor({ token, session, user, requestId }: Credentials): Actor | undefined {
  if (!token && !session) return undefined;
  const kind = token ? 'token' : 'session';
  return { kind, userId: user.id, tokenId: token?.id, sessionId: session?.id, requestId };
}

/** Has the audit log say that the caller makes the changes of `work`. */
export function asCaller<T>(caller: Credentials, work: () => T): T {
  const actor = findActor(caller);
  return actor ? asActor(actor, work) : work();
}
