import { GraphQLError, Kind, parse, type GraphQLSchema } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { UnscopedClient } from '../../../prisma/client.ts';
import type { Context } from '../../../schema/graphql/context.ts';
import { documentErrors } from './document-limits.ts';
import { DocumentTexts } from './document-texts.ts';
import { isHash, type ManifestDocument } from './document-manifest.ts';

// Trusted documents, also called persisted operations: a front end's build registers its documents, and its requests name them
// by hash. Yoga's plugin for these doesn't fit: it doesn't know the caller when it decides about other documents.

/** For how long a process caches documents. A deletion thus takes effect in all processes within a minute. */
export const cachedMs = 60_000;

/** Where documents belong: a tenant's id, or null for the whole installation. */
type Owner = string | null;

/** A document without its text. */
export interface DocumentSummary {
  hash: string;
  /** The names of its operations. */
  name: string;
  tenantId: Owner;
  createdAt: Date;
}

/**
 * Registers documents. Those that are registered already stay as they are.
 * @returns how many are new
 */
export async function pushDocuments(
  client: UnscopedClient,
  tenantId: Owner,
  documents: readonly ManifestDocument[],
): Promise<number> {
  const data = documents.map(({ hash, text }) => ({ tenantId, hash, text }));
  const { count } = await client.trustedDocument.createMany({ data, skipDuplicates: true });
  return count;
}

/** Why documents can't be registered: one line for each error. */
export const manifestErrors = (schema: GraphQLSchema, documents: readonly ManifestDocument[]): string[] =>
  documents.flatMap(({ hash, text }) => findErrors(schema, text).map(({ message }) => `${hash}: ${message}`));

function findErrors(schema: GraphQLSchema, text: string): readonly GraphQLError[] {
  try {
    return documentErrors(schema, text);
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

/** The documents of a tenant or of the installation, newest first. */
export async function listDocuments(client: UnscopedClient, tenantId: Owner): Promise<DocumentSummary[]> {
  const documents = await client.trustedDocument.findMany({ where: { tenantId }, orderBy: { id: 'desc' } });
  return documents.map(({ hash, text, createdAt }) => ({ hash, name: getNames(text), tenantId, createdAt }));
}

const getNames = (text: string): string =>
  parse(text)
    .definitions.flatMap((each) => (each.kind === Kind.OPERATION_DEFINITION && each.name ? [each.name.value] : []))
    .join(', ');

/** @returns whether there was such a document */
export async function deleteDocument(client: UnscopedClient, tenantId: Owner, hash: string): Promise<boolean> {
  const { count } = await client.trustedDocument.deleteMany({ where: { tenantId, hash } });
  return count > 0;
}

export interface TrustedDocuments {
  plugin: Plugin<{ context: Context }>;
  /**
   * The parameters of a request, with the text of the document that they name.
   * @throws GraphQLError if it is unknown, or if the caller may only name documents and sends a text
   */
  withText(params: unknown, context: Context): Promise<unknown>;
  /** Whether a text is the trusted document that a request has named. */
  isTrusted(text: string, context: Context): boolean;
  /** Whether the caller may send these parameters. */
  admits(params: unknown, context: Context): Promise<boolean>;
}

/** Parameters by which clients name a document, beside `extensions.persistedQuery` of Apollo. */
export const idParameters = ['documentId', 'doc_id', 'id'];

export interface TrustedDocumentsOptions {
  /** The dashboard's documents by their hashes. Only sessions may name these. */
  dashboard?: ReadonlyMap<string, string>;
  /** Whether sessions may only name documents, as limited tokens. */
  limitsSessions?: boolean;
}

export function createTrustedDocuments(
  client: Pick<UnscopedClient, 'trustedDocument'>,
  { dashboard, limitsSessions = false }: TrustedDocumentsOptions = {},
): TrustedDocuments {
  const isLimited = ({ token }: Context): boolean => token?.trustedDocuments ?? limitsSessions;
  const cache = new DocumentTexts(cachedMs);
  const trusted = new WeakMap<Context, string>();

  /** A document of the dashboard in a session; else of the tenant, or of the installation. */
  async function find(hash: string, { token, tenant: { id: tenantId } }: Context): Promise<string | undefined> {
    if (!isHash(hash)) return undefined;
    const own = token ? undefined : dashboard?.get(hash);
    if (own !== undefined) return own;
    const cached = cache.get(tenantId, hash);
    if (cached !== undefined) return cached;
    const where = { hash, OR: [{ tenantId }, { tenantId: null }] };
    // The tenant's own first.
    const found = await client.trustedDocument.findFirst({
      where,
      orderBy: { tenantId: { sort: 'asc', nulls: 'last' } },
    });
    if (found) cache.set(tenantId, hash, found.text);
    return found?.text;
  }

  const withText = async (params: unknown, context: Context): Promise<unknown> => {
    if (!isObject(params)) return params;
    const { query, variables, operationName, extensions } = params;
    if (query != null && query !== '') {
      if (isLimited(context)) throw textRefused();
      return params;
    }
    const hash = readHash(params);
    if (hash === undefined) {
      if (isLimited(context)) throw textRefused();
      return params;
    }
    const text = await find(hash, context);
    if (text === undefined) throw unknownDocument();
    trusted.set(context, text);
    return { query: text, variables, operationName, extensions };
  };

  return {
    withText,
    isTrusted: (text, context) => trusted.get(context) === text,
    admits: async (params, context) => {
      if (!isLimited(context)) return true;
      if (!isObject(params)) return false;
      return withText(params, context).then(
        () => true,
        (error: unknown) => {
          if (error instanceof GraphQLError) return false;
          throw error;
        },
      );
    },
    plugin: {
      onParams: async ({ request, params, setParams, context }) => {
        const named = request.method === 'GET' ? { ...params, ...readIds(request.url) } : params;
        const complete = await withText(named, (context as unknown as { context: Context }).context);
        if (complete !== named) setParams(complete as GraphQLParams);
      },
    },
  };
}

/** The ids in a GET's query string: Yoga reads only the parameters that it knows. */
const readIds = (url: string): Record<string, string> =>
  Object.fromEntries(
    new URLSearchParams(url.slice(url.indexOf('?') + 1)).entries().filter(([name]) => idParameters.includes(name)),
  );

/** The hash by which a request names a document: `sha256:abc…` of GraphQL over HTTP, or as Relay and Apollo send it. */
function readHash(params: Record<string, unknown>): string | undefined {
  const { persistedQuery } = isObject(params['extensions']) ? params['extensions'] : {};
  const ids = [
    ...idParameters.map((name) => params[name]),
    isObject(persistedQuery) ? persistedQuery['sha256Hash'] : undefined,
  ];
  const id = ids.find((each) => typeof each === 'string');
  return typeof id === 'string' ? id.replace(/^(sha256|sha1|md5):/, '') : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Code and message are Apollo's, whose client recognizes them. */
const unknownDocument = (): GraphQLError =>
  new GraphQLError('PersistedQueryNotFound', {
    extensions: { code: 'PERSISTED_QUERY_NOT_FOUND', http: { spec: true, status: 404 } },
  });

const textRefused = (): GraphQLError =>
  new GraphQLError(
    'This token or session may only name trusted documents by their hash. To send others, use a token without this limit.',
    { extensions: { code: 'PERSISTED_QUERY_ID_REQUIRED', http: { spec: true, status: 403 } } },
  );
