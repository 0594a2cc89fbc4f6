/** A file as it is written. */
export interface ExportContent {
  fileName: string;
  chunks: AsyncIterable<Uint8Array>;
}

/** Called with the number of rows that are written, while it grows. An error that it throws ends the export. */
export type OnRows = (written: number) => void;

/** Something that an export needs has come meanwhile, and isn't prepared: it is to be prepared, and begun again. */
export class UnpreparedError extends Error {}
