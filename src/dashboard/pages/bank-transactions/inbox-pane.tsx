import { Button, Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { EyeSlashIcon, LinkIcon } from '@heroicons/react/24/outline';
import { useContext, useEffect, useId, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { useAnnounce } from '../../components/announce.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Iban } from '../../components/iban.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { notifyError } from '../../components/toast.ts';
import { notifyUndoable } from '../../components/undo-toast.tsx';
import { LoadError } from '../../errors/error-boundary.tsx';
import { date, money } from '../../format/format.ts';
import { InboxContext } from './after-match.ts';
import { BankTransactionQuery, type TransactionDetails } from './details.ts';
import { getName, isMoneyOut } from './fields.ts';
import { IgnoreBankTransaction, UnignoreBankTransaction } from './ignore.ts';
import { MatchForm } from './match-form.tsx';
import { Matches } from './matches.tsx';
import { getPayable } from './payable.tsx';
import { MatchState } from './state.tsx';
import { Suggestions } from './suggestions.tsx';
import { t } from '../../i18n/t.ts';

/** The selected transaction of the inbox, beside its suggestions. */
export function InboxPane({ id }: { id: string }): ReactNode {
  const [{ data, error }, refetch] = useQuery({ query: BankTransactionQuery, variables: { id } });
  const heading = useId();
  const transaction = data?.bankTransaction;
  const announce = useAnnounce();
  const [best] = transaction?.suggestions ?? [];
  const announcement = transaction && describeBest(best);
  useEffect(() => {
    if (announcement) announce(announcement);
  }, [announcement, announce]);
  if (!transaction) {
    if (error) return <LoadError error={error} refetch={refetch} />;
    return data ? <Text c="dimmed">{t('This transaction is not there.')}</Text> : <Skeleton h={320} radius="md" />;
  }
  const isOpen = transaction.matchStatus === 'UNMATCHED' || transaction.matchStatus === 'PARTIALLY_MATCHED';
  return (
    <section className="inbox-columns" aria-labelledby={heading}>
      <Card withBorder radius="md">
        <Stack gap="sm">
          <Group justify="space-between" align="baseline" gap="xs">
            <Title order={2} size="h4" id={heading} className="long" miw={0}>
              {getName(transaction)}
            </Title>
            {transaction.matchStatus !== 'UNMATCHED' && <MatchState matchStatus={transaction.matchStatus} />}
            <Text size="lg" fw={600} className="numbers figure" ml="auto">
              {money(transaction.amount, transaction.currency)}
            </Text>
          </Group>
          {transaction.reference && (
            <Text className="long" size="sm">
              {transaction.reference}
            </Text>
          )}
          <Facts transaction={transaction} />
          <Group gap="xs">
            {isOpen && <Actions transaction={transaction} />}
            <TextLink className="target" to={`/bank-transactions/${id}`} ml="auto">
              {t('All details')}
            </TextLink>
          </Group>
        </Stack>
      </Card>
      <Stack gap="md">
        <Matches transaction={transaction} />
        {isOpen && <Suggestions transaction={transaction} />}
      </Stack>
    </section>
  );
}

function describeBest(best: TransactionDetails['suggestions'][number] | undefined): string {
  const payable = best && getPayable(best);
  return payable
    ? t('Best suggestion: {name}', { name: [payable.name, payable.partner].filter(Boolean).join(', ') })
    : t('No suggestions');
}

function Facts({ transaction }: { transaction: TransactionDetails }): ReactNode {
  const { amountOpen, currency, bookingDate, accountIban, counterpartyIban, matchStatus } = transaction;
  const items: [string, ReactNode][] = [
    [isMoneyOut(transaction) ? t('Money out') : t('Money in'), date(bookingDate)],
    [t('Open'), matchStatus === 'PARTIALLY_MATCHED' && money(amountOpen, currency)],
    [t('Counterparty’s account'), counterpartyIban && <Iban key="theirs">{counterpartyIban}</Iban>],
    [t('Your account'), <Iban key="ours">{accountIban}</Iban>],
  ];
  return (
    <dl className="facts">
      {items.map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <Text component="dt" size="xs" c="dimmed">
                {name}
              </Text>
              <Text component="dd" size="sm" m={0} className="long">
                {value}
              </Text>
            </div>
          ),
      )}
    </dl>
  );
}

/** The actions other than confirming a suggestion. */
function Actions({ transaction }: { transaction: TransactionDetails }): ReactNode {
  const { id } = transaction;
  const inbox = useContext(InboxContext);
  const [matching, dialog] = useDisclosure();
  const [{ fetching }, ignore] = useMutation(IgnoreBankTransaction);
  const [, unignore] = useMutation(UnignoreBankTransaction);
  const ignoreNow = async (): Promise<void> => {
    const { error } = await ignore({ id });
    if (error) return notifyError(error);
    const undo = async (): Promise<void> => {
      const undone = await unignore({ id });
      if (undone.error) notifyError(undone.error);
      else inbox?.bringBack([id]);
    };
    const text = t('The transaction is ignored. It no longer needs a match.');
    inbox?.keepUndo(notifyUndoable(text, () => void undo()));
    inbox?.goOn(id);
  };
  return (
    <>
      <Button variant="default" size="xs" leftSection={<LinkIcon width={16} aria-hidden />} onClick={dialog.open}>
        {t('Match manually')}
      </Button>
      {transaction.matchStatus === 'UNMATCHED' && (
        <Button
          variant="default"
          size="xs"
          loading={fetching}
          leftSection={<EyeSlashIcon width={16} aria-hidden />}
          onClick={ignoreNow}
        >
          {t('Ignore')}
        </Button>
      )}
      <Dialog title={t('Match manually')} opened={matching} onClose={dialog.close} size="xl">
        <MatchForm transaction={transaction} onClose={dialog.close} />
      </Dialog>
    </>
  );
}
