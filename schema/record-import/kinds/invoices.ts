import type { Row, Rows } from '../../../prisma/client.ts';
import { today, type Context } from '../../context.ts';
import { Problems } from '../../errors.ts';
import { Decimal, type Line } from '../../money/money.ts';
import { maxItems, newDraft, totalRules } from '../../resources/invoice/mutations.ts';
import type { Errors } from '../errors.ts';
import { currencyOf, type Maker } from '../maker.ts';
import type { ImportedRecord, ReadRow } from '../records.ts';
import { findReferred, referred, type Find } from '../references.ts';

export const makeInvoices: Maker = async (context, rows, errors) => {
  const findCustomer = await findReferred(context, rows, 'customer');
  return (record, first) => invoiceOf(context, record, first, errors, findCustomer);
};

/** An invoice that was issued elsewhere, with its number. */
function invoiceOf(
  context: Context,
  { externalId, rows }: ImportedRecord,
  { row, values }: ReadRow,
  errors: Errors,
  findCustomer: Find,
): Rows | undefined {
  const customerId = referred(findCustomer, 'customer', row, values, errors);
  const { number, invoiceDate, dueDate, subject, paidOn, totalGross } = values;
  const currency = currencyOf(context, values);
  for (const other of rows.slice(1))
    for (const field of ['number', 'customer', 'invoiceDate', 'dueDate', 'currency', 'paidOn', 'totalGross'])
      if (String(other.values[field] ?? '') !== String(values[field] ?? ''))
        errors.add(other.row, field, `Differs from line ${row.line}, which is of the same invoice.`);
  const items = rows.flatMap((each) => itemOf(each) ?? []);
  if (customerId === null || typeof number !== 'string' || !(invoiceDate instanceof Date)) return undefined;
  if (items.length < rows.length) return undefined;
  /** The rules of an invoice name its lines: `input.items.0`. */
  const addLineError = (path: string, message: string): void => {
    const [, index] = /^input\.items(?:\.(\d+))?/.exec(path) ?? [];
    const at = index === undefined ? row : (rows[Number(index)]?.row ?? row);
    errors.add(at, path.startsWith('input.items') ? 'unitPriceNet' : path, message);
  };
  const problems = new Problems();
  if (dueDate instanceof Date && dueDate < invoiceDate) problems.add('dueDate', 'Must not be before the invoice date.');
  totalRules(items, currency, problems);
  if (items.length > maxItems) problems.add('externalId', `An invoice has at most ${maxItems} lines.`);
  if (problems.any) {
    for (const [path, messages] of Object.entries(problems.errors))
      for (const message of messages) addLineError(path, message);
    return undefined;
  }
  const draft = newDraft(context, {
    customerId,
    invoiceDate,
    dueDate: dueDate instanceof Date ? dueDate : null,
    subject: typeof subject === 'string' ? subject : null,
    currency,
    items,
  });
  const gross = new Decimal(draft.totalGross);
  if (totalGross instanceof Decimal && !totalGross.equals(gross)) {
    errors.add(row, 'totalGross', `Is ${totalGross.toFixed()}, but the lines make ${gross.toFixed()}.`);
    return undefined;
  }
  const isPaid = paidOn instanceof Date || gross.isZero();
  const invoice: Row<'Invoice'> = {
    ...draft,
    externalId,
    number,
    issuedAt: invoiceDate,
    ...(isPaid
      ? { status: 'PAID', amountPaid: draft.totalGross, paidAt: paidOn instanceof Date ? paidOn : invoiceDate }
      : // It was overdue before it came: nobody is told so again.
        { status: 'ISSUED', ...(draft.dueDate < today(context) && { overdueAt: context.now() }) }),
  };
  const payments =
    paidOn instanceof Date && !gross.isZero()
      ? [context.db.row('Payment', { invoiceId: invoice.id, amount: draft.totalGross, currency, paidOn })]
      : [];
  return { Invoice: [invoice], InvoiceItem: draft.items, Payment: payments };
}

function itemOf({ values }: ReadRow): (Line & { title: string; unit: string | null }) | undefined {
  const { title, subject, number, quantity = new Decimal(1), unit, unitPriceNet, vatRate } = values;
  if (!(quantity instanceof Decimal) || !(unitPriceNet instanceof Decimal) || !(vatRate instanceof Decimal))
    return undefined;
  return {
    title: String(title ?? subject ?? number),
    quantity,
    unit: typeof unit === 'string' ? unit : null,
    unitPriceNet,
    vatRate,
  };
}
