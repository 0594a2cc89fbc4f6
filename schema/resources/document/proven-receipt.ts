import { hash } from 'node:crypto';
import type { Prisma } from '../../../prisma/client.ts';
import { inOrder } from '../attachment/type.ts';
import { byPosition } from '../invoice/type.ts';
import { exchangeColumns } from '../exchange-rate.ts';
import { toLines } from '../receipt/lines.ts';
import { canonical, pick } from './proven-data.ts';

// The data of a booked receipt with attachments, as a canonical text: its proof has the hash. State and payments are
// left out: they still change.

/** The columns that never change once it is booked. As of documents, a later one belongs here only if it can be null. */
const receiptColumns = [
  'supplierId',
  'projectId',
  'receiptNumber',
  'receiptDate',
  'dueDate',
  'serviceDate',
  'receivedOn',
  'creditedReceiptId',
  'description',
  'category',
  'currency',
  ...exchangeColumns,
  'amountGross',
  'vatRate',
  'vatAmount',
  'amountNet',
  'amountPrepaid',
] as const;
const attachmentColumns = ['id', 'position', 'filename', 'contentType', 'length'] as const;

/** The relations that writeReceipt() needs. */
export const receiptData = { attachments: inOrder, lines: byPosition } as const satisfies Prisma.ReceiptInclude;
export type WholeReceipt = Prisma.ReceiptGetPayload<{ include: typeof receiptData }>;

const writeReceipt = (receipt: WholeReceipt): string =>
  JSON.stringify(
    canonical({
      ...pick(receipt, receiptColumns),
      lines: toLines(receipt),
      attachments: receipt.attachments.map((attachment) => pick(attachment, attachmentColumns)),
    }),
  );

/** The SHA-256 of what a receipt says, in hexadecimal digits. */
export const receiptHash = (receipt: WholeReceipt): string => hash('sha256', writeReceipt(receipt));
