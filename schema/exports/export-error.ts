/** An export can't be written as it was asked for. The message is a sentence for whoever asked. */
export class ExportError extends Error {
  override readonly name = 'ExportError';
}
