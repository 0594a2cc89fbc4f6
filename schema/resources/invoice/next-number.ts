import type { Row } from '../../../prisma/client.ts';
import type { Context } from '../../graphql/context.ts';

/**
 * The next invoice number, `YYYY-NNNN` by the year of the invoice date. Gapless and never reused per tenant and year:
 * the sequence's row stays locked until the caller's transaction ends, and a rollback takes the number back.
 */
export async function nextInvoiceNumber(
  { db }: Context,
  { invoiceDate }: Pick<Row<'Invoice'>, 'invoiceDate'>,
): Promise<string> {
  const year = invoiceDate.getUTCFullYear();
  const [next] = await db.$lookup<{ last: number }>(takeNext, [year]);
  if (!next) throw new Error('The sequence of invoice numbers has answered nothing');
  return formatInvoiceNumber(year, next.last);
}

const takeNext = `
  insert into invoice_sequences as sequence (tenant_id, year, last) values ($1, $2, 1)
  on conflict (tenant_id, year) do update set last = sequence.last + 1
  where sequence.tenant_id = $1 returning last`;

export const formatInvoiceNumber = (year: number, position: number): string =>
  `${String(year).padStart(4, '0')}-${String(position).padStart(4, '0')}`;

/** The same as an expression of SQL: the last number of a row of the sequences. */
export const invoiceNumberSql = (sequence: string): string =>
  `lpad(${sequence}.year::text, 4, '0') || '-' || lpad(${sequence}.last::text, greatest(4, length(${sequence}.last::text)), '0')`;

/** The year and the position of a number in this service's format; undefined for another format. */
export function parseInvoiceNumber(number: string): { year: number; position: number } | undefined {
  const [, year, position] = /^(\d{4})-(\d{4,9})$/.exec(number)?.map(Number) ?? [];
  if (year === undefined || position === undefined || position === 0) return undefined;
  return number === formatInvoiceNumber(year, position) ? { year, position } : undefined;
}

/** Has the sequences continue after these numbers, which were given out elsewhere. Locks each sequence that they belong to. */
export async function continueAfter(context: Context, numbers: string[]): Promise<void> {
  const highest = new Map<number, number>();
  for (const number of numbers) {
    const { year, position } = parseInvoiceNumber(number) ?? {};
    if (year !== undefined && position !== undefined) highest.set(year, Math.max(position, highest.get(year) ?? 0));
  }
  for (const [year, position] of [...highest].toSorted(([a], [b]) => a - b)) {
    const where = { tenantId_year: { tenantId: context.tenant.id, year } };
    const { last } = await context.db.invoiceSequence.upsert({
      where,
      create: { year, last: 0 },
      update: { last: { increment: 0 } },
    });
    if (last < position) await context.db.invoiceSequence.update({ where, data: { last: position } });
  }
}
