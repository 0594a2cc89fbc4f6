import type { Db } from '../../prisma/client.ts';
import type { Ability } from '../../schema/ability.ts';
import type { Context } from '../../schema/context.ts';
import type { Encryption } from '../encryption.ts';

/** An HTTP answer as it was sent, but for what every answer carries anew. */
export interface Answer {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

/** What was answered, to what, and what its sender had to be allowed. */
export interface StoredAnswer {
  /** SHA-256 of the request's body. */
  body: Uint8Array<ArrayBuffer>;
  answer: Answer;
  abilities: Ability[];
  /** Who was signed in, if it came with a session: what it made may be theirs alone, as a token is. */
  userId: string | null;
  /** The token that alone is told the answer, where no ability guards it or it depends on who asks. */
  tokenId?: string | null;
}

export interface StoredAnswers {
  /** @param request SHA-256 of what tells it from the tenant's others */
  find: (context: Context, request: Uint8Array<ArrayBuffer>) => Promise<StoredAnswer | undefined>;
  /** Part of `context`'s transaction. */
  store: (context: Context, request: Uint8Array<ArrayBuffer>, stored: StoredAnswer) => Promise<void>;
}

export const keptMs = 24 * 60 * 60 * 1000;

/** Answers of the past 24 hours, sealed: some tell a webhook's secret or a token's value. */
export function createStoredAnswers({ seal, open }: Encryption): StoredAnswers {
  const keyOf = (context: Context, request: Uint8Array<ArrayBuffer>) => ({
    tenantId_request: { tenantId: context.tenant.id, request },
  });
  return {
    find: async (context, request) => {
      const row = await context.db.storedAnswer.findUnique({ where: keyOf(context, request) });
      if (!row || row.createdAt.getTime() <= context.now().getTime() - keptMs) return undefined;
      return { body: row.body, ...(JSON.parse(open(row.answer)) as Omit<StoredAnswer, 'body'>) };
    },
    store: async (context, request, { body, ...rest }) => {
      const row = { body, answer: seal(JSON.stringify(rest)), createdAt: context.now() };
      // There may be one that is past its time.
      await context.db.storedAnswer.upsert({
        where: keyOf(context, request),
        create: { request, ...row },
        update: row,
      });
    },
  };
}

/** Deletes the answers that are past their time. */
export async function deleteExpiredAnswers(db: Db, now: Date): Promise<void> {
  await db.storedAnswer.deleteMany({ where: { createdAt: { lte: new Date(now.getTime() - keptMs) } } });
}
