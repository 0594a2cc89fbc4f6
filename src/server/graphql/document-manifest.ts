import { createHash } from 'node:crypto';
import { z } from 'zod';
import { RefusedError } from '../../identity/refused.ts';

/** A document in a manifest. */
export interface ManifestDocument {
  hash: string;
  text: string;
}

/** `{"<hash>": "query …"}`, as Relay's compiler and the client preset of GraphQL Code Generator write it. */
const byHash = z.record(z.string(), z.string());

/** As Apollo's generate-persisted-query-manifest writes it. */
const ofApollo = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string(), body: z.string() })),
});

/** The hashes that clients use by default, by their length in hexadecimal digits. */
const algorithms: Record<number, string> = { 32: 'md5', 40: 'sha1', 64: 'sha256' };

const findAlgorithm = (hash: string): string | undefined =>
  /^[\da-f]{1,64}$/.test(hash) ? algorithms[hash.length] : undefined;

/** Whether a text has the form of a hash that clients use. */
export const isHash = (hash: string): boolean => findAlgorithm(hash) !== undefined;

export function isHashOf(hash: string, text: string): boolean {
  const algorithm = findAlgorithm(hash);
  return algorithm !== undefined && createHash(algorithm).update(text).digest('hex') === hash;
}

/**
 * Reads a manifest of documents, as a front end's build writes it.
 * @throws RefusedError if it is none, or if a hash isn't its document's
 */
export function parseManifest(json: string): ManifestDocument[] {
  const documents = parseDocuments(json);
  for (const { hash, text } of documents) {
    if (!isHash(hash)) throw new RefusedError(`"${hash}" is not a SHA-256, SHA-1, or MD5 hash in hexadecimal digits`);
    if (!isHashOf(hash, text)) throw new RefusedError(`"${hash}" is not the hash of its document`);
  }
  return documents;
}

function parseDocuments(json: string): ManifestDocument[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new RefusedError('The manifest is not JSON');
  }
  const apollo = ofApollo.safeParse(value);
  if (apollo.success) return apollo.data.operations.map(({ id, body }) => ({ hash: id, text: body }));
  const plain = byHash.safeParse(value);
  if (plain.success) return Object.entries(plain.data).map(([hash, text]) => ({ hash, text }));
  throw new RefusedError('The manifest has neither the form {"<hash>": "<document>"} nor that of Apollo');
}
