import type { CreateReceiptInput, ReceiptUpdate } from './mutations.ts';
import type { Readable } from '../../graphql/plugins/authorization-and-validation.ts';
import type { Context } from '../../graphql/context.ts';
import { type Problems, refuse } from '../../errors.ts';
import type { Receipt as ReceiptRow, Customer } from '../../../prisma/generated/client/client.ts';
import { requireExisting } from '../../graphql/input/references.ts';
import { minorDigits } from '../../money/money.ts';

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

/** A booked receipt stays as it is; a reversed one wholly. Metadata and the id in another system are no part of the books. */
export function refuseBooked({ status }: ReceiptRow, input: object): void {
  const isOfBooks = Object.keys(input).some((field) => field !== 'externalId' && field !== 'metadata');
  if (status === 'REVERSED' || (status !== 'DRAFT' && isOfBooks))
    refuse('status', 'not_a_draft', 'A booked receipt can not be changed: reverse it, and add the right one.');
}
