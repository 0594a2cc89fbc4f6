import { Button, Skeleton, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { EyeIcon, EyeSlashIcon, ForwardIcon, LinkIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { useParams } from 'wouter';
import { useOptimisticValue } from '../../api/optimistic-value.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Iban } from '../../components/iban.tsx';
import { LoadError } from '../../errors/error-boundary.tsx';
import { Events } from '../../components/events.tsx';
import { DescriptionList } from '../../components/description-list.tsx';
import { Page } from '../../layout/page.tsx';
import { date, money } from '../../format/format.ts';
import { Changes } from '../audit-log/changes.tsx';
import { BankTransactionQuery, type TransactionDetails } from './details.ts';
import { isMoneyOut, getName } from './fields.ts';
import { IgnoreBankTransaction, UnignoreBankTransaction } from './ignore.ts';
import { MatchForm } from './match-form.tsx';
import { Matches } from './matches.tsx';
import { useNextUnmatched } from './next-unmatched.ts';
import { MatchState } from './state.tsx';
import { Suggestions } from './suggestions.tsx';
import { t } from '../../i18n/t.ts';

const back = { to: '/bank-transactions', label: t('Bank transactions') };

export default function BankTransactionPage(): ReactNode {
  const { id = '' } = useParams();
  const [{ data, error }, refetch] = useQuery({ query: BankTransactionQuery, variables: { id } });
  if (data?.bankTransaction) return <Details key={id} transaction={data.bankTransaction} />;
  return (
    <Page title={t('Bank transaction')} back={back}>
      {error ? <LoadError error={error} refetch={refetch} /> : <Skeleton h={320} radius="md" />}
    </Page>
  );
}

function Details({ transaction }: { transaction: TransactionDetails }): ReactNode {
  const { amount, amountOpen, currency, bookingDate, valueDate, accountIban, counterpartyIban } = transaction;
  const [matchStatus, act] = useOptimisticValue(transaction.matchStatus);
  const open = matchStatus === 'UNMATCHED' || matchStatus === 'PARTIALLY_MATCHED';
  return (
    <Page
      title={getName(transaction)}
      back={back}
      badge={<MatchState matchStatus={matchStatus} />}
      description={transaction.reference}
      actions={<Actions transaction={{ ...transaction, matchStatus }} act={act} />}
    >
      <Stack gap="lg">
        <DescriptionList
          items={[
            [isMoneyOut(transaction) ? t('Money out') : t('Money in'), money(amount, currency)],
            [t('Open'), open ? money(amountOpen, currency) : null],
            [t('Booked'), date(bookingDate)],
            [t('Value date'), valueDate && date(valueDate)],
            [t('Counterparty’s account'), counterpartyIban && <Iban key="theirs">{counterpartyIban}</Iban>],
            [t('Your account'), <Iban key="ours">{accountIban}</Iban>],
            [t('The bank’s reference'), transaction.externalId],
          ]}
        />
        <Matches transaction={transaction} />
        {open && <Suggestions transaction={transaction} />}
        <Events resourceId={transaction.id} />
        <Changes id={transaction.id} />
      </Stack>
    </Page>
  );
}

interface ActionsProps {
  transaction: TransactionDetails;
  act: ReturnType<typeof useOptimisticValue<TransactionDetails['matchStatus']>>[1];
}

function Actions({ transaction, act }: ActionsProps): ReactNode {
  const { id, matchStatus } = transaction;
  const [matching, dialog] = useDisclosure();
  const [ignoring, ignore] = useMutation(IgnoreBankTransaction);
  const openNextUnmatched = useNextUnmatched(transaction);
  const [unignoring, unignore] = useMutation(UnignoreBankTransaction);
  const ignoreNow = (): Promise<void> =>
    act({
      newValue: 'IGNORED',
      run: () => ignore({ id }),
      message: t('The transaction is ignored. It no longer needs a match.'),
    });
  const unignoreNow = (): Promise<void> =>
    act({
      newValue: 'UNMATCHED',
      run: () => unignore({ id }),
      message: t('The transaction is no longer ignored.'),
    });
  if (matchStatus === 'MATCHED') return null;
  if (matchStatus === 'IGNORED') {
    return (
      <Button
        variant="default"
        disabled={ignoring.fetching} // so that the second request can't overtake the first
        loading={unignoring.fetching}
        leftSection={<EyeIcon width={18} aria-hidden />}
        onClick={unignoreNow}
      >
        {t('Stop ignoring')}
      </Button>
    );
  }
  return (
    <>
      <Button leftSection={<LinkIcon width={18} aria-hidden />} onClick={dialog.open}>
        {t('Match manually')}
      </Button>
      {matchStatus === 'UNMATCHED' && (
        <Button
          variant="default"
          disabled={unignoring.fetching}
          loading={ignoring.fetching}
          leftSection={<EyeSlashIcon width={18} aria-hidden />}
          onClick={ignoreNow}
        >
          {t('Ignore')}
        </Button>
      )}
      <Button variant="subtle" leftSection={<ForwardIcon width={18} aria-hidden />} onClick={() => openNextUnmatched()}>
        {t('Next unmatched')}
      </Button>
      <Dialog title={t('Match manually')} opened={matching} onClose={dialog.close} size="xl">
        <MatchForm transaction={transaction} onClose={dialog.close} />
      </Dialog>
    </>
  );
}
