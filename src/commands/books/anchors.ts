import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { z } from 'zod';
import { readContent, type AnchorContent, type Head } from '../../../schema/resources/anchor/content.ts';
import { toHeads, type NotedHeads } from '../../../schema/resources/anchor/noted-heads.ts';
import { getKeyId, isSigned, keyBytes } from '../../../schema/resources/anchor/signature.ts';
import { readConfig } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import { RefusedError } from '../../identity/index.ts';
import { readAnchorKey } from '../../security/anchor-key.ts';
import { readFormerAnchorKeys } from '../../security/rotation.ts';
import { readKeyring } from '../../security/secret-check.ts';

// Heads of the chains that somebody noted outside of the database: proofs, as `kontor verify` prints the last one, and anchors, as
// webhooks and REST give them.

export interface Expected {
  expect?: Head[];
  expectFile?: string;
  anchorKey?: Buffer[];
}

export const withExpected = (command: Command): Command =>
  command
    .option('--expect <position:hash>', 'a proof that was noted earlier; repeatable', (text, before: Head[] = []) => {
      const head = parseHead(text);
      if (!head) throw new InvalidArgumentError('It must be a position and a hash, such as 17:9f86….');
      return [...before, head];
    })
    .option('--expect-file <file>', 'proofs and anchors that were noted earlier, a line for each')
    .option(
      '--anchor-key <public key>',
      "whose anchors are trusted, beside those of this installation's key; repeatable",
      (text, before: Buffer[] = []) => {
        const key = Buffer.from(text, 'base64');
        if (key.length !== keyBytes || key.toString('base64') !== text)
          throw new InvalidArgumentError('It must be the public_key of an anchor.');
        return [...before, key];
      },
    );

/**
 * The heads of the options and of the file.
 * @param tenantId whose anchors are accepted; undefined for any tenant's
 * @throws RefusedError for a line that is none, or an anchor that isn't signed by a trusted key
 */
export async function readExpected(
  { expect = [], expectFile, anchorKey: trusted = [] }: Expected,
  database: Database,
  tenantId?: string,
): Promise<NotedHeads> {
  if (expectFile === undefined) return { documents: expect, auditLog: [] };
  const lines = (await readFile(expectFile, 'utf8')).split('\n');
  const proofs = [...expect];
  const contents: AnchorContent[] = [];
  const config = readConfig(process.env);
  const keyring = await readKeyring(config, database);
  const keys = [
    ...trusted,
    readAnchorKey(config, keyring.encrypting.key.secret).publicKey,
    ...(await readFormerAnchorKeys(database.pool, keyring)),
  ];
  for (const [at, line] of lines.entries()) {
    const text = line.trim();
    if (text === '') continue;
    const refuse = (message: string): never => {
      throw new RefusedError(`${expectFile}:${at + 1}: ${message}`);
    };
    if (!text.startsWith('{')) {
      proofs.push(parseHead(text) ?? refuse('Must be POSITION:HASH, or an anchor as JSON'));
      continue;
    }
    const anchors = parseAnchors(text) ?? refuse('Must be POSITION:HASH, or an anchor as JSON');
    for (const anchor of anchors) {
      const content = readContent(anchor.content) ?? refuse('The content of the anchor can not be read');
      if (!isSigned(anchor)) refuse('The signature of the anchor is not right');
      if (!keys.some((key) => key.equals(anchor.publicKey)))
        refuse(
          `The anchor is signed by the key ${getKeyId(anchor.publicKey)}. If you trust it: --anchor-key ${anchor.publicKey.toString('base64')}`,
        );
      if (tenantId !== undefined && content.tenantId !== tenantId) refuse('The anchor is of another tenant');
      contents.push(content);
    }
  }
  const anchored = toHeads(contents);
  return { documents: [...proofs, ...anchored.documents], auditLog: anchored.auditLog };
}

function parseHead(text: string): Head | undefined {
  const [, position = '', hash = ''] = /^([1-9]\d{0,8}):([0-9a-fA-F]{64})$/.exec(text) ?? [];
  return position === '' ? undefined : { position: Number(position), hash: hash.toLowerCase() };
}

const bytes = z.base64().transform((text) => Buffer.from(text, 'base64'));
/** The heads are in `content`, which is signed: other fields may say anything. */
const anchorSchema = z
  .object({ content: z.string(), public_key: bytes, signature: bytes })
  .transform(({ content, public_key: publicKey, signature }) => ({ content, publicKey, signature }));
type SignedAnchor = z.infer<typeof anchorSchema>;

const event = z.object({ event: z.literal('books.anchored'), data: z.object({ books: anchorSchema }) });
/** An anchor, an event, and the answers to GET /anchors/ID and GET /anchors. */
const lineSchema = z.union([
  anchorSchema.transform((anchor) => [anchor]),
  event.transform(({ data }) => [data.books]),
  z.object({ data: anchorSchema }).transform(({ data }) => [data]),
  z.object({ data: z.array(anchorSchema) }).transform(({ data }) => data),
]);

function parseAnchors(text: string): SignedAnchor[] | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
