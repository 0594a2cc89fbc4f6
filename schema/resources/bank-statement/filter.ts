import { listInputs } from '../../graphql/lists.ts';
import { bankAccountInputs } from '../bank-account/filter.ts';

export const bankStatementInputs = listInputs('BankStatement', {
  ability: 'bank-transactions:read',
  relations: { bankAccount: bankAccountInputs },
});
