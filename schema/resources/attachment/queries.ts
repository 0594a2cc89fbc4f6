import { builder } from '../../graphql/builder.ts';
import { findById } from '../../graphql/find-by-id.ts';
import { integers } from '../../graphql/paging/order.ts';
import { readPage } from '../../graphql/paging/page.ts';
import { findAttachment } from './files.ts';
import { contentTypes } from './recognize.ts';
import { maxAttachmentBytes, maxAttachments } from './rules.ts';
import { Attachment } from './type.ts';

const AttachmentConnection = builder.connectionObject({ type: Attachment, name: 'AttachmentConnection' });

const AttachmentLimits = builder.objectRef<object>('AttachmentLimits').implement({
  description: 'Which files can be attachments.',
  fields: (t) => ({
    contentTypes: t.stringList({
      description: 'The types of files, which their content has to be of.',
      resolve: () => [...contentTypes],
    }),
    maxBytes: t.int({ description: 'The most bytes of a file.', resolve: () => maxAttachmentBytes }),
    maxPerReceipt: t.int({ description: 'The most attachments of a receipt.', resolve: () => maxAttachments }),
  }),
});

const receiptId = { type: 'UUID', required: true, description: 'The receipt.' } as const;

const columns = {
  position: { name: 'position', codec: integers, nullable: false, isWords: false, values: undefined, isIndexed: false },
};

builder.queryFields((t) => ({
  attachmentLimits: t.field({
    type: AttachmentLimits,
    description: 'Which files can be attachments of receipts.',
    ability: 'receipts:read',
    resolve: () => ({}),
  }),
  attachment: t.prismaField({
    type: Attachment,
    nullable: true,
    description: 'One attachment of a receipt.',
    ability: 'receipts:read',
    args: { receiptId: t.arg(receiptId), id: t.arg({ type: 'UUID', required: true, description: 'The id.' }) },
    resolve: (query, _root, args, context) => findAttachment(context, args, query),
  }),
  attachments: t.connection(
    {
      type: Attachment,
      nullable: true,
      description: 'The attachments of a receipt, in their order: the first is the original.',
      ability: 'receipts:read',
      args: { receiptId: t.arg(receiptId), offset: t.arg.int() },
      resolve: async (_root, { receiptId: id, ...args }, context, info) => {
        await findById(context, 'Receipt', id);
        const orderBy = [{ field: 'position', direction: 'ASC' as const }];
        return readPage({ context, info }, 'Attachment', { ...args, orderBy }, { receiptId: id }, columns);
      },
    },
    AttachmentConnection,
  ),
}));
