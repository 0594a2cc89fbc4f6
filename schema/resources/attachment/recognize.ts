import { open, type FileHandle } from 'node:fs/promises';
import { SaxesParser } from 'saxes';

// The type of a file, by its content. The file is served under this type only, whatever a client calls it.

export const contentTypes = ['application/pdf', 'image/jpeg', 'image/png', 'image/webp', 'application/xml'] as const;
export type ContentType = (typeof contentTypes)[number];

/** The part at the beginning that is looked at: the root element of XML must begin in it. */
export const headBytes = 64 * 1024;
/** Readers of PDF look for its end in so many last bytes. */
export const tailBytes = 1024;

const pngStart = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');

/** The type of a file on disk; undefined for any but those of attachments. */
export async function recognizeFile(path: string): Promise<ContentType | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const head = await readPart(file, 0, Math.min(headBytes, size));
    const tail = await readPart(file, Math.max(0, size - tailBytes), Math.min(tailBytes, size));
    return recognize(head, tail, size);
  } finally {
    await file.close();
  }
}

/** @param length of the whole file */
export function recognize(head: Buffer, tail: Buffer, length: number): ContentType | undefined {
  if (head.subarray(0, 5).equals(Buffer.from('%PDF-')))
    return tail.subarray(-tailBytes).includes('%%EOF') ? 'application/pdf' : undefined;
  if (head.subarray(0, pngStart.length).equals(pngStart)) return 'image/png';
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return 'image/jpeg';
  if (isWebp(head, length)) return 'image/webp';
  return isXml(head, tail) ? 'application/xml' : undefined;
}

async function readPart(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

/** Its container says how long it is, which may be one byte of padding less. */
const isWebp = (head: Buffer, length: number): boolean =>
  head.length >= 12 &&
  head.toString('latin1', 0, 4) === 'RIFF' &&
  head.toString('latin1', 8, 12) === 'WEBP' &&
  [0, 1].includes(length - 8 - head.readUInt32LE(4));

/** Documents for browsers, which can have scripts. */
const ofBrowsers = new Set(['http://www.w3.org/1999/xhtml', 'http://www.w3.org/2000/svg']);
const namesOfBrowsers = new Set(['html', 'svg']);

/** Whether a file begins as XML does, until its root element, and ends with a tag: without a DTD, and without a style sheet. */
function isXml(head: Buffer, tail: Buffer): boolean {
  const encoding = findEncoding(head);
  const text = new TextDecoder(encoding).decode(head);
  if (!/^\s*</.test(text) || !/>\s*$/.test(new TextDecoder(encoding).decode(tail))) return false;
  const parser = new SaxesParser({ xmlns: true });
  const found: { isXml?: boolean } = {};
  parser.on('doctype', () => (found.isXml ??= false));
  parser.on('processinginstruction', ({ target }) => {
    if (target.toLowerCase() === 'xml-stylesheet') found.isXml ??= false;
  });
  parser.on('opentag', ({ local, uri }) => {
    found.isXml ??= !ofBrowsers.has(uri) && !namesOfBrowsers.has(local.toLowerCase());
  });
  parser.on('error', () => (found.isXml ??= false));
  // In pieces, so that the parser doesn't go on after the root element.
  for (let at = 0; at < text.length && found.isXml === undefined; at += 1024) {
    try {
      parser.write(text.slice(at, at + 1024));
    } catch {
      return found.isXml ?? false;
    }
  }
  return found.isXml ?? false;
}

/** Tags are ASCII in the other encodings of XML, too. */
function findEncoding(head: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : 'utf-8';
}
