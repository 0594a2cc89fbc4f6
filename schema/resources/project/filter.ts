import { listInputs } from '../../graphql/lists.ts';
import { customerInputs } from '../customer/filter.ts';
import { ProjectStatus } from './type.ts';

export const projectInputs = listInputs('Project', {
  ability: 'projects:read',
  enums: { status: ProjectStatus },
  relations: { customer: customerInputs },
  search: { fields: 'name' },
});
