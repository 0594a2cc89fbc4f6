import { z } from 'zod';
import { resources, type Resource } from '../resource-list.ts';
import type { Context } from '../graphql/context.ts';
import { CodedError, refuse } from '../errors/errors.ts';

/** How long a cursor is accepted. Deletions are kept longer, so that none can be missed. */
export const cursorDays = 90;

/** A position in a tenant's change feed. */
export interface ChangeCursor {
  /** The position of the last change that was read, as text: it has up to 64 bits. */
  position: string;
  /** A restored backup starts another epoch, in which earlier cursors mean nothing. */
  epoch: string;
  /** The resources that were read so far. Others can't be added later: their earlier changes would be missed. */
  resources: readonly Resource[];
  /**
   * Changes that the reader has missed so far were made after this time. The cursor is accepted for `cursorDays` from
   * then on, so that no deletion is taken out of the feed before the reader comes to it, however many pages follow.
   */
  knownUntil: Date;
}

/** The largest number of 64 bits, PostgreSQL's bigint. */
const largest = 2n ** 63n - 1n;
const wholeNumber = z.string().refine((text) => /^\d{1,19}$/.test(text) && BigInt(text) <= largest);
const shape = z.tuple([wholeNumber, wholeNumber, z.int(), z.array(z.string())]);

/** Encodes a cursor. It is opaque to clients. */
export const encodeChangeCursor = ({ position, epoch, resources: read, knownUntil }: ChangeCursor): string =>
  Buffer.from(
    JSON.stringify([position, epoch, Math.floor(knownUntil.getTime() / 1000), read.map(({ name }) => name)]),
  ).toString('base64url');

/**
 * @param epoch the feed's current epoch
 * @throws ValidationError if the text is no cursor; CodedError CURSOR_EXPIRED if it is too old
 */
export function decodeChangeCursor(text: string, epoch: string, { now }: Pick<Context, 'now'>): ChangeCursor {
  const [position, ofEpoch, seconds, names] =
    parse(text) ?? refuse('since', 'invalid_cursor', 'Must be a cursor of this feed.');
  const knownUntil = new Date(seconds * 1000);
  const isTooOld = now().getTime() - knownUntil.getTime() > cursorDays * 86_400_000;
  if (isTooOld || ofEpoch !== epoch)
    throw new CodedError(
      'CURSOR_EXPIRED',
      isTooOld
        ? `The cursor is older than ${cursorDays} days. Read the feed from its beginning.`
        : 'The service was restored from a backup after this cursor. Read the feed from its beginning.',
    );
  return { position, epoch, resources: resources.filter(({ name }) => names.includes(name)), knownUntil };
}

function parse(text: string): z.infer<typeof shape> | undefined {
  try {
    return shape.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    return undefined;
  }
}
