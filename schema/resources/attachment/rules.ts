import type { Row } from '../../../prisma/client.ts';
import { refuse } from '../../errors/errors.ts';
import { refusal } from '../../graphql/input/issues.ts';
import { requiredText } from '../../graphql/input/validators.ts';

/** The longest attachment, in bytes. The database has the same limit. */
export const maxAttachmentBytes = 25 * 1024 * 1024;

/** The most attachments of a receipt. */
export const maxAttachments = 20;

/** Control characters, those that separate folders, and those that change the direction in which text is shown. */
const forbidden = /[\p{Cc}\p{Zl}\p{Zp}/\\\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** The name of a file, without a folder. */
export const filename = requiredText(255).refine(
  (name) => !forbidden.test(name) && name !== '.' && name !== '..',
  refusal(
    'invalid_format',
    'Must be the name of a file: without a folder, control characters, and marks of direction.',
  ),
);

/** @throws ValidationError unless the receipt is a draft */
export function refuseUnlessDraft({ status }: Pick<Row<'Receipt'>, 'status'>): void {
  if (status !== 'DRAFT')
    refuse(
      'status',
      'not_a_draft',
      "A booked receipt's attachments can not be changed: reverse it, and add the right one.",
    );
}
