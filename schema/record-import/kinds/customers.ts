import { fieldsOf, type Maker } from '../maker.ts';

export const makeCustomers: Maker =
  async ({ db }) =>
  (_record, { values }) => ({ Customer: [db.row('Customer', fieldsOf<'Customer'>(values, []))] });
