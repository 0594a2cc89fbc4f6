import type { GraphQLSchema } from 'graphql';
import { asActor, type Holder, type Prisma, type UnscopedClient } from '../../../prisma/client.ts';
import { Problems, TryLaterError, ValidationError, type FieldProblems } from '../../../schema/errors/errors.ts';
import type { TrustedDocumentStore } from '../../../schema/graphql/trusted-document-store.ts';
import { createFairScheduler } from '../http/fair-scheduler.ts';
import { isHash, isHashOf } from './document-manifest.ts';
import { findDocumentProblems, limitsOfPushed } from './pushed-document.ts';

/** Limits of a tenant's documents together. */
export const limitsOfTenant = { documents: 1000, characters: 10_000_000 };

interface NewDocument {
  hash: string;
  text: string;
}

/** The store of trusted documents, for tenants' own requests. */
export function createTenantDocuments(client: UnscopedClient, schema: GraphQLSchema): TrustedDocumentStore {
  const scheduler = createFairScheduler({ rest: 2, pauseMs: 10 });

  /** Parses and validates, while tenants take turns. @throws ValidationError */
  const validate = async (
    holder: Holder,
    signal: AbortSignal | undefined,
    documents: readonly NewDocument[],
    places: readonly number[],
  ): Promise<void> => {
    const problems = new Problems();
    for (const [index, { text }] of documents.entries()) {
      if (problems.isFull) break;
      await scheduler.waitForTurn(holder);
      if (signal?.aborted) throw new TryLaterError(); // the request's time is over
      for (const problem of findDocumentProblems(schema, text))
        problems.add(`documents.${places[index]}.text`, ...problem);
    }
    if (problems.any) throw new ValidationError(problems.byField);
  };

  return {
    register: async (context, sent) => {
      const { signal } = context;
      const tenantId = context.tenant.id;
      refuseAtOnce(sent);
      const hashes = sent.map(({ hash }) => hash);
      const where = { tenantId, hash: { in: hashes } };
      const known = new Set(
        (await client.trustedDocument.findMany({ where, select: { hash: true } })).map(({ hash }) => hash),
      );
      const places = [...sent.keys()].filter(
        (index) => !known.has(hashes[index] ?? '') && hashes.indexOf(hashes[index] ?? '') === index,
      );
      const documents = places.flatMap((index) => sent[index] ?? []);
      if (documents.length === 0) return 0;
      refuseBeyond(await measure(client, tenantId), documents); // before they are parsed
      await validate(context.tenant.holder, signal, documents, places);
      return asActor(context.actor, () =>
        client.$transaction(async (db) => {
          // Locked, so that a concurrent request counts these documents.
          await db.$executeRaw`select from tenants where id = ${tenantId}::uuid for no key update`;
          refuseBeyond(await measure(db, tenantId), documents);
          const data = documents.map(({ hash, text }) => ({ tenantId, hash, text }));
          return (await db.trustedDocument.createMany({ data, skipDuplicates: true })).count;
        }),
      );
    },
    list: ({ tenant }) =>
      client.trustedDocument.findMany({ where: { tenantId: tenant.id }, orderBy: { id: 'desc' }, ...shown }),
    remove: async (context, hash) => {
      if (!isHash(hash)) return null;
      const tenantId = context.tenant.id;
      const found = await client.trustedDocument.findFirst({ where: { tenantId, hash }, ...shown });
      const remove = async () => await client.trustedDocument.deleteMany({ where: { tenantId, hash } });
      if (found) await asActor(context.actor, remove);
      return found;
    },
  };
}

const shown = { select: { hash: true, createdAt: true } } satisfies Prisma.TrustedDocumentDefaultArgs;

/** Refuses what is seen without parsing. @throws ValidationError */
function refuseAtOnce(documents: readonly NewDocument[]): void {
  const problems: FieldProblems = {};
  const max = limitsOfPushed.characters;
  for (const [index, { hash, text }] of documents.entries()) {
    const place = `documents.${index}`;
    if (text.length > max)
      problems[`${place}.text`] = [['too_long', `Must not be longer than ${max} characters.`, { max }]];
    else if (!isHash(hash))
      problems[`${place}.hash`] = [['invalid_format', 'Must be a SHA-256, SHA-1, or MD5 hash in hexadecimal digits.']];
    else if (!isHashOf(hash, text)) problems[`${place}.hash`] = [['inconsistent', 'Must be the hash of the document.']];
  }
  if (Object.keys(problems).length > 0) throw new ValidationError(problems);
}

interface Size {
  documents: number;
  characters: number;
}

async function measure(db: Pick<Prisma.TransactionClient, '$queryRaw'>, tenantId: string): Promise<Size> {
  const [size] = await db.$queryRaw<Size[]>`
    select count(*)::int as documents, coalesce(sum(octet_length(text)), 0)::int as characters
    from trusted_documents where tenant_id = ${tenantId}::uuid`;
  return size ?? { documents: 0, characters: 0 };
}

/** @throws ValidationError if a tenant would have too many documents, or too long ones in all */
function refuseBeyond(stored: Size, added: readonly NewDocument[]): void {
  const characters = added.reduce((sum, { text }) => sum + Buffer.byteLength(text), stored.characters);
  const beyond =
    stored.documents + added.length > limitsOfTenant.documents
      ? (['documents', limitsOfTenant.documents] as const)
      : characters > limitsOfTenant.characters
        ? (['bytes of documents', limitsOfTenant.characters] as const)
        : undefined;
  if (!beyond) return;
  const [what, max] = beyond;
  throw new ValidationError({
    documents: [
      ['limit_reached', `A tenant can have ${max} ${what}: delete those that are no longer in use.`, { max }],
    ],
  });
}
