// Declarations of packages that their types lack.

declare module 'linebreak' {
  /** Where a text may be broken into lines, by Unicode Standard Annex 14. */
  export default class LineBreaker {
    constructor(text: string);
    /** The next position where a line may or must end. Null at the end of the text. */
    nextBreak(): { position: number; required: boolean } | null;
  }
}

// The package's types are those of its ES module, and its main file isn't one.
declare module 'bidi-js/dist/bidi.mjs' {
  export default function bidiFactory(): import('bidi-js').Bidi;
}

// @types/pdfkit is of an older pdfkit.
declare namespace PDFKit {
  interface DocumentInfo {
    Fingerprint?: string;
  }
  interface PDFKitReference {
    /** The parts of a stream, which are kept until the document ends. */
    buffer: Uint8Array[];
  }
}

declare namespace PDFKit.Mixins {
  interface PDFFont {
    registerFont(name: string, font: import('fontkit').Font): this;
  }
  interface StructureElementOptions {
    /** Of a table's header cell. */
    scope?: 'Column' | 'Row';
  }
  interface PDFAttachmentOptions {
    /** ISO 32000-2: what the file is to the document. */
    relationship?: 'Alternative' | 'Data' | 'Source' | 'Supplement' | 'Unspecified';
  }
}
