import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { ArrowUturnLeftIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { confirm } from '../../components/confirm.tsx';
import { notifySuccess, notifyError } from '../../components/toast.ts';
import { date, label, money } from '../../format/format.ts';
import type { TransactionDetails } from './details.ts';
import { PayableLink, getPayable } from './payable.tsx';
import { Unmatch } from './undo-match.ts';
import { t } from '../../i18n/t.ts';

type Match = TransactionDetails['matches'][number];

/** The matches of a transaction. Each can be undone, and all together: those that are netted only so. */
export function Matches({ transaction }: { transaction: TransactionDetails }): ReactNode {
  const { id, matches, currency } = transaction;
  const [, unmatch] = useMutation(Unmatch);
  if (matches.length === 0) return null;
  const confirmAndUndo = async (match: Match): Promise<void> => {
    const name = getPayable(match)?.name ?? label(match.type);
    const confirmed = await confirm({
      title: t('Undo the match?'),
      children:
        match.type === 'CREDIT_NOTE'
          ? t('This removes the refund of {name}, which is to be made again.', { name })
          : match.type === 'CUSTOMER'
            ? t("This changes the customer's credit back.")
            : t('This removes the payment of {name}, which becomes due again.', { name }),
      confirm: t('Undo'),
      danger: true,
    });
    if (!confirmed) return;
    const { error } = await unmatch({ id, matched: match.id });
    if (error) notifyError(error);
    else notifySuccess(t('The match is undone.'));
  };
  const confirmAndUndoAll = async (): Promise<void> => {
    const confirmed = await confirm({
      title: t('Undo all matches?'),
      children: t('This removes all payments and refunds of this transaction. What they paid becomes due again.'),
      confirm: t('Undo all'),
      danger: true,
    });
    if (!confirmed) return;
    const { error } = await unmatch({ id });
    if (error) notifyError(error);
    else notifySuccess(t('The matches are undone.'));
  };
  return (
    <Card withBorder radius="md">
      <Group justify="space-between" gap="xs" mb="sm">
        <Title order={2} size="h4">
          {t('Matched with')}
        </Title>
        {matches.length > 1 && (
          <Button
            variant="subtle"
            size="xs"
            leftSection={<ArrowUturnLeftIcon width={14} aria-hidden />}
            onClick={confirmAndUndoAll}
          >
            {t('Undo all')}
          </Button>
        )}
      </Group>
      <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {matches.map((match) => (
          <MatchItem key={match.id} match={match} currency={currency} undo={() => confirmAndUndo(match)} />
        ))}
      </Stack>
    </Card>
  );
}

interface ItemProps {
  match: Match;
  currency: string;
  undo: () => void;
}

function MatchItem({ match, currency, undo }: ItemProps): ReactNode {
  const payable = getPayable(match);
  const name = payable?.name ?? label(match.type);
  return (
    <Group component="li" justify="space-between" gap="xs">
      <div style={{ minWidth: 0 }}>
        {payable ? <PayableLink payable={payable} /> : name}
        <Text className="long" size="sm" c="dimmed" lineClamp={3} title={payable?.partner}>
          {payable && [payable.date && date(payable.date), payable.partner].filter(Boolean).join(', ')}
        </Text>
      </div>
      <Group gap="md">
        <Text className="numbers figure">{money(match.amount, currency)}</Text>
        <Button
          variant="default"
          size="xs"
          leftSection={<ArrowUturnLeftIcon width={14} aria-hidden />}
          aria-label={t('Undo the match with {name}', { name })}
          onClick={undo}
        >
          {t('Undo')}
        </Button>
      </Group>
    </Group>
  );
}
