import { listInputs } from '../../graphql/lists.ts';
import { MatchStatus } from './type.ts';

export const bankTransactionInputs = listInputs('BankTransaction', {
  ability: 'bank-transactions:read',
  hidden: ['identity'],
  enums: { matchStatus: MatchStatus },
  search: { fields: "counterparty's name and IBAN, and the reference" },
});
