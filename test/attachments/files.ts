import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import type { Integrator, Service } from '../harness.ts';

// Small files of each type, and what tests do with attachments.

/** A PDF of about this length, whose content is random. */
export const makePdf = (length = 300): Buffer =>
  Buffer.concat([
    Buffer.from('%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj\n% '),
    Buffer.from(randomBytes(Math.max(0, Math.ceil((length - 90) / 2))).toString('hex')),
    Buffer.from('\ntrailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n'),
  ]);

export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** A white PNG of any size: a few bytes for many pixels. */
export function makePng(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 1; // bit of grey
  const pixels = deflateSync(Buffer.alloc((1 + Math.ceil(width / 8)) * height));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

export const jpeg = Buffer.concat([
  Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
  Buffer.from('ffd9', 'hex'),
]);
export const webp = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64');
export const xml = Buffer.from(
  '<?xml version="1.0" encoding="UTF-8"?>\n<!-- An invoice -->\n<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"/>',
);

export interface Sent {
  status: number;
  headers: Headers;
  bytes: Buffer;
  // oxlint-disable-next-line typescript/no-explicit-any -- as JSON.parse() has it
  body: any;
}

/** Requests with bodies and answers that are bytes. */
export function sending({ url }: Pick<Service, 'url'>, { token }: Pick<Integrator, 'token'>) {
  return async (
    method: string,
    path: string,
    body?: Uint8Array | ReadableStream,
    headers: Record<string, string> = {},
  ): Promise<Sent> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body: body as BodyInit, duplex: 'half' }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      body: isJson ? JSON.parse(bytes.toString()) : undefined,
    };
  };
}

export type Send = ReturnType<typeof sending>;

/** Uploads a file. */
export const attach = (
  send: Send,
  receiptId: string,
  bytes: Uint8Array | ReadableStream = makePdf(),
  filename = 'receipt.pdf',
  headers: Record<string, string> = {},
): Promise<Sent> =>
  send('POST', `/receipts/${receiptId}/attachments?filename=${encodeURIComponent(filename)}`, bytes, headers);

/** A row of an attachment, whose file is nowhere. */
export const makeAttachment = async ({ db }: Pick<Integrator, 'db'>, receiptId: string): Promise<string> => {
  const file = { filename: 'receipt.pdf', contentType: 'application/pdf', length: 1, sha256: Buffer.alloc(32) };
  return (await db.attachment.create({ data: { receiptId, position: 1, ...file } })).id;
};
