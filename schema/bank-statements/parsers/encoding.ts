import { StatementError, quote } from './transaction.ts';

const lineBreaks = (text: string): number => text.split('\n').length - 1;
const notAscii = /[^\0-\x7f]/;

/** The encoding that the first bytes show by a byte order mark, or by every second byte being 0. */
export function markedEncoding(head: Uint8Array): string | undefined {
  const [first, second, third] = head;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== undefined && second !== 0)) return 'utf-16be';
  return undefined;
}

const declaration = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']+)["']/;

/** The encoding of an XML file without a byte order mark: the declared one, or UTF-8. */
export function xmlEncoding(head: Uint8Array): string {
  const declared = declaration.exec(Buffer.from(head).toString('latin1'))?.[1] ?? 'utf-8';
  // .NET declares "utf-16" for files in any encoding. Real UTF-16 has a byte order mark.
  return /^utf-?16/i.test(declared) ? 'utf-8' : declared;
}

/** The line of the first byte that can't be decoded; exact unless a chunk ends inside a character. */
const brokenLine = (bytes: Uint8Array, encoding: string, linesBefore: number): string => {
  const [sound = ''] = new TextDecoder(encoding).decode(bytes).split('\uFFFD', 1);
  return `line ${linesBefore + lineBreaks(sound) + 1}`;
};

/**
 * Decodes bytes to text, without a byte order mark. The default encoding is UTF-8 if the bytes are valid UTF-8, else
 * Windows-1252, which includes ISO-8859-1.
 */
export async function* decode(source: AsyncIterable<Uint8Array>, encoding?: string): AsyncGenerator<string> {
  if (encoding === undefined) return yield* guess(source);
  let decoder;
  try {
    decoder = new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new StatementError(null, `is in an encoding that isn't known: ${quote(encoding)}`);
  }
  let lines = 0;
  for await (const bytes of source) {
    let text;
    try {
      text = decoder.decode(bytes, { stream: true });
    } catch {
      throw notIn(encoding, brokenLine(bytes, encoding, lines));
    }
    lines += lineBreaks(text);
    yield text;
  }
  try {
    yield decoder.decode();
  } catch {
    throw notIn(encoding, `line ${lines + 1}`);
  }
}

const notIn = (encoding: string, where: string): StatementError =>
  new StatementError(where, `text has bytes that are not ${encoding.toUpperCase()}`);

/** The number of bytes at the end that begin an incomplete UTF-8 character. */
function cutBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/**
 * Both encodings are equal for ASCII. The first chunk that isn't ASCII determines the encoding of the whole file, so that
 * the text before it is right in any case.
 */
async function* guess(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decided: 'utf-8' | 'windows-1252' | undefined;
  let rest = new Uint8Array(0);
  let lines = 0;
  const read = (bytes: Uint8Array): string => {
    let text;
    if (decided !== 'windows-1252')
      try {
        text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
        if (notAscii.test(text)) decided = 'utf-8';
      } catch {
        if (decided === 'utf-8' || mostlyUtf8(bytes)) throw notIn('UTF-8', brokenLine(bytes, 'utf-8', lines));
        decided = 'windows-1252';
      }
    text ??= new TextDecoder('windows-1252').decode(bytes);
    lines += lineBreaks(text);
    return text;
  };
  for await (const bytes of source) {
    const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes;
    const cut = decided === 'windows-1252' ? 0 : cutBytes(all);
    rest = new Uint8Array(all.subarray(all.length - cut));
    yield read(all.subarray(0, all.length - cut));
  }
  if (rest.length > 0) yield read(rest);
}

/** Whether the bytes are damaged UTF-8 rather than Windows-1252, in which two such bytes in a row are rare. */
function mostlyUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder('utf-8').decode(bytes);
  let sound = 0;
  let flaws = 0;
  for (const character of text) {
    if (character === '\uFFFD') flaws += 1;
    else if (character > '\x7f') sound += 1;
  }
  return sound > flaws;
}
