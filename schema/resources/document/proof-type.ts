import { builder } from '../../graphql/builder.ts';
import type { Context } from '../../graphql/context.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { idArgument } from '../../graphql/input/id-argument.ts';
import { NotFoundError } from '../../errors/errors.ts';
import { creditNoteData, invoiceData, writeData } from './proven-data.ts';
import { isOfReceipt, readContent } from './proof-content.ts';
import type { DocumentKey } from './read-source.ts';

/** The data that a third party needs to check one document. */
interface Proof {
  number: string;
  position: number;
  previousHash: string;
  hash: string;
  content: string;
  data: string | null;
  provenAt: Date;
}

const ProofType = builder.objectRef<Proof>('DocumentProof').implement({
  description:
    'What a third party needs to check an issued document: `hash` is the SHA-256 of the bytes of `previousHash`, followed by `content` in UTF-8. `content` has the SHA-256 of each file, and of `data`.',
  example: {
    number: '2026-0017',
    position: 17,
    previousHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    hash: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
    content: '{"version":2,"number":"2026-0017","at":"2026-01-31T09:30:00.000Z","files":{},"data":"2c26b46b"}',
    data: '{"currency":"EUR"}',
    provenAt: '2026-01-31T09:30:00Z',
  },
  fields: (t) => ({
    number: t.exposeString('number', { description: 'The number of the document.' }),
    position: t.exposeInt('position', { description: "Its place in the chain of the tenant's proofs, from 1." }),
    previousHash: t.exposeString('previousHash', {
      description: 'The hash of the proof before, in hexadecimal digits; 64 zeros for the first one.',
    }),
    hash: t.exposeString('hash', { description: 'The hash of this proof, in hexadecimal digits.' }),
    content: t.exposeString('content', { description: 'What is proven, as the text that was hashed.' }),
    data: t.exposeString('data', {
      nullable: true,
      description: 'What the document says, as the text whose hash is proven; null for a proof of files only.',
    }),
    provenAt: t.expose('provenAt', { type: 'DateTime', description: 'When it was proven.' }),
  }),
});

/** @throws NotFoundError also where the document has no proof yet */
async function readProof(context: Context, document: DocumentKey): Promise<Proof> {
  const { db } = context;
  const proof = await db.documentProof.findFirst({
    where: document,
    include: { invoice: { include: invoiceData }, creditNote: { include: creditNoteData } },
  });
  const issued = proof?.invoice ?? proof?.creditNote;
  if (!proof || !issued) throw new NotFoundError();
  const before = await db.documentProof.findFirst({ where: { position: proof.position - 1 } });
  const content = readContent(proof.content);
  const said = content && !isOfReceipt(content) ? content : undefined;
  return {
    number: issued.number ?? '',
    position: proof.position,
    previousHash: Buffer.from(before?.hash ?? new Uint8Array(32)).toString('hex'),
    hash: Buffer.from(proof.hash).toString('hex'),
    content: proof.content,
    data: said?.data === undefined ? null : writeData(issued, 'version' in said ? 2 : 1),
    provenAt: proof.createdAt,
  };
}

builder.queryFields((t) => ({
  invoiceProof: t.field({
    type: ProofType,
    nullable: true,
    description: 'The proof of an issued invoice. It is made some seconds after the issue.',
    ability: 'invoices:read',
    args: idArgument,
    resolve: async (_root, { id }, context) => {
      await findById(context, 'Invoice', id);
      return readProof(context, { invoiceId: id });
    },
  }),
  creditNoteProof: t.field({
    type: ProofType,
    nullable: true,
    description: 'The proof of a credit note. It is made some seconds after the issue.',
    ability: 'invoices:read',
    args: idArgument,
    resolve: async (_root, { id }, context) => {
      await findById(context, 'CreditNote', id);
      return readProof(context, { creditNoteId: id });
    },
  }),
}));
