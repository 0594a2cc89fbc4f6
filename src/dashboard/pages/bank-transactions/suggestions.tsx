import { Badge, Button, Card, Group, Kbd, Stack, Text, Title } from '@mantine/core';
import { CheckIcon } from '@heroicons/react/24/outline';
import { useContext, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { notifyError } from '../../components/toast.ts';
import { date, label, money } from '../../format/format.ts';
import { InboxContext, useAfterMatch } from './after-match.ts';
import type { TransactionDetails } from './details.ts';
import { isMoneyOut } from './fields.ts';
import { CreateReceipt } from './create-receipt.tsx';
import { MatchBankTransaction } from './match-form.tsx';
import { PayableLink, getPayable } from './payable.tsx';
import { t } from '../../i18n/t.ts';

type Suggestion = TransactionDetails['suggestions'][number];

/** Of more, nobody reads the reasons: a search finds the right one sooner. */
const shown = 3;

/** Suggestions of payables for a transaction, with the reasons. The most likely one is first. */
export function Suggestions({ transaction }: { transaction: TransactionDetails }): ReactNode {
  const { id, suggestions, currency } = transaction;
  const [{ fetching, operation }, match] = useMutation(MatchBankTransaction);
  const afterMatch = useAfterMatch(transaction);
  const confirming = fetching ? operation?.variables.matches[0]?.id : undefined;
  const confirm = async (suggestion: Suggestion): Promise<void> => {
    const { type, id: payable, amount } = suggestion;
    const { data, error } = await match({ id, matches: [{ type, id: payable, amount }] });
    if (error) return notifyError(error);
    await afterMatch({
      message: t('Matched with {name}.', { name: getPayable(suggestion)?.name ?? label(type) }),
      matchStatus: data?.matchBankTransaction.matchStatus,
      matched: payable,
    });
  };
  return (
    <Card withBorder radius="md">
      <Title order={2} size="h4" mb="sm">
        {t('Suggestions')}
      </Title>
      {suggestions.length === 0 ? (
        <Text size="sm" c="dimmed">
          {isMoneyOut(transaction)
            ? t('No matching receipts or credit notes. Create a receipt, match the transaction manually, or ignore it.')
            : t('No matching invoices. Match the transaction manually, or ignore it.')}
        </Text>
      ) : (
        <Stack gap="lg" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {suggestions.slice(0, shown).map((suggestion, at) => (
            <SuggestionItem
              key={suggestion.id}
              suggestion={suggestion}
              currency={currency}
              isBest={at === 0}
              busy={confirming === suggestion.id}
              confirm={() => confirm(suggestion)}
            />
          ))}
        </Stack>
      )}
      {suggestions.length > shown && (
        <Text size="sm" c="dimmed" mt="md">
          {t('{count} more are possible. Match the transaction manually to search for it.', {
            count: suggestions.length - shown,
          })}
        </Text>
      )}
      {isMoneyOut(transaction) && (
        <Group mt="md">
          <CreateReceipt transaction={transaction} />
        </Group>
      )}
    </Card>
  );
}

/** Why a transaction may pay something of this type. */
function sayReason(type: Suggestion['type'], reason: Suggestion['reasons'][number]): string {
  const { code, number, partnerName } = reason;
  if (code === 'EXACT_AMOUNT') return t('The amount is exactly what is due.');
  const name = partnerName ?? '';
  if (code === 'EARLIER_PARTNER') return t("Earlier transactions of this account were {name}'s.", { name });
  if (code === 'SAME_NAME') return t('The counterparty is called {name}, too.', { name });
  return sayNamed(type, number ?? '');
}

function sayNamed(type: Suggestion['type'], number: string): string {
  if (type === 'RECEIPT') return t('The reference names receipt {number}.', { number });
  if (type === 'CREDIT_NOTE') return t('The reference names credit note {number}.', { number });
  return t('The reference names invoice {number}.', { number });
}

interface ItemProps {
  suggestion: Suggestion;
  currency: string;
  isBest: boolean;
  busy: boolean;
  confirm: () => void;
}

/** From this score on, of 100, a suggestion is called likely. */
const likely = 75;

function SuggestionItem({ suggestion, currency, isBest, busy, confirm }: ItemProps): ReactNode {
  const { type, amount, reasons } = suggestion;
  const hasKey = useContext(InboxContext) !== undefined && isBest;
  const payable = getPayable(suggestion);
  const name = payable?.name ?? label(type);
  return (
    <Group component="li" justify="space-between" align="flex-start" gap="sm">
      <Stack gap={2} style={{ flex: '1 1 260px' }} miw={0}>
        <Group gap="xs">
          {payable ? <PayableLink payable={payable} /> : name}
          <Likelihood suggestion={suggestion} />
        </Group>
        <Text className="long" size="sm" c="dimmed" lineClamp={3} title={payable?.partner}>
          {payable && [date(payable.date), payable.partner].filter(Boolean).join(', ')}
        </Text>
        <Text className="long" component="ul" size="sm" m={0} pl="md">
          {reasons.map((reason) => (
            <li key={reason.code}>{sayReason(type, reason)}</li>
          ))}
        </Text>
      </Stack>
      <Group gap="md">
        <Text className="numbers figure">{money(amount, currency)}</Text>
        <Button
          size="xs"
          variant={isBest ? 'filled' : 'default'}
          loading={busy}
          leftSection={<CheckIcon width={14} aria-hidden />}
          rightSection={hasKey && <Kbd size="xs">↵</Kbd>}
          aria-keyshortcuts={hasKey ? 'Enter' : undefined}
          data-best={isBest || undefined}
          aria-label={t('Confirm {name}', { name })}
          onClick={confirm}
        >
          {t('Confirm')}
        </Button>
      </Group>
    </Group>
  );
}

function Likelihood({ suggestion: { isExact, score } }: { suggestion: Suggestion }): ReactNode {
  const isLikely = isExact || score >= likely;
  return (
    <Badge variant="light" color={isLikely ? 'teal' : 'gray'} tt="none" fw={500}>
      {isExact ? t('Exact match') : isLikely ? t('Likely match') : t('Possible match')}
    </Badge>
  );
}
