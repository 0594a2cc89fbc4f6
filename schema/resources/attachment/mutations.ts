import type { Row } from '../../../prisma/client.ts';
import type { Problems } from '../../errors/errors.ts';
import { emit } from '../../events/events.ts';
import { builder } from '../../graphql/builder.ts';
import { key, type Context } from '../../graphql/context.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { enforce, lockRow } from '../../rows/locked-row.ts';
import { findAttachment, requireRoom, storeUpload } from './files.ts';
import { filename, maxAttachments, refuseUnlessDraft } from './rules.ts';
import { Attachment } from './type.ts';

const receiptId = { type: 'UUID', required: true, description: 'The receipt.' } as const;

/** Locks a draft for a change of its attachments. */
async function lockDraft(inside: Context, id: string): Promise<Row<'Receipt'>> {
  const receipt = await lockRow(inside, 'Receipt', { id });
  refuseUnlessDraft(receipt);
  return receipt;
}

/** Counts the receipt's version, and tells that it has changed. */
async function touch(inside: Context, id: string): Promise<void> {
  const data = { updatedAt: inside.now() };
  const changed = await inside.db.model('Receipt').update({ where: key(inside, id), data });
  await emit(inside, 'receipt.updated', changed);
}

/** The places that a receipt's attachments have. */
async function readPositions({ db }: Context, id: string): Promise<number[]> {
  const stored = await db.attachment.findMany({ where: { receiptId: id }, select: { position: true } });
  return stored.map(({ position }) => position);
}

function limitRules(positions: number[], problems: Problems): void {
  if (positions.length < maxAttachments) return;
  const message = `A receipt can have ${maxAttachments} attachments.`;
  problems.add('receiptId', 'limit_reached', message, { max: maxAttachments });
}

builder.mutationFields((t) => ({
  addAttachment: t.prismaField({
    type: Attachment,
    description: `Adds a file to a draft: PDF, JPEG, PNG, WebP, or XML, by its content. At most 25 MiB, and ${maxAttachments} of a receipt. The first is the original. Once the receipt is booked, they stay.`,
    ability: 'receipts:write',
    extensions: { hasOwnTransaction: true }, // none while the file is stored
    args: {
      receiptId: t.arg(receiptId),
      filename: t.arg.string({ required: true, description: 'The name to save it by.', validate: filename }),
      file: t.arg({ type: 'Upload', required: true, description: 'The file.' }),
    },
    // Before the file is received, too.
    rules: async (args, context, problems) => {
      if (!args.receiptId) return;
      refuseUnlessDraft(await findById(context, 'Receipt', args.receiptId));
      limitRules(await readPositions(context, args.receiptId), problems);
      await requireRoom(context, 0, 'receiptId');
    },
    resolve: async (query, _root, { receiptId: id, filename: name, file }, context) => {
      const stored = file.stored ?? (await storeUpload(context, file, 'file'));
      return context.transaction(async (inside) => {
        await lockDraft(inside, id);
        const positions = await readPositions(inside, id);
        await enforce((problems) => limitRules(positions, problems));
        const position = Math.max(0, ...positions) + 1;
        const { id: attachmentId, contentType, length, sha256 } = stored;
        const row = { id: attachmentId, receiptId: id, position, filename: name, contentType, length, sha256 };
        await inside.insert({ Attachment: [inside.db.row('Attachment', row)] });
        await touch(inside, id);
        return findById(inside, 'Attachment', attachmentId, query);
      });
    },
  }),

  deleteAttachment: t.prismaField({
    type: Attachment,
    description: 'Removes an attachment from a draft, and returns it.',
    ability: 'receipts:write',
    args: { receiptId: t.arg(receiptId), id: t.arg({ type: 'UUID', required: true, description: 'The id.' }) },
    resolve: (query, _root, args, context) =>
      context.transaction(async (inside) => {
        await lockDraft(inside, args.receiptId);
        const attachment = await findAttachment(inside, args, query);
        await inside.db.attachment.deleteMany({ where: { id: args.id } });
        await touch(inside, args.receiptId);
        return attachment;
      }),
  }),
}));
