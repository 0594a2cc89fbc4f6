import type { Row, Rows } from '../../../prisma/client.ts';
import { businessTime, today, type Context } from '../../graphql/context.ts';
import { Problems } from '../../errors/errors.ts';
import { Decimal } from '../../money/money.ts';
import { issueDateRules } from '../../resources/document/issue-date.ts';
import { lineRules } from '../../resources/invoice/rules.ts';
import { maxItems, newDraft, type CreateInvoiceInput } from '../../resources/invoice/mutations.ts';
import { atCreationOf } from '../../resources/invoice/paid-when-issued.ts';
import { totalRules } from '../../resources/invoice/rules.ts';
import type { Exchange } from '../../resources/exchange-rate.ts';
import { paidOnRules } from '../../resources/payment/rules.ts';
import type { Errors } from '../errors.ts';
import { checkDecimals, findCurrency } from '../currency.ts';
import type { CsvRow } from '../read-file.ts';
import type { Values } from '../read-row.ts';
import type { ImportedRecord, ReadRow } from '../records.ts';
import { findNamed, type Find } from '../references.ts';
import { readDetails, readLine, roundingLine, type ImportedLine } from './invoice-lines.ts';

/** Fields that all rows of an invoice must agree on. */
const invoiceFields = [
  'number',
  'customer',
  'invoiceDate',
  'dueDate',
  'deliveryDate',
  'currency',
  'paidOn',
  'amountDue',
  'totalGross',
];

/** An invoice that was issued elsewhere, with its number. */
export function buildInvoice(
  context: Context,
  { externalId, rows }: ImportedRecord,
  { row, values }: ReadRow,
  errors: Errors,
  findCustomer: Find,
): Rows | undefined {
  const customerId = findNamed(findCustomer, 'customer', row, values, errors);
  const { number, invoiceDate, dueDate, deliveryDate, subject, totalGross } = values;
  const currency = findCurrency(context, values);
  for (const other of rows.slice(1))
    for (const field of invoiceFields)
      if (String(other.values[field] ?? '') !== String(values[field] ?? ''))
        errors.add(other.row, field, 'inconsistent', `Differs from line ${row.line}, which is of the same invoice.`);
  const items = rows.flatMap((each) => readLine(each.values, currency) ?? []);
  const days = new Problems();
  if (invoiceDate instanceof Date) issueDateRules(invoiceDate, context, days, 'invoiceDate');
  if (values['paidOn'] instanceof Date) paidOnRules(values['paidOn'], context, days);
  errors.addAll(row, days.byField);
  const isDueBefore = dueDate instanceof Date && invoiceDate instanceof Date && dueDate < invoiceDate;
  if (isDueBefore) errors.add(row, 'dueDate', 'wrong_order', 'Must not be before the invoice date.');
  const areInOrder = keepsLineRules(rows, errors);
  // Rules before this are told for each field that is valid; those after it need all of these.
  if (customerId === null || typeof number !== 'string' || !(invoiceDate instanceof Date)) return undefined;
  if (items.length < rows.length) return undefined;
  if (!areValid(items, currency, rows, errors) || !areInOrder || isDueBefore) return undefined;
  const rounding =
    totalGross instanceof Decimal && items.length < maxItems ? roundingLine(items, totalGross, currency) : undefined;
  const draft = newDraft(context, {
    customerId,
    invoiceDate,
    dueDate: dueDate instanceof Date ? dueDate : null,
    deliveryDate: deliveryDate instanceof Date ? deliveryDate : null,
    subject: typeof subject === 'string' ? subject : null,
    externalId,
    currency,
    items: rounding ? [...items, rounding] : items,
  } satisfies Record<
    Exclude<keyof typeof CreateInvoiceInput.$inferInput, 'status' | 'metadata' | keyof Exchange>,
    unknown
  >);
  const gross = new Decimal(draft.totalGross);
  if (totalGross instanceof Decimal && !totalGross.equals(gross)) {
    errors.add(row, 'totalGross', 'inconsistent', `Is ${totalGross.toFixed()}, but the lines make ${gross.toFixed()}.`);
    return undefined;
  }
  const paid = readPayment(context, row, values, { ...draft, gross }, errors);
  return paid && issuedRows(context, { ...draft, number, issuedAt: invoiceDate }, paid);
}

/** Adds what rules say of lines, and their fields: `input.items.0.vatCategory`. */
function addOfLines({ byField }: Problems, rows: ReadRow[], errors: Errors): void {
  for (const [path, ofField] of Object.entries(byField)) {
    const [, index = 0, field = 'unitPriceNet'] = /^input\.items\.(\d+)(?:\.(\w+))?/.exec(path) ?? [];
    const { row } = rows[Number(index)] ?? rows[0] ?? {};
    if (row) for (const problem of ofField) errors.add(row, field, ...problem);
  }
}

/** Whether the fields of each line agree. A line that lacks other values is checked, too. */
function keepsLineRules(rows: ReadRow[], errors: Errors): boolean {
  const problems = new Problems();
  for (const [index, { values }] of rows.entries()) lineRules(readDetails(values), problems, `input.items.${index}`);
  addOfLines(problems, rows, errors);
  return !problems.any;
}

/** Whether lines make a valid invoice. */
function areValid(items: ImportedLine[], currency: string, rows: ReadRow[], errors: Errors): boolean {
  const [first] = rows;
  if (!first) return false;
  const areExact = rows.every(
    (each) =>
      !(each.values['lineTotalNet'] instanceof Decimal) ||
      checkDecimals(each.row, 'lineTotalNet', each.values['lineTotalNet'], currency, errors),
  );
  const problems = new Problems();
  totalRules(items, currency, problems);
  addOfLines(problems, rows, errors);
  if (rows.length > maxItems) {
    const message = `An invoice has at most ${maxItems} lines.`;
    errors.add(first.row, 'externalId', 'wrong_count', message, { min: 1, max: maxItems });
  }
  return areExact && !problems.any && rows.length <= maxItems;
}

interface Paid {
  amount: Decimal;
  /** The day of the payment; the invoice date where the total is zero. */
  paidOn: Date;
  isAll: boolean;
}

/** Reads the payment of an invoice; undefined where the file contradicts itself. */
function readPayment(
  context: Context,
  row: CsvRow,
  { paidOn, amountDue }: Values,
  {
    gross,
    currency,
    invoiceDate,
    dueDate,
  }: Pick<Row<'Invoice'>, 'currency' | 'invoiceDate' | 'dueDate'> & { gross: Decimal },
  errors: Errors,
): Paid | undefined {
  const due = amountDue instanceof Decimal ? amountDue : paidOn instanceof Date ? new Decimal(0) : gross;
  if (!checkDecimals(row, 'amountDue', due, currency, errors)) return undefined;
  if (due.isNegative() || due.greaterThan(gross)) {
    const bounds = { min: 0, max: gross.toNumber() };
    errors.add(row, 'amountDue', 'out_of_range', `Must be from 0 to the gross total of ${gross.toFixed()}.`, bounds);
    return undefined;
  }
  const now = today(context);
  const usual = gross.isZero() ? invoiceDate : dueDate < now ? dueDate : now;
  return { amount: gross.minus(due), paidOn: paidOn instanceof Date ? paidOn : usual, isAll: due.isZero() };
}

function issuedRows(
  context: Context,
  { items, ...draft }: ReturnType<typeof newDraft>,
  { amount, paidOn, isAll }: Paid,
): Rows {
  const invoice: Row<'Invoice'> = {
    ...draft,
    amountPaid: amount,
    ...(isAll
      ? { status: 'PAID', paidAt: paidOn }
      : // It was overdue before it came: nobody is told so again.
        { status: 'ISSUED', ...(draft.dueDate < today(context) && { overdueAt: businessTime(context) }) }),
  };
  const payment = { invoiceId: invoice.id, amount, currency: invoice.currency, paidOn, ...atCreationOf(invoice) };
  return {
    Invoice: [invoice],
    InvoiceItem: items,
    Payment: amount.isZero() ? [] : [context.db.row('Payment', payment)],
  };
}
