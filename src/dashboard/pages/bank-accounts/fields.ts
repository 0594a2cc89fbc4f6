import { graphql, type FragmentOf } from '../../graphql.ts';
import { formatIban } from '../../format/iban.ts';

export const BankAccountFields = graphql(`
  fragment BankAccountFields on BankAccount {
    id
    version
    externalId
    metadata
    iban
    currency
    name
  }
`);

export type BankAccount = FragmentOf<typeof BankAccountFields>;

/** The tenant's name for it, or else its number. */
export const getName = ({ name, iban }: Pick<BankAccount, 'name' | 'iban'>): string => name ?? formatIban(iban);
