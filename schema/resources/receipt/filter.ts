import { listInputs } from '../../graphql/lists.ts';
import { customerInputs } from '../customer/filter.ts';
import { searchPartners } from '../customer/search.ts';
import { projectInputs } from '../project/filter.ts';
import { ReceiptStatus } from './type.ts';

export const receiptInputs = listInputs('Receipt', {
  ability: 'receipts:read',
  enums: { status: ReceiptStatus },
  relations: { supplier: customerInputs, project: projectInputs },
  computed: {
    isReversed: {
      description: 'Reversed receipts and their reversals; false: the receipts that count.',
      toCondition: (isReversed) => ({ status: isReversed ? 'REVERSED' : { not: 'REVERSED' } }),
    },
  },
  search: {
    fields: "supplier's own number, the description and, for those who may read customers, the supplier's company name",
    related: searchPartners('supplier'),
  },
});
