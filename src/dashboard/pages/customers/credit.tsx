import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { Dialog } from '../../components/dialog.tsx';
import { notifySuccess } from '../../components/toast.ts';
import { money } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { PaymentForm } from '../payments/payment-form.tsx';
import { t } from '../../i18n/t.ts';

const CreditQuery = graphql(`
  query CustomerCredit($id: UUID!) {
    customer(id: $id) {
      id
      creditBalances {
        currency
        amount
      }
    }
  }
`);

const RefundCredit = graphql(`
  mutation RefundCredit($id: UUID!, $currency: String, $amount: Decimal, $paidOn: Date) {
    refundCredit(id: $id, currency: $currency, amount: $amount, paidOn: $paidOn) {
      id
      customer {
        id
      }
    }
  }
`);

type Balance = NonNullable<ResultOf<typeof CreditQuery>['customer']>['creditBalances'][number];

/** A customer's credit: payments beyond the amounts due. It can be refunded here, or pay an invoice on its page. */
export function Credit({ id }: { id: string }): ReactNode {
  const [{ data }, refetch] = useQuery({ query: CreditQuery, variables: { id } });
  const [, refund] = useMutation(RefundCredit);
  const [refunded, setRefunded] = useState<Balance | null>(null);
  const close = (): void => setRefunded(null);
  const balances = data?.customer?.creditBalances ?? [];
  if (balances.length === 0) return null;
  return (
    <Card withBorder radius="md">
      <Title order={2} size="h4" mb={4}>
        {t('Credit')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('Paid beyond what was due. To use it, record a payment of an invoice.')}
      </Text>
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {balances.map((balance) => (
          <Group component="li" key={balance.currency} justify="space-between">
            <Text className="numbers figure">{money(balance.amount, balance.currency)}</Text>
            <Button
              variant="default"
              size="xs"
              aria-label={t('Refund the credit in {currency}', { currency: balance.currency })}
              onClick={() => setRefunded(balance)}
            >
              {t('Refund')}
            </Button>
          </Group>
        ))}
      </Stack>
      <Dialog title={t('Refund the credit')} opened={refunded !== null} onClose={close} size="md">
        {refunded && (
          <PaymentForm
            kind="refund"
            due={refunded.amount}
            currency={refunded.currency}
            pay={(payment, context) => refund({ id, currency: refunded.currency, ...payment }, context)}
            onDone={() => {
              notifySuccess(t('The refund is recorded.'));
              refetch({ requestPolicy: 'network-only' });
              close();
            }}
            onCancel={close}
          />
        )}
      </Dialog>
    </Card>
  );
}
