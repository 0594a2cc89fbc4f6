import { listInputs } from '../../graphql/lists.ts';
import { BulkAction, BulkOperationStatus, BulkResource } from './type.ts';

export const bulkOperationInputs = listInputs('BulkOperation', {
  ability: 'bulk-operations:read',
  hidden: ['slot', 'userId', 'tokenId'],
  enums: { resource: BulkResource, action: BulkAction, status: BulkOperationStatus },
});
