import { detectDelimiter, detectEncoding, readHeadBytes, parseRows } from '../../upload/csv-head.ts';

/** A file with its beginning, and how it is written. */
export interface FileHead {
  file: File;
  bytes: Uint8Array;
  detected: { encoding: string; delimiter: string };
  /** Null: as detected. */
  encoding: string | null;
  delimiter: string | null;
}

const decodeText = (bytes: Uint8Array, encoding: string): string => new TextDecoder(encoding).decode(bytes);

export async function readHead(file: File): Promise<FileHead> {
  const bytes = await readHeadBytes(file);
  const encoding = detectEncoding(bytes);
  const detected = { encoding, delimiter: detectDelimiter(decodeText(bytes, encoding), 0) };
  return { file, bytes, detected, encoding: null, delimiter: null };
}

/** The file's first rows; none if they can't be parsed. */
export const rowsOfHead = ({ bytes, detected, encoding, delimiter }: FileHead): string[][] =>
  parseRows(decodeText(bytes, encoding ?? detected.encoding), 0, delimiter ?? detected.delimiter);
