import { currencyField, externalIdField, reference, noMetadata } from '../common-fields.ts';
import { findCurrency } from '../currency.ts';
import type { Kind } from '../kind.ts';
import { toNewRow } from '../read-row.ts';
import { findReferred, findNamed } from '../references.ts';

export const projects: Kind = {
  model: 'Project',
  mutation: 'importProjects',
  reads: ['customers:read'],
  fields: {
    externalId: externalIdField,
    name: { description: "The project's name." },
    customer: reference('customer'),
    description: { description: 'A description of the work.' },
    status: { description: '`active`, `completed`, or `archived`. Default: active.' },
    hourlyRateNet: { description: 'The net price per hour.' },
    currency: currencyField,
    budgetHours: { description: 'The agreed number of hours.' },
    startDate: { description: 'The first day.' },
    endDate: { description: 'The last day.' },
  },
  excluded: {
    metadata: noMetadata,
    customerId: 'Files name the customer: `customer`.',
  },
  prepare: async (context, rows, errors) => {
    const findCustomer = await findReferred(context, rows, 'customer');
    return (_record, { row, values }) => {
      const customerId = findNamed(findCustomer, 'customer', row, values, errors);
      const { startDate, endDate } = values;
      if (startDate instanceof Date && endDate instanceof Date && endDate < startDate)
        errors.add(row, 'endDate', 'Must not be before the start date.');
      const fields = { ...toNewRow<'Project'>(values), currency: findCurrency(context, values), customerId };
      return { Project: [context.db.row('Project', fields)] };
    };
  },
};
