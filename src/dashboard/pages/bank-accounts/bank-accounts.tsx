import { Text } from '@mantine/core';
import { BuildingLibraryIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { Iban } from '../../components/iban.tsx';
import { LongText } from '../../components/long-text.tsx';
import { money } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import type { SortableColumn } from '../../list/data-table.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { ListTable, type ListTableProps } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import { BankAccountFields, getName } from './fields.ts';
import { BankAccountForm } from './bank-account-form.tsx';
import { t } from '../../i18n/t.ts';

const BankAccountsQuery = graphql(
  `
    query BankAccounts($first: Int, $after: String, $last: Int, $before: String, $filter: BankAccountFilter) {
      rows: bankAccounts(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        totalCount
        pageInfo {
          ...PageInfoFields
        }
        nodes {
          ...BankAccountFields
          balance {
            amount
          }
        }
      }
    }
  `,
  [PageInfoFields, BankAccountFields],
);

type Row = ResultOf<typeof BankAccountsQuery>['rows']['nodes'][number];

const columns: SortableColumn<Row, never>[] = [
  {
    header: t('Account'),
    lead: true,
    phone: 'title',
    cell: (account) => <LongText to={`/bank-accounts/${account.id}`}>{getName(account)}</LongText>,
  },
  {
    header: t('IBAN'),
    phone: 'detail',
    cell: ({ name, iban }) =>
      name && (
        <Text className="long" size="sm" lineClamp={2} title={iban}>
          <Iban>{iban}</Iban>
        </Text>
      ),
  },
  {
    header: t('Balance today'),
    align: 'right',
    phone: 'value',
    cell: ({ balance, currency }) => money(balance.amount, currency),
  },
];

const BankAccountTable = (props: ListTableProps<typeof BankAccountsQuery>): ReactNode => (
  <ListTable caption={t('Bank accounts')} query={BankAccountsQuery} columns={columns} {...props} />
);

export default function BankAccounts(): ReactNode {
  return (
    <ListPage
      title={t('Bank accounts')}
      description={t('Your accounts, with the balances that the bank states.')}
      exportable="BANK_ACCOUNTS"
      table={BankAccountTable}
      filters={{}}
      variables={() => ({ filter: {} })}
      add={{
        label: t('Add an account'),
        form: ({ onDone, onCancel }) => <BankAccountForm onDone={onDone} onCancel={onCancel} />,
      }}
      empty={{
        icon: BuildingLibraryIcon,
        title: t('No bank accounts yet'),
        description: t('The first bank statement of an account adds it.'),
        noMatch: t('No bank accounts match'),
      }}
    />
  );
}
