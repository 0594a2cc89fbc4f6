import { Anchor, Button, Skeleton, Stack, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { PencilSquareIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { Link, useParams } from 'wouter';
import { DescriptionList, ownItems } from '../../components/description-list.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Iban } from '../../components/iban.tsx';
import { LoadError } from '../../errors/error-boundary.tsx';
import { date, money, today } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { Page } from '../../layout/page.tsx';
import { Day, Filters } from '../../list/list-filters.tsx';
import { useListState } from '../../list/list-state.ts';
import { Changes } from '../audit-log/changes.tsx';
import { BankAccountForm } from './bank-account-form.tsx';
import { BankAccountFields, getName, type BankAccount } from './fields.ts';
import { StatementTable } from './statement-table.tsx';
import { t } from '../../i18n/t.ts';

const BankAccountQuery = graphql(
  `
    query BankAccount($id: UUID!) {
      bankAccount(id: $id) {
        ...BankAccountFields
      }
    }
  `,
  [BankAccountFields],
);

const BankBalanceQuery = graphql(`
  query BankBalance($id: UUID!, $at: Date!) {
    bankBalance(id: $id, at: $at) {
      amount
      bankStatementId
    }
  }
`);

const back = { to: '/bank-accounts', label: t('Bank accounts') };

export default function BankAccountPage(): ReactNode {
  const { id = '' } = useParams();
  const [{ data, error }, refetch] = useQuery({ query: BankAccountQuery, variables: { id } });
  if (data?.bankAccount) return <Details key={id} account={data.bankAccount} />;
  return (
    <Page title={t('Bank account')} back={back}>
      {error ? <LoadError error={error} refetch={refetch} /> : <Skeleton h={320} radius="md" />}
    </Page>
  );
}

function Details({ account }: { account: BankAccount }): ReactNode {
  const { id, iban, currency } = account;
  const list = useListState(['at'], { field: 'TO_DATE', direction: 'DESC' });
  const at = list.filters.at ?? today();
  const [{ data, error }, refetch] = useQuery({ query: BankBalanceQuery, variables: { id, at } });
  const [editing, dialog] = useDisclosure();
  const balance = data?.bankBalance;
  return (
    <Page
      title={getName(account)}
      back={back}
      actions={
        <Button variant="default" leftSection={<PencilSquareIcon width={18} aria-hidden />} onClick={dialog.open}>
          {t('Rename')}
        </Button>
      }
    >
      <Stack gap="lg">
        <div>
          <Filters list={list}>
            <Day label={t('At')} value={at} onChange={(value) => list.filter('at', value)} />
          </Filters>
          {error && <LoadError error={error} refetch={refetch} />}
          <DescriptionList
            items={[
              [t('Balance on {date}', { date: date(at) }), balance && money(balance.amount, currency)],
              [
                t('Source'),
                balance &&
                  (balance.bankStatementId ? t('A statement, and the transactions since') : t('Transactions only')),
              ],
              ['IBAN', <Iban key="iban">{iban}</Iban>],
              [t('Currency'), currency],
              [
                t('Transactions'),
                <Anchor
                  key="transactions"
                  component={Link}
                  to={`/bank-transactions?account=${encodeURIComponent(iban)}`}
                >
                  {t('Show them')}
                </Anchor>,
              ],
              ...ownItems(account),
            ]}
          />
        </div>
        <section>
          <Title order={2} size="h4" mb="sm">
            {t('Statements')}
          </Title>
          <StatementTable account={account} list={list} />
        </section>
        <Changes id={id} />
      </Stack>
      <Dialog title={t('Rename the account')} opened={editing} onClose={dialog.close}>
        <BankAccountForm account={account} onCancel={dialog.close} onDone={dialog.close} />
      </Dialog>
    </Page>
  );
}
