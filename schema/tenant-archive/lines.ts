import { createReadStream } from 'node:fs';

/** A file that can't be imported: what is wrong, by line. */
export class LineErrors extends Error {
  override name = 'LineErrors';
  readonly errors: readonly LineError[];

  constructor(errors: readonly LineError[]) {
    super(errors.map(({ line, message }) => `line ${line}: ${message}`).join('\n'));
    this.errors = errors;
  }
}

export interface LineError {
  /** Counted from 1. */
  line: number;
  message: string;
}

/** No error beyond these is reported. */
export const maxLineErrors = 100;

export interface Line {
  number: number;
  text: string;
}

/**
 * Characters of the longest line. An export must not write a longer one: the e-invoice of 500 items with the longest texts, of
 * characters that XML escapes, is half of it.
 */
const maxLineLength = 32 * 1024 * 1024;

/**
 * The lines of a UTF-8 file, without their line breaks. Empty lines are left out.
 * @param report gets the number of bytes read so far
 * @throws LineErrors where a line is too long, or isn't UTF-8
 */
export async function* readLines(file: string, report: (bytes: number) => void = () => {}): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [number, bytes] = [0, 0];
  // Of the line that isn't over yet. Joined once, as lines are long.
  let parts: string[] = [];
  let length = 0;
  const decode = (chunk?: Buffer): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new LineErrors([{ line: number + 1, message: 'This line, or one soon after it, is not UTF-8.' }]);
    }
  };
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    const [first = '', ...others] = decode(chunk).split('\n');
    parts.push(first);
    length += first.length;
    for (const next of others) {
      const text = parts.join('');
      number += 1;
      if (text.trim() !== '') yield { number, text };
      parts = [next];
      length = next.length;
    }
    if (length > maxLineLength)
      throw new LineErrors([{ line: number + 1, message: `Is longer than ${maxLineLength} characters.` }]);
    report((bytes += chunk.length));
  }
  const text = parts.join('') + decode();
  if (text.trim() !== '') yield { number: number + 1, text };
}
