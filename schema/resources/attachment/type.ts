import { builder } from '../../graphql/builder.ts';
import { Receipt } from '../receipt/type.ts';

/** The order of a receipt's attachments. */
export const inOrder = { orderBy: { position: 'asc' } } as const;

export const Attachment = builder.prismaObject('Attachment', {
  example: {
    position: 1,
    filename: 'RE-2026-0815.pdf',
    contentType: 'application/pdf',
    length: 48213,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    url: 'https://kontor.example/api/v1/receipts/01976f5e-8a00-7000-8000-000000000000/attachments/01976f5e-8a00-7000-8000-000000000001/file',
  },
  fields: (t) => ({
    id: t.exposeID('id'),
    receiptId: t.expose('receiptId', { type: 'UUID' }),
    position: t.exposeInt('position'),
    filename: t.exposeString('filename'),
    contentType: t.exposeString('contentType'),
    length: t.exposeInt('length'),
    sha256: t.string({
      description: 'The SHA-256 of the bytes, in hexadecimal digits.',
      select: { sha256: true },
      resolve: ({ sha256 }) => Buffer.from(sha256).toString('hex'),
    }),
    url: t.string({
      description: 'The address of the bytes, for the same token, or for the session.',
      select: { id: true, receiptId: true },
      resolve: ({ id, receiptId }, _args, { fileLinks }) => fileLinks.attachment(receiptId, id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
});

builder.prismaObjectField(Receipt, 'attachments', (t) => t.relation('attachments', { query: inOrder }));
