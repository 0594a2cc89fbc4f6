import { currencyOf, fieldsOf, type Maker } from '../maker.ts';
import { findReferred, referred } from '../references.ts';

export const makeProjects: Maker = async (context, rows, errors) => {
  const findCustomer = await findReferred(context, rows, 'customer');
  return (_record, { row, values }) => {
    const customerId = referred(findCustomer, 'customer', row, values, errors);
    const { startDate, endDate } = values;
    if (startDate instanceof Date && endDate instanceof Date && endDate < startDate)
      errors.add(row, 'endDate', 'Must not be before the start date.');
    const currency = currencyOf(context, values);
    const fields = { ...fieldsOf<'Project'>(values, ['customer']), currency, customerId };
    return { Project: [context.db.row('Project', fields)] };
  };
};
