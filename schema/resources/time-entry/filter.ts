import { listInputs } from '../../graphql/lists.ts';
import { invoiceInputs } from '../invoice/filter.ts';
import { projectInputs } from '../project/filter.ts';

export const timeEntryInputs = listInputs('TimeEntry', {
  ability: 'time-entries:read',
  relations: { project: projectInputs, invoice: invoiceInputs },
});
