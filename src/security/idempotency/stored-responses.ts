import type { Db } from '../../../prisma/client.ts';
import type { Ability } from '../../../schema/graphql/ability.ts';
import type { Context } from '../../../schema/graphql/context.ts';
import type { Encryption } from '../encryption.ts';

/** An HTTP response as it was sent, without the headers that every response gets anew. */
export interface SentResponse {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

/** A stored response, its request, and the abilities that the request needed. */
export interface StoredResponse {
  /** SHA-256 of the request's body. */
  body: Uint8Array<ArrayBuffer>;
  response: SentResponse;
  abilities: Ability[];
  /** The user, if the request came in a session: the response may be only for them, such as a new token. */
  userId: string | null;
  /** Set where the response is replayed only to this token: no ability protects it, or it depends on the caller. */
  tokenId?: string | null;
}

export interface StoredResponses {
  /** @param request SHA-256 of method, path and key */
  find: (context: Context, request: Uint8Array<ArrayBuffer>) => Promise<StoredResponse | undefined>;
  /** Part of `context`'s transaction. */
  store: (context: Context, request: Uint8Array<ArrayBuffer>, stored: StoredResponse) => Promise<void>;
}

/** The response that is stored, as JSON. */
type Stored = Omit<StoredResponse, 'body' | 'response'> & { answer: SentResponse };

export const retentionMs = 24 * 60 * 60 * 1000;

/** Stores the responses of the past 24 hours, encrypted: some contain a webhook's secret or a token's value. */
export function createStoredResponses({ seal, open }: Encryption): StoredResponses {
  const buildKey = (context: Context, request: Uint8Array<ArrayBuffer>) => ({
    tenantId_request: { tenantId: context.tenant.id, request },
  });
  return {
    find: async (context, request) => {
      const row = await context.db.storedResponse.findUnique({ where: buildKey(context, request) });
      if (!row || row.createdAt.getTime() <= context.now().getTime() - retentionMs) return undefined;
      const { answer, ...rest } = JSON.parse(open(row.response)) as Stored;
      return { body: row.body, response: answer, ...rest };
    },
    store: async (context, request, { body, response, ...rest }) => {
      const stored: Stored = { answer: response, ...rest };
      const row = { body, response: seal(JSON.stringify(stored)), createdAt: context.now() };
      // An expired response may still be stored.
      await context.db.storedResponse.upsert({
        where: buildKey(context, request),
        create: { request, ...row },
        update: row,
      });
    },
  };
}

/** Deletes expired responses. */
export const deleteExpiredResponses = (db: Db, now: Date, limit: number): Promise<{ count: number }> =>
  db.storedResponse.deleteMany({ where: { createdAt: { lte: new Date(now.getTime() - retentionMs) } }, limit });
