import { builder } from '../../graphql/builder.ts';
import { Node } from '../../graphql/node.ts';
import { readContent, type Head } from './content.ts';
import { getKeyId } from './signature.ts';

const ChainHead = builder.objectRef<Head>('ChainHead').implement({
  description: 'The last link of a chain of hashes.',
  example: { position: 17, hash: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752' },
  fields: (t) => ({
    position: t.exposeInt('position', { description: 'Its place in the chain, from 1.' }),
    hash: t.exposeString('hash', { description: 'Its hash, in hexadecimal digits. It proves all links before.' }),
  }),
});

export const Anchor = builder.prismaObject('Anchor', {
  interfaces: [Node],
  example: {
    content: '{"version":1,"tenant_id":"01976f5e-8a00-7000-8000-000000000000"}',
    keyId: '1f2e3d4c5b6a7988',
    publicKey: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
    signature: '5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc+bRr0lv18FlbviRlUUFDjnoQCw==',
    timestamp: null,
    timestampedAt: null,
  },
  fields: (t) => ({
    id: t.exposeID('id'),
    at: t.expose('createdAt', { type: 'DateTime', description: 'When it was signed.' }),
    documents: t.field({
      type: ChainHead,
      nullable: true,
      description: 'The last proof of a document; null if there was none.',
      select: { content: true },
      resolve: ({ content }) => readContent(content)?.documents,
    }),
    auditLog: t.field({
      type: ChainHead,
      nullable: true,
      description: 'The last seal of the audit log; null if there was none.',
      select: { content: true },
      resolve: ({ content }) => readContent(content)?.auditLog,
    }),
    content: t.exposeString('content', {
      description: 'What is signed, as the text that was signed: the tenant, the time, and both heads.',
    }),
    keyId: t.string({
      description: 'The name of the key: the first 16 hexadecimal digits of the SHA-256 of its public key.',
      select: { publicKey: true },
      resolve: ({ publicKey }) => getKeyId(publicKey),
    }),
    publicKey: t.string({
      description:
        'The public key, in Base64. Compare it with one that you have noted: anybody could sign with their own.',
      select: { publicKey: true },
      resolve: ({ publicKey }) => Buffer.from(publicKey).toString('base64'),
    }),
    signature: t.string({
      description: 'The Ed25519 signature of `content` in UTF-8, in Base64.',
      select: { signature: true },
      resolve: ({ signature }) => Buffer.from(signature).toString('base64'),
    }),
    timestamp: t.string({
      nullable: true,
      description:
        'A time-stamp of `content` in UTF-8 by an authority (RFC 3161): the token in Base64, which `openssl ts -verify -token_in` checks. Null if there is none, or not yet.',
      select: { timestampToken: true },
      resolve: ({ timestampToken }) => timestampToken && Buffer.from(timestampToken).toString('base64'),
    }),
    timestampedAt: t.expose('timestampedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'The time that the time-stamp states; null without one.',
    }),
  }),
});
