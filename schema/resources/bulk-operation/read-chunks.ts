import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { refuse } from '../../errors/errors.ts';

/** The most lines of a body, those that are empty included. */
export const maxLines = 1_000_000;

/** The longest line, in bytes: as long as the body of a single request may be. */
export const maxLineBytes = 1024 * 1024;

/** A chunk ends with the line by which it has so many lines, or so many bytes. One transaction writes a chunk. */
const chunkLines = 200;
const chunkBytes = 256 * 1024;

const zstd = promisify(zstdCompress);
const unzstd = promisify(zstdDecompress);

export const compressLines = (text: Buffer): Promise<Buffer<ArrayBuffer>> =>
  zstd(text, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });

export const decompressLines = (content: Uint8Array): Promise<Buffer<ArrayBuffer>> => unzstd(content);

/** Lines of a body, with their breaks. */
export interface InputChunk {
  /** The number of the first line, from 1. */
  firstLine: number;
  /** The number of lines that are not empty. */
  lines: number;
  text: Buffer;
}

/** A line, and its number in the body, from 1. */
export interface InputLine {
  number: number;
  bytes: Buffer;
}

const newline = 0x0a;

/**
 * Divides a body into chunks as it comes, so that little of it is in memory.
 * @throws ValidationError where a line is too long, or there are too many, or none
 */
export async function* readChunks(body: AsyncIterable<Buffer>): AsyncGenerator<InputChunk> {
  const chunk = { firstLine: 1, lines: 0, length: 0, parts: [] as Buffer[] };
  let number = 1;
  let lineLength = 0;
  let isBlank = true;
  let any = false;
  const add = (part: Buffer): void => {
    chunk.parts.push(part);
    chunk.length += part.length;
  };
  const extendLine = (part: Buffer): void => {
    lineLength += part.length;
    if (lineLength > maxLineBytes)
      refuse('input.file', 'file_too_large', `Line ${number} is longer than ${maxLineBytes} bytes.`, {
        max: maxLineBytes,
      });
    isBlank &&= isBlankText(part);
  };
  const endLine = (): void => {
    if (number > maxLines) refuse('input.file', 'too_many', `Has more than ${maxLines} lines.`, { max: maxLines });
    if (!isBlank) chunk.lines += 1;
    number += 1;
    lineLength = 0;
    isBlank = true;
  };
  const endChunk = (): InputChunk => {
    const { firstLine, lines, parts } = chunk;
    Object.assign(chunk, { firstLine: number, lines: 0, length: 0, parts: [] });
    any ||= lines > 0;
    return { firstLine, lines, text: Buffer.concat(parts) };
  };
  for await (const piece of body) {
    let start = 0;
    let at = 0;
    for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, at)) {
      extendLine(piece.subarray(at, end));
      endLine();
      at = end + 1;
      if (chunk.lines < chunkLines && chunk.length + at - start < chunkBytes) continue;
      add(piece.subarray(start, at));
      start = at;
      if (chunk.lines > 0) yield endChunk();
      else endChunk();
    }
    extendLine(piece.subarray(at));
    add(piece.subarray(start));
  }
  if (lineLength > 0) endLine();
  const last = endChunk();
  if (last.lines > 0) yield last;
  if (!any) refuse('input.file', 'required', 'Has no line.');
}

/** The lines of a chunk that are not empty. */
export function splitLines(firstLine: number, text: Buffer): InputLine[] {
  const lines: InputLine[] = [];
  let number = firstLine;
  for (let at = 0; at < text.length; number += 1) {
    const found = text.indexOf(newline, at);
    const end = found === -1 ? text.length : found;
    const bytes = text.subarray(at, end);
    if (!isBlankText(bytes)) lines.push({ number, bytes });
    at = end + 1;
  }
  return lines;
}

/** Whether there is nothing but spaces, tabs, and carriage returns. */
function isBlankText(text: Buffer): boolean {
  for (const byte of text) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}
