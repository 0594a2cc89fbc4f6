import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../graphql.ts';
import { formatIban } from '../../format/iban.ts';
import { Choice, type Filter } from '../../list/list-filters.tsx';
import { getName } from './fields.ts';
import { t } from '../../i18n/t.ts';

const FindBankAccounts = graphql(`
  query FindBankAccounts {
    bankAccounts(first: 100) {
      nodes {
        iban
        name
      }
    }
  }
`);

/** A filter for the transactions of one account, by its IBAN. */
export const accountFilter: Filter = (filter) => <AccountChoice {...filter} />;

function AccountChoice(filter: Parameters<Filter>[0]): ReactNode {
  const [{ data }] = useQuery({ query: FindBankAccounts });
  const names = new Map(data?.bankAccounts.nodes.map((account) => [account.iban, getName(account)]));
  // An address may name one that isn't among the first.
  if (filter.value !== undefined && !names.has(filter.value)) names.set(filter.value, formatIban(filter.value));
  const options = [...names].map(([value, label]) => ({ value, label }));
  return <Choice label={t('Account')} all={t('All accounts')} options={options} searchable {...filter} />;
}
