import type { CreateReceiptInput, ReceiptUpdate } from './mutations.ts';
import type { Readable } from '../../graphql/plugins/authorization-and-validation.ts';
import type { Context } from '../../graphql/context.ts';
import { type Problems, refuse } from '../../errors.ts';
import type { Receipt as ReceiptRow, Customer } from '../../../prisma/generated/client/client.ts';
import { requireExisting } from '../../graphql/input/references.ts';
import { refuseLocked } from '../period-lock/rules.ts';
import { minorDigits, Decimal } from '../../money/money.ts';

export type ReceiptInput = Readable<typeof CreateReceiptInput.$inferInput | ReceiptUpdate>;

/** @param current the receipt that the input changes; nothing for a new one */
export function receiptRules(input: ReceiptInput, context: Context, problems: Problems, current?: ReceiptRow): void {
  problems.defer(() => requireExisting(context, problems, 'project', input.projectId));
  const amount = input.amountGross ?? current?.amountGross;
  const digits = minorDigits(input.currency ?? current?.currency ?? context.tenant.defaultCurrency);
  if (amount && amount.decimalPlaces() > digits) {
    problems.add(
      'input.amountGross',
      'too_many_decimals',
      `Must not have more than ${digits} decimals in this currency.`,
      { max: digits },
    );
  }
}

/** A receipt names a customer of type supplier. */
export function supplierRules(supplier: Customer | null, problems: Problems): void {
  if (supplier?.type !== 'SUPPLIER') problems.add('input.supplierId', 'not_found', 'There is no such supplier.');
}

/** Refuses a change of a booked receipt if its day, or the one that it gets, is locked. Its metadata is no part of the books. */
export async function refuseLockedChange(
  context: Context,
  { status, receiptDate }: ReceiptRow,
  input: ReceiptUpdate,
): Promise<void> {
  const isOfBooks = Object.keys(input).some((field) => field !== 'externalId' && field !== 'metadata');
  if (status === 'DRAFT' || !isOfBooks) return;
  await refuseLocked(context, 'PURCHASES', [receiptDate, input.receiptDate ?? receiptDate], 'input.receiptDate');
}

/** A receipt may be changed while nothing of it is paid. */
export function refusePaid({ amountPaid, status }: ReceiptRow): void {
  if (!new Decimal(amountPaid).isZero() || status === 'PAID') {
    refuse('status', 'wrong_state', 'A receipt that is paid, wholly or in part, can not be changed.');
  }
}
