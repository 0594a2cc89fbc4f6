import { listInputs } from '../../graphql/lists.ts';

export const bankAccountInputs = listInputs('BankAccount', { ability: 'bank-transactions:read' });
