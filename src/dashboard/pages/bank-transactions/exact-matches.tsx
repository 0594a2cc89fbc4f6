import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { CheckIcon } from '@heroicons/react/24/outline';
import { useContext, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { useSearchParams } from 'wouter';
import { Dialog } from '../../components/dialog.tsx';
import { LongText } from '../../components/long-text.tsx';
import { notifyLeft } from '../../components/notify-left.tsx';
import { notifyError, notifySuccess } from '../../components/toast.ts';
import { notifyUndoable } from '../../components/undo-toast.tsx';
import { LoadError } from '../../errors/error-boundary.tsx';
import { money } from '../../format/format.ts';
import { sum } from '../../format/decimal.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import type { Column } from '../../list/responsive-table.tsx';
import { SimpleTable } from '../../list/simple-table.tsx';
import { InboxContext } from './after-match.ts';
import { BankTransactionFields, getName } from './fields.ts';
import { getPayable, PaidInvoice, PaidReceipt, RefundedCreditNote } from './payable.tsx';
import { useUndoMatches } from './undo-match.ts';
import { t } from '../../i18n/t.ts';

const ExactMatchesQuery = graphql(
  `
    query ExactMatches {
      exactMatches {
        transaction {
          ...BankTransactionFields
        }
        suggestion {
          id
          invoice {
            ...PaidInvoice
          }
          receipt {
            ...PaidReceipt
          }
          creditNote {
            ...RefundedCreditNote
          }
        }
      }
    }
  `,
  [BankTransactionFields, PaidInvoice, PaidReceipt, RefundedCreditNote],
);

const ConfirmExactMatches = graphql(`
  mutation ConfirmExactMatches($matches: [ExactMatchInput!]!) {
    confirmExactMatches(matches: $matches) {
      id
    }
  }
`);

type ExactMatch = ResultOf<typeof ExactMatchesQuery>['exactMatches'][number];

interface Props {
  /** Is given the ids of the transactions that were matched. */
  onDone?: (ids: ReadonlySet<string>) => void;
}

/**
 * Confirms the exact suggestions of all unmatched transactions at once, after a dialog has shown them. `exact` in the address
 * opens it.
 */
export function ExactMatches({ onDone }: Props): ReactNode {
  const [search] = useSearchParams();
  const [opened, dialog] = useDisclosure(search.has('exact'));
  return (
    <Group mb="sm">
      <Button variant="default" leftSection={<CheckIcon width={18} aria-hidden />} onClick={dialog.open}>
        {t('Confirm all exact…')}
      </Button>
      <Dialog title={t('Confirm all exact matches')} opened={opened} onClose={dialog.close} size="xl">
        <Confirmation onClose={dialog.close} onDone={onDone} />
      </Dialog>
    </Group>
  );
}

const getPayableName = ({ suggestion }: ExactMatch): string => getPayable(suggestion)?.name ?? '';

const columns: Column<ExactMatch & { id: string }>[] = [
  {
    header: t('Transaction'),
    lead: true,
    phone: 'title',
    cell: ({ transaction }) => (
      <div>
        <LongText>{getName(transaction)}</LongText>
        <LongText secondary lines={1}>
          {transaction.reference}
        </LongText>
      </div>
    ),
  },
  {
    header: t('Pays'),
    phone: 'detail',
    cell: (row) => (
      <div>
        <LongText>{getPayableName(row)}</LongText>
        <LongText secondary lines={1}>
          {getPayable(row.suggestion)?.partner}
        </LongText>
      </div>
    ),
    phoneCell: getPayableName,
  },
  {
    header: t('Amount'),
    align: 'right',
    phone: 'value',
    cell: ({ transaction: { amount, currency } }) => money(amount, currency),
  },
];

function Confirmation({ onClose, onDone }: Props & { onClose: () => void }): ReactNode {
  const [{ data, error }, refetch] = useQuery({ query: ExactMatchesQuery, requestPolicy: 'network-only' });
  const [sent, send] = useMutation(ConfirmExactMatches);
  const inbox = useContext(InboxContext);
  const undo = useUndoExact();
  if (error && !data) return <LoadError error={error} refetch={refetch} />;
  if (!data) return <Skeleton h={240} />;
  const { exactMatches } = data;
  if (exactMatches.length === 0)
    return (
      <Stack>
        <Text size="sm">
          {t('No suggestion is exact: none is the only one with the amount due and another reason.')}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('Close')}
          </Button>
        </Group>
      </Stack>
    );
  const confirm = async (): Promise<void> => {
    const matches = exactMatches.map(({ transaction, suggestion }) => ({
      transactionId: transaction.id,
      id: suggestion.id,
    }));
    const { data: done, error: refused } = await send({ matches });
    if (refused) return notifyError(refused);
    const ids = new Set(done?.confirmExactMatches.map(({ id }) => id));
    onClose();
    const matched = exactMatches.filter(({ transaction }) => ids.has(transaction.id));
    const left = exactMatches.filter((match) => !matched.includes(match));
    if (matched.length > 0) {
      const undoNow = notifyUndoable(t('{count} transactions are matched.', { count: ids.size }), () => undo(matched));
      inbox?.keepUndo(undoNow);
    }
    if (left.length > 0)
      notifyLeft({
        title: t('{count} transactions were not matched', { count: left.length }),
        reason: t('They, or what they pay, changed meanwhile:'),
        names: left.map(sayMatch),
      });
    onDone?.(ids);
  };
  return (
    <Stack>
      <Text size="sm">
        {t('Of each, the amount is exactly what is due, another reason agrees, and nothing else fits as well.')}
      </Text>
      <SimpleTable
        caption={t('Exact matches')}
        columns={columns}
        rows={exactMatches.map((match) => ({ ...match, id: match.transaction.id }))}
      />
      <Group className="dialog-footer" justify="space-between" gap="sm">
        <Text size="sm" className="numbers">
          {sumUp(exactMatches)}
        </Text>
        <Group gap="xs" ml="auto">
          <Button variant="default" onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button loading={sent.fetching} onClick={confirm} data-autofocus>
            {t('Confirm {count} matches', { count: exactMatches.length })}
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}

/** The sums of what comes in and goes out, by currency. */
function sumUp(matches: readonly ExactMatch[]): string {
  const groups = Map.groupBy(matches, ({ transaction: { amount, currency } }) =>
    [amount.startsWith('-') ? 'out' : 'in', currency].join(' '),
  );
  return [...groups]
    .toSorted()
    .map(([group, of]) => {
      const [direction, currency = ''] = group.split(' ');
      const amount = money(sum(of.map(({ transaction }) => transaction.amount)).replace('-', ''), currency);
      return direction === 'in' ? t('{amount} in', { amount }) : t('{amount} out', { amount });
    })
    .join(' · ');
}

/** `Initech · €1,071.00 · Invoice 2026-0012` */
const sayMatch = (match: ExactMatch): string =>
  [getName(match.transaction), money(match.transaction.amount, match.transaction.currency), getPayableName(match)]
    .filter(Boolean)
    .join(' · ');

/** Returns a function that undoes matches one after the other, and brings their transactions back into the inbox. */
function useUndoExact(): (matches: readonly ExactMatch[]) => Promise<void> {
  const inbox = useContext(InboxContext);
  const undoMatches = useUndoMatches();
  return async (matches) => {
    const made = matches.map(({ transaction, suggestion }) => ({ id: transaction.id, matched: suggestion.id }));
    const { undone, reason } = await undoMatches(made);
    if (undone.size > 0) notifySuccess(t('{count} matches are undone.', { count: undone.size }));
    const left = matches.filter(({ transaction }) => !undone.has(transaction.id));
    if (left.length > 0)
      notifyLeft({
        title: t('{count} matches were not undone', { count: left.length }),
        reason,
        names: left.map(sayMatch),
      });
    inbox?.bringBack([...undone]);
  };
}
