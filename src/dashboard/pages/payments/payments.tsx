import { Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { Link } from 'wouter';
import { date, money } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { confirm } from '../../components/confirm.tsx';
import { notifySuccess, notifyError } from '../../components/toast.ts';

const UndoPayment = graphql(`
  mutation UndoPayment($id: UUID!) {
    undoPayment(id: $id) {
      id
    }
  }
`);

export interface Payment {
  id: string;
  amount: string;
  paidOn: string;
  createdAt: string;
  bankTransaction: { id: string; counterpartyName: string | null } | null;
}

/** The payments of an invoice or receipt. Each can be undone. */
export function Payments({ payments, currency }: { payments: readonly Payment[]; currency: string }): ReactNode {
  const [, undo] = useMutation(UndoPayment);
  if (payments.length === 0) return null;
  const confirmAndUndo = async ({ id, amount }: Payment): Promise<void> => {
    const confirmed = await confirm({
      title: 'Undo the payment?',
      children: `${money(amount, currency)} becomes due again.`,
      confirm: 'Undo',
      danger: true,
    });
    if (!confirmed) return;
    const { error } = await undo({ id });
    if (error) notifyError(error);
    else notifySuccess('The payment is undone.');
  };
  return (
    <Card withBorder radius="md">
      <Title order={2} size="h4" mb="sm">
        Payments
      </Title>
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {payments.map((payment) => (
          <Group component="li" key={payment.id} justify="space-between" wrap="nowrap">
            <div style={{ minWidth: 0 }}>
              <Text className="numbers figure">{money(payment.amount, currency)}</Text>
              <Text size="sm" c="dimmed">
                {date(payment.paidOn)}
                {payment.bankTransaction && (
                  <>
                    {', '}
                    <Anchor
                      className="long"
                      component={Link}
                      to={`/bank-transactions/${payment.bankTransaction.id}`}
                      size="sm"
                    >
                      {payment.bankTransaction.counterpartyName ?? 'bank transaction'}
                    </Anchor>
                  </>
                )}
              </Text>
            </div>
            <Button variant="default" size="xs" onClick={() => confirmAndUndo(payment)}>
              Undo
            </Button>
          </Group>
        ))}
      </Stack>
    </Card>
  );
}
