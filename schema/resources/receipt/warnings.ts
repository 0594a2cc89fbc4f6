import { batchPerRequest } from '../../../prisma/batching.ts';
import { builder } from '../../graphql/builder.ts';
import type { Context } from '../../graphql/context.ts';
import { text } from '../../graphql/input/validators.ts';
import { Receipt } from './type.ts';
import { WarningType, type Warning } from '../warning.ts';

const duplicate: Warning = {
  code: 'RECEIPT_NUMBER',
  field: 'receipt_number',
  message: 'Another receipt of this supplier has the same number. Is it the same receipt?',
};

const isDuplicate = batchPerRequest(async (ids, { db }: Context) => {
  const rows = await db.$rows<{ id: string }>(
    `select receipt.id from receipts as receipt
     where receipt.tenant_id = $1 and receipt.id = any($2::uuid[]) and exists (
       select from receipts as other
       where other.tenant_id = $1 and other.supplier_id = receipt.supplier_id
         and other.receipt_number = receipt.receipt_number and other.id <> receipt.id
         and 'reversed' not in (receipt.status, other.status))`,
    [ids],
  );
  return new Map(rows.map(({ id }) => [id, true]));
}, false);

builder.prismaObjectField(Receipt, 'warnings', (t) =>
  t.field({
    type: [WarningType],
    description: 'What is probably wrong: another receipt of the same supplier has the same number.',
    select: { id: true, supplierId: true, receiptNumber: true },
    resolve: async ({ id, supplierId, receiptNumber }, _args, context) =>
      supplierId && receiptNumber && (await isDuplicate(id, context)) ? [duplicate] : [],
  }),
);

builder.queryField('receiptNumberWarnings', (t) =>
  t.field({
    type: [WarningType],
    nullable: true,
    description: 'Whether a receipt with this number would be the second of its supplier. Nothing is stored.',
    ability: 'receipts:read',
    args: {
      supplierId: t.arg({ type: 'UUID', required: true, description: 'The supplier.' }),
      receiptNumber: t.arg.string({ required: true, description: "The supplier's own number.", validate: text(64) }),
      receiptId: t.arg({ type: 'UUID', description: 'The receipt that has this number, if it is stored already.' }),
    },
    resolve: async (_root, { supplierId, receiptNumber, receiptId }, { db }) => {
      const where = {
        supplierId,
        receiptNumber,
        status: { not: 'REVERSED' as const },
        ...(receiptId && { id: { not: receiptId } }),
      };
      return (await db.receipt.findFirst({ where, select: { id: true } })) ? [duplicate] : [];
    },
  }),
);
