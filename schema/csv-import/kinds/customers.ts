import { Problems } from '../../errors.ts';
import { schemeRules } from '../../graphql/input/schemes.ts';
import { fieldsOf, type Maker } from '../maker.ts';

export const makeCustomers: Maker = async ({ db }, _rows, errors) => {
  return (_record, { row, values }) => {
    const customer = db.row('Customer', fieldsOf<'Customer'>(values, []));
    const problems = new Problems();
    schemeRules('electronicAddress', customer, problems, '');
    errors.addAll(row, problems);
    return problems.any ? undefined : { Customer: [customer] };
  };
};
