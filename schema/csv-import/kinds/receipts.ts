import type { Context } from '../../graphql/context.ts';
import { Problems } from '../../errors/errors.ts';
import { Decimal, vatIncluded } from '../../money/money.ts';
import { holdPeriodLocks } from '../../resources/period-lock/rules.ts';
import { paidOnRules } from '../../resources/payment/rules.ts';
import { currencyField, externalIdField, reference, noExchange, noMetadata } from '../common-fields.ts';
import { checkDecimals, findCurrency } from '../currency.ts';
import type { Kind, RowBuilder } from '../kind.ts';
import type { CsvRow } from '../read-file.ts';
import { toNewRow } from '../read-row.ts';
import { findReferred, findNamed } from '../references.ts';

export const receipts: Kind = {
  model: 'Receipt',
  mutation: 'importReceipts',
  reads: ['customers:read', 'projects:read'],
  fields: {
    externalId: externalIdField,
    receiptDate: { description: 'The date on the receipt.' },
    amountGross: { description: 'The amount to pay, VAT included.', required: true },
    vatRate: { type: 'PERCENT', description: 'Per cent: 19 for 19 %. Default: 0.' },
    currency: currencyField,
    supplier: reference('supplier'),
    project: reference('project'),
    receiptNumber: { description: "The supplier's own number." },
    dueDate: { description: 'The last day to pay.' },
    description: { description: 'The purpose of the expense.' },
    category: { description: "A category of the tenant's own choice." },
    paidOn: { type: 'DAY', description: 'The day on which it was paid in full; empty if it is open.' },
  },
  excluded: {
    metadata: noMetadata,
    ...noExchange,
    supplierId: 'Files name the supplier: `supplier`.',
    projectId: 'Files name the project: `project`.',
    status: 'It follows from `paidOn`.',
    lines: 'A row has one line, of `amountGross` and `vatRate`.',
    amountPrepaid: 'A row has the amount to pay.',
    creditedReceiptId: 'Credits are not imported.',
  },
  prepare: prepareReceipts,
};

async function prepareReceipts(prepared: Context, rows: CsvRow[]): Promise<RowBuilder> {
  const findSupplier = await findReferred(prepared, rows, 'supplier');
  const findProject = await findReferred(prepared, rows, 'project');
  const findLocked = await holdPeriodLocks(prepared);
  return (context, _record, { row, values }, errors) => {
    const supplierId = findNamed(findSupplier, 'supplier', row, values, errors);
    const projectId = findNamed(findProject, 'project', row, values, errors);
    const currency = findCurrency(context, values);
    const { amountGross, vatRate = new Decimal(0), paidOn } = values;
    if (!(amountGross instanceof Decimal) || !(vatRate instanceof Decimal) || currency === null) return undefined;
    if (!checkDecimals(row, 'amountGross', amountGross, currency, errors)) return undefined;
    if (amountGross.lessThan(0)) {
      errors.add(row, 'amountGross', 'out_of_range', 'Must be at least 0.', { min: 0 });
      return undefined;
    }
    const split = vatIncluded(amountGross, vatRate, currency);
    const fields = { ...toNewRow<'Receipt'>(values), vatRate, ...split, currency };
    const isPaid = paidOn instanceof Date;
    if (isPaid) {
      const problems = new Problems();
      paidOnRules(paidOn, context, problems);
      errors.addAll(row, problems.byField);
    }
    for (const field of ['receiptDate', 'paidOn'] as const) {
      const day = values[field];
      const locked = day instanceof Date && findLocked('PURCHASES', day);
      if (locked) errors.add(row, field, ...locked);
    }
    const receipt = context.db.row('Receipt', {
      ...fields,
      supplierId,
      projectId,
      status: isPaid ? 'PAID' : 'BOOKED',
      ...(isPaid && { amountPaid: amountGross, paidAt: paidOn }),
    });
    if (!isPaid || amountGross.isZero()) return { Receipt: [receipt] };
    const payment = { receiptId: receipt.id, amount: amountGross, currency, paidOn };
    return { Receipt: [receipt], Payment: [context.db.row('Payment', payment)] };
  };
}
