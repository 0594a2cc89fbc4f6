import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import Negotiator from 'negotiator';

// Compressed responses (RFC 9110, 8.4). The callers of a token only: a page of another site can have a browser send a session's
// cookie, and could guess what is in a response by the length of its compressed text (BREACH).

export type Coding = 'zstd' | 'br' | 'gzip';

type Bytes = Buffer<ArrayBuffer>;

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);
const compressZstd = promisify(zstdCompress);

/** Low levels: of JSON, the higher ones save little more, and take several times as long. */
export const compressors: Record<Coding, (body: Buffer) => Promise<Bytes>> = {
  zstd: (body) => compressZstd(body, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  br: (body) => compressBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  gzip: (body) => compressGzip(body, { level: 3 }),
};

/** The ones that are offered, the best first. */
const codings = Object.keys(compressors) as Coding[];

/** A shorter body fits into one packet anyway, in bytes. */
const minLength = 1024;

/** Browsers send some 30 characters. Reading a list of thousands of codings takes milliseconds. */
const longestHeader = 200;

/** The coding for a body; undefined if it must be sent as it is, or is better sent so. */
export function chooseCoding(
  acceptEncoding: string | null | undefined,
  type: string,
  body: Buffer,
): Coding | undefined {
  return body.length < minLength || !isCompressible(type) ? undefined : chooseAmong(codings, acceptEncoding);
}

/** Which of these codings is best for a client; undefined for none. */
export function chooseAmong(offered: Coding[], acceptEncoding: string | null | undefined): Coding | undefined {
  if (!acceptEncoding || acceptEncoding.length > longestHeader) return undefined;
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  const chosen = negotiator.encoding([...offered, 'identity'], { preferred: offered });
  return offered.find((coding) => coding === chosen);
}

const isCompressible = (type: string): boolean =>
  /^(?:application\/(?:[\w.-]+\+)?json|text\/plain)\s*(?:;|$)/.test(type);

/** Says that the response depends on what its client accepts, for caches. */
export const varyByCoding = (response: ServerResponse): unknown => response.appendHeader('Vary', 'Accept-Encoding');

/** The same response, compressed if its client takes that, and it pays. It has no strong entity tag, which is of these bytes. */
export async function compressResponse(
  response: Response,
  acceptEncoding: string | null | undefined,
): Promise<Response> {
  const type = response.headers.get('content-type') ?? '';
  if (!acceptEncoding || !isCompressible(type)) return response;
  const { status } = response;
  const headers = new Headers(response.headers);
  const body = Buffer.from(await response.arrayBuffer());
  const coding = chooseCoding(acceptEncoding, type, body);
  if (!coding) return new Response(body, { status, headers });
  const compressed = await compressors[coding](body);
  headers.set('Content-Encoding', coding);
  headers.set('Content-Length', String(compressed.length));
  return new Response(compressed, { status, headers });
}
