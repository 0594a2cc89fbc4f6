import { requiredText } from '../../graphql/input/validators.ts';
import { currencyField, externalIdField, reference, noExchange, noMetadata } from '../common-fields.ts';
import type { Rows } from '../../../prisma/client.ts';
import type { Context } from '../../graphql/context.ts';
import type { Kind, RowBuilder } from '../kind.ts';
import type { Errors } from '../errors.ts';
import type { CsvRow } from '../read-file.ts';
import type { ImportedRecord } from '../records.ts';
import { findReferred } from '../references.ts';
import { holdPeriodLocks, type FindLocked } from '../../resources/period-lock/rules.ts';
import { buildInvoice } from './build-invoice.ts';
import { findNumberProblems } from './invoice-numbers.ts';

export const invoices: Kind = {
  model: 'Invoice',
  mutation: 'importInvoices',
  itemInput: 'InvoiceItemInput',
  reads: ['customers:read'],
  fields: {
    externalId: {
      ...externalIdField,
      description: `${externalIdField.description} Rows with the same id are the lines of one invoice.`,
    },
    number: {
      type: 'TEXT',
      required: true,
      description: 'The number that the invoice has already. It is kept.',
      validate: requiredText(64),
    },
    customer: reference('customer', { required: true }),
    invoiceDate: { description: 'The date of the invoice.' },
    dueDate: { description: 'The last day to pay. Default: 14 days after the invoice date.' },
    deliveryDate: { description: 'The day of the supply, if it was one day.' },
    subject: { description: 'The subject.' },
    currency: currencyField,
    paidOn: { type: 'DAY', description: 'The day of the last payment; empty if it is open.' },
    amountDue: {
      type: 'DECIMAL',
      description:
        'The amount that is still to be paid. Default: 0 if there is a `paidOn`. If something is paid without a `paidOn`, it was on the due date, or today if that is earlier.',
    },
    totalGross: { type: 'DECIMAL', description: 'The gross total. An error if the lines have another one.' },
    title: { required: false, description: "The line's title. Default: the subject, or the number." },
    quantity: { required: false, description: "The line's quantity. Default: 1." },
    unit: { description: "The line's unit." },
    unitPriceNet: { description: 'The net price of one unit.' },
    lineTotalNet: {
      type: 'DECIMAL',
      description: "The line's net total, after discounts. If quantity and price make another one, the price follows.",
    },
    vatAmount: { type: 'DECIMAL', description: "The line's VAT. If it is 0, so is the VAT rate." },
    vatRate: { type: 'PERCENT', zeroWith: 'vatAmount', description: 'Per cent: 19 for 19 %.' },
    vatCategory: {
      description: 'The VAT category: S, Z, E, AE, K, G, or O. Default: Z where the rate is 0, else S.',
    },
    exemptionReason: { description: 'Why no VAT is charged, for E, AE, K, G, and O.' },
    unitCode: { description: "The unit's code of UN/ECE Recommendation 20. Default: by the unit." },
    description: { description: 'More about the line.' },
    discountPercent: { type: 'PERCENT', description: 'A discount on the line, per cent.' },
    servicePeriodStart: { description: 'The first day of the service.' },
    servicePeriodEnd: { description: 'The last day of the service.' },
  },
  excluded: {
    metadata: noMetadata,
    ...noExchange,
    customerId: 'Files name the customer: `customer`.',
    items: 'Each row of a file is an item.',
    status: 'It follows from `paidOn` and `amountDue`.',
  },
  prepare: prepareInvoices,
};

async function prepareInvoices(
  prepared: Context,
  rows: CsvRow[],
  records: readonly ImportedRecord[],
): Promise<RowBuilder> {
  const findCustomer = await findReferred(prepared, rows, 'customer');
  const findLocked = await holdPeriodLocks(prepared);
  const problems = await findNumberProblems(prepared, records);
  return (context, record, first, errors) => {
    const problem = problems.get(record);
    if (problem) errors.add(first.row, 'number', ...problem);
    const built = buildInvoice(context, record, first, errors, findCustomer);
    refuseLockedDays(built, first.row, errors, findLocked);
    return built;
  };
}

/** Each day on which the rows of an invoice would be booked must be open. */
function refuseLockedDays(rows: Rows | undefined, row: CsvRow, errors: Errors, findLocked: FindLocked): void {
  const dated = rows?.Invoice?.map(({ invoiceDate }) => findLocked('SALES', invoiceDate)).find(Boolean);
  const paid = rows?.Payment?.map(({ paidOn }) => findLocked('SALES', paidOn)).find(Boolean);
  if (dated) errors.add(row, 'invoiceDate', ...dated);
  if (paid) errors.add(row, 'paidOn', ...paid);
}
