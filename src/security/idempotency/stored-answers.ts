import type { Db } from '../../../prisma/client.ts';
import type { Ability } from '../../../schema/graphql/ability.ts';
import type { Context } from '../../../schema/graphql/context.ts';
import type { Encryption } from '../encryption.ts';

/** An HTTP response as it was sent, without the headers that every response gets anew. */
export interface Answer {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

/** A stored response, its request, and the abilities that the request needed. */
export interface StoredAnswer {
  /** SHA-256 of the request's body. */
  body: Uint8Array<ArrayBuffer>;
  answer: Answer;
  abilities: Ability[];
  /** The user, if the request came in a session: the response may be only for them, such as a new token. */
  userId: string | null;
  /** Set where the response is replayed only to this token: no ability protects it, or it depends on the caller. */
  tokenId?: string | null;
}

export interface StoredAnswers {
  /** @param request SHA-256 of method, path and key */
  find: (context: Context, request: Uint8Array<ArrayBuffer>) => Promise<StoredAnswer | undefined>;
  /** Part of `context`'s transaction. */
  store: (context: Context, request: Uint8Array<ArrayBuffer>, stored: StoredAnswer) => Promise<void>;
}

export const retentionMs = 24 * 60 * 60 * 1000;

/** Stores the responses of the past 24 hours, encrypted: some contain a webhook's secret or a token's value. */
export function createStoredAnswers({ seal, open }: Encryption): StoredAnswers {
  const buildKey = (context: Context, request: Uint8Array<ArrayBuffer>) => ({
    tenantId_request: { tenantId: context.tenant.id, request },
  });
  return {
    find: async (context, request) => {
      const row = await context.db.storedResponse.findUnique({ where: buildKey(context, request) });
      if (!row || row.createdAt.getTime() <= context.now().getTime() - retentionMs) return undefined;
      return { body: row.body, ...(JSON.parse(open(row.response)) as Omit<StoredAnswer, 'body'>) };
    },
    store: async (context, request, { body, ...rest }) => {
      const row = { body, response: seal(JSON.stringify(rest)), createdAt: context.now() };
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
export const deleteExpiredAnswers = (db: Db, now: Date, limit: number): Promise<{ count: number }> =>
  db.storedResponse.deleteMany({ where: { createdAt: { lte: new Date(now.getTime() - retentionMs) } }, limit });
