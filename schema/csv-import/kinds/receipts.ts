import type { Context } from '../../graphql/context.ts';
import { Problems } from '../../errors.ts';
import { Decimal, vatIncluded } from '../../money/money.ts';
import { supplierRules } from '../../resources/receipt/receipt.ts';
import { checkDecimals, currencyOf, fieldsOf, type Maker } from '../maker.ts';
import type { CsvRow } from '../read-file.ts';
import { findReferred, idsOf, referred, type Find } from '../references.ts';

export const makeReceipts: Maker = async (context, rows, errors) => {
  const findSupplier = await findReferred(context, rows, 'supplier');
  const findProject = await findReferred(context, rows, 'project');
  await lockSuppliers(context, rows, findSupplier);
  return (_record, { row, values }) => {
    const supplierId = referred(findSupplier, 'supplier', row, values, errors);
    const projectId = referred(findProject, 'project', row, values, errors);
    const currency = currencyOf(context, values);
    const { amountGross, vatRate = new Decimal(0), paidOn } = values;
    if (!(amountGross instanceof Decimal) || !(vatRate instanceof Decimal) || currency === null) return undefined;
    if (!checkDecimals(row, 'amountGross', amountGross, currency, errors)) return undefined;
    const split = vatIncluded(amountGross, vatRate, currency);
    const fields = { ...fieldsOf<'Receipt'>(values, ['supplier', 'project', 'paidOn']), vatRate, ...split, currency };
    const isPaid = paidOn instanceof Date;
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
};

/** Suppliers stay suppliers until the transaction ends. */
async function lockSuppliers(context: Context, rows: CsvRow[], find: Find) {
  for (const id of idsOf(rows, 'supplier', find)) {
    const problems = new Problems();
    supplierRules(await context.db.lock('Customer', id, 'key share'), problems);
    problems.throwIfAny();
  }
}
