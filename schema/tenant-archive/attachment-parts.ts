import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Row } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import { readAttachment, storeBytes } from '../resources/attachment/files.ts';
import { headBytes, recognize, tailBytes } from '../resources/attachment/recognize.ts';
import type { LineError } from './lines.ts';

// The bytes of an attachment follow its record, in lines of their own, so that no line is long.

/** The field of a line's type is the same as a record's. Such a line is no record: the last line doesn't count it. */
export const partType = 'attachment_part';

/** The bytes of a line: in Base64, fewer than a million characters. */
const partBytes = 720_000;

/** An attachment's lines. */
export async function* readParts(
  context: Context,
  attachment: Pick<Row<'Attachment'>, 'id'>,
): AsyncGenerator<{ attachment_id: string; bytes: string }> {
  const { content } = await readAttachment(context, attachment);
  const toPart = (bytes: Buffer) => ({ attachment_id: attachment.id, bytes: bytes.toString('base64') });
  let rest = Buffer.alloc(0);
  for await (const piece of content as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, piece]);
    for (; rest.length >= partBytes; rest = rest.subarray(partBytes)) yield toPart(rest.subarray(0, partBytes));
  }
  if (rest.length > 0) yield toPart(rest);
}

const partSchema = z.strictObject({ attachment_id: z.uuid(), bytes: z.base64().min(1).max(1_000_000) });

/** Gets an attachment's bytes as they are read. */
interface Sink {
  write: (bytes: Buffer) => Promise<void>;
  end: () => Promise<void>;
}

/** Reads the parts of attachments in the order of a file, and checks that each attachment has all of its bytes. */
export class AttachmentParts {
  #current:
    | {
        line: number;
        row: Row<'Attachment'>;
        length: number;
        sum: ReturnType<typeof createHash>;
        head: Buffer;
        tail: Buffer;
        sink: Sink | undefined;
      }
    | undefined;
  readonly #open: ((row: Row<'Attachment'>) => Promise<Sink>) | undefined;

  /** @param open where the bytes are to be stored, if they are */
  constructor(open?: (row: Row<'Attachment'>) => Promise<Sink>) {
    this.#open = open;
  }

  /** An attachment's record. end() comes before. */
  async begin(line: number, row: Row<'Attachment'>): Promise<void> {
    const empty = Buffer.alloc(0);
    const sink = await this.#open?.(row);
    this.#current = { line, row, length: 0, sum: createHash('sha256'), head: empty, tail: empty, sink };
  }

  /** @returns what is wrong with a part */
  async add(line: number, fields: Record<string, unknown>): Promise<LineError | undefined> {
    const { data, error } = partSchema.safeParse(fields);
    if (!data) return { line, message: `${error.issues[0]?.path.join('.') || 'bytes'}: Must be as an export has it.` };
    const current = this.#current;
    if (current?.row.id !== data.attachment_id.toLowerCase())
      return { line, message: 'attachment_id: Must be that of the attachment before.' };
    const bytes = Buffer.from(data.bytes, 'base64');
    current.length += bytes.length;
    if (current.length > current.row.length)
      return { line, message: `bytes: The attachment has ${current.row.length} bytes, and not more.` };
    current.sum.update(bytes);
    if (current.head.length < headBytes) current.head = Buffer.concat([current.head, bytes.subarray(0, headBytes)]);
    current.tail = Buffer.concat([current.tail, bytes]).subarray(-tailBytes);
    await current.sink?.write(bytes);
    return undefined;
  }

  /** The end of an attachment, if there is one: another record follows, or none. @returns what is wrong with it */
  async end(): Promise<LineError | undefined> {
    const current = this.#current;
    this.#current = undefined;
    if (!current) return undefined;
    const { line, row, length, sum, head, tail, sink } = current;
    await sink?.end();
    if (length !== row.length) return { line, message: `length: Is ${row.length}, but ${length} bytes follow.` };
    if (!sum.digest().equals(row.sha256)) return { line, message: 'sha256: Must be that of the bytes that follow.' };
    if (recognize(head, tail, length) !== row.contentType)
      return { line, message: 'content_type: Must be that of the bytes that follow.' };
    return undefined;
  }
}

/** Stores the bytes of attachments under their ids. A job deletes files that no row refers to. */
export const storeParts =
  (context: Context) =>
  async (row: Row<'Attachment'>): Promise<Sink> => {
    const { readable, writable } = new TransformStream<Buffer, Buffer>();
    const writer = writable.getWriter();
    const stored = storeBytes(context, readable, { id: row.id });
    stored.catch((error: unknown) => writer.abort(error).catch(() => {}));
    return {
      write: async (bytes) => {
        await writer.ready;
        // Its error is that of `stored`.
        await Promise.race([writer.write(bytes), stored]);
      },
      end: async () => {
        await Promise.race([writer.close(), stored]);
        await stored;
      },
    };
  };
