import { hash } from 'node:crypto';
import { builder } from '../graphql/builder.ts';

/** A file that a client can save. */
export interface DocumentFile {
  fileName: string;
  mediaType: 'application/pdf' | 'application/xml' | 'image/png';
  bytes: Uint8Array;
}

export const DocumentFileType = builder.objectRef<DocumentFile>('DocumentFile').implement({
  description: 'A file to save: a PDF, an e-invoice, or a logo.',
  example: { fileName: '2026-0017.pdf', mediaType: 'application/pdf', size: 48213 },
  fields: (t) => ({
    fileName: t.exposeString('fileName', { description: 'A name to save it by.' }),
    mediaType: t.exposeString('mediaType', { description: '`application/pdf`, `application/xml`, or `image/png`.' }),
    size: t.int({ description: 'The number of bytes.', resolve: ({ bytes }) => bytes.length }),
    sha256: t.string({
      description: 'The SHA-256 of the bytes, in hexadecimal digits.',
      resolve: ({ bytes }) => hash('sha256', bytes),
    }),
    base64: t.string({
      description: 'The bytes, in Base64.',
      resolve: ({ bytes }) => Buffer.from(bytes).toString('base64'),
    }),
  }),
});
