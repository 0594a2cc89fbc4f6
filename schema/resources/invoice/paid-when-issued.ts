import type { Row } from '../../../prisma/client.ts';
import type { Context } from '../../graphql/context.ts';
import { wasPaidWhenIssued } from './balance.ts';

// The files of an issued invoice are made one after the other. Each must say whether it was paid when it was issued, also if that
// payment is undone meanwhile.

/** The time of a payment that is recorded together with its invoice: the invoice's own. By it, it is found later. */
export const atCreationOf = ({ createdAt }: Pick<Row<'Invoice'>, 'createdAt'>) => ({ createdAt });

/** Whether an invoice was paid in full when it was issued, by a payment that counts, or was undone since. */
export async function wasEverPaidWhenIssued({ db }: Context, invoice: Row<'Invoice'>): Promise<boolean> {
  const { id: invoiceId, issuedAt, createdAt, totalGross: amount } = invoice;
  if (issuedAt === null) return false;
  if (wasPaidWhenIssued(invoice)) return true;
  // An invoice that was issued elsewhere came here later, and the payment that came with it may be of a later day than its issue.
  const wasIssuedHere = issuedAt >= createdAt;
  const undone = { invoiceId, ...atCreationOf(invoice), amount, reversedAt: { not: null }, reversalOfId: null };
  const payment = await db.payment.findFirst({
    where: { ...undone, ...(!wasIssuedHere && { paidOn: { lte: issuedAt } }) },
    select: { id: true },
  });
  return payment !== null;
}
