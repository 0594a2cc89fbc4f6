import { Problems } from '../../errors/errors.ts';
import { spanRules } from '../../resources/project/rules.ts';
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
  prepare: async (prepared, rows) => {
    const findCustomer = await findReferred(prepared, rows, 'customer');
    return (context, _record, { row, values }, errors) => {
      const customerId = findNamed(findCustomer, 'customer', row, values, errors);
      const fields = { ...toNewRow<'Project'>(values), currency: findCurrency(context, values), customerId };
      const project = context.db.row('Project', fields);
      const problems = new Problems();
      spanRules(project, problems, '');
      errors.addAll(row, problems.byField);
      return { Project: [project] };
    };
  },
};
