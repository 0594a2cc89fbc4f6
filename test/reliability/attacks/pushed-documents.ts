import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Integrator } from '../../harness.ts';
import { size } from '../size.ts';
import type { Attack } from './attack.ts';

const seconds = size('SECONDS', { suite: 1, full: 30 });
/** In each request. */
const documentsOfRequest = size('DOCUMENTS', { suite: 10, full: 50 });
const atOnce = 4;

/** As costly to validate as a document may be: fields of the same name are compared, each with each. */
const costly = (marker: number): string =>
  `query Q${marker} { ${'customers { nodes { id companyName email city } } '.repeat(130)} }`;
/** More brackets within brackets than the parser could take. */
const nested = `query { ${'a { '.repeat(20_000)}a${' }'.repeat(20_000)} }`;

const toDocument = (text: string): { hash: string; text: string } => ({
  hash: createHash('sha256').update(text).digest('hex'),
  text,
});
const mutation =
  'mutation ($documents: [TrustedDocumentInput!]!) { registerDocuments(documents: $documents) { created } }';

async function prepare(_served: unknown, attacker: Integrator): Promise<() => Promise<void>> {
  const register = (documents: object[]) => attacker.graphqlAnswer(mutation, { documents });
  const known = await register([toDocument(costly(0))]);
  expect(known.body.data).toEqual({ registerDocuments: { created: 1 } });
  const { body } = await register([toDocument(nested)]);
  expect(body.errors?.[0].extensions.code).toBe('VALIDATION_FAILED');
  let marker = 0;
  return async () => {
    const until = performance.now() + seconds * 1000;
    const send = async (): Promise<void> => {
      while (performance.now() < until) {
        const documents = Array.from({ length: documentsOfRequest }, () => toDocument(costly((marker += 1))));
        // The last one is wrong, so that nothing is stored, and the limit of documents is never reached.
        const answer = await register([...documents, toDocument(`{ unknown${marker} }`)]);
        const { code } = answer.body.errors[0].extensions;
        expect(['VALIDATION_FAILED', 'RATE_LIMITED', 'UNAVAILABLE']).toContain(code);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, send));
  };
}

const attack: Attack = {
  title: `${atOnce} callers that register documents as costly to validate as they may be`,
  memoryGrowth: 900,
  prepare,
};
export default attack;
