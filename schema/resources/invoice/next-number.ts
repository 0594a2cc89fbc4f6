import type { Context } from '../../context.ts';

/**
 * The next invoice number, `YYYY-NNNN` by the year of the invoice date. Gapless and never reused per tenant and year:
 * the sequence's row stays locked until the caller's transaction ends, and a rollback takes the number back.
 */
export async function nextInvoiceNumber(context: Context, invoiceDate: Date): Promise<string> {
  const year = invoiceDate.getUTCFullYear();
  const { last } = await context.db.invoiceSequence.upsert({
    where: { tenantId_year: { tenantId: context.tenant.id, year } },
    create: { year, last: 1 },
    update: { last: { increment: 1 } },
  });
  return `${String(year).padStart(4, '0')}-${String(last).padStart(4, '0')}`;
}
