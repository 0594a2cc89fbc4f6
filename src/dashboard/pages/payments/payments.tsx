import { Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { Link } from 'wouter';
import { date, money } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { confirm } from '../../components/confirm.tsx';
import { notifySuccess, notifyError } from '../../components/toast.ts';
import type { PaymentPage, Payment } from './fields.ts';
import { paymentTexts, type PaymentKind } from './texts.ts';

const UndoPayment = graphql(`
  mutation UndoPayment($id: UUID!) {
    undoPayment(id: $id) {
      id
    }
  }
`);

interface Props {
  payments: PaymentPage;
  currency: string;
  /** Default: payments. */
  kind?: PaymentKind;
}

/** The payments of an invoice or receipt, or the refunds of a credit note. Each can be undone. */
export function Payments({ payments, currency, kind = 'payment' }: Props): ReactNode {
  const texts = paymentTexts[kind];
  const [, undo] = useMutation(UndoPayment);
  const { nodes, pageInfo } = payments;
  if (nodes.length === 0) return null;
  const confirmAndUndo = async ({ id, amount }: Payment): Promise<void> => {
    const confirmed = await confirm({
      title: texts.undo,
      children: texts.dueAgain(money(amount, currency)),
      confirm: 'Undo',
      danger: true,
    });
    if (!confirmed) return;
    const { error } = await undo({ id });
    if (error) notifyError(error);
    else notifySuccess(texts.undone);
  };
  return (
    <Card withBorder radius="md">
      <Title order={2} size="h4" mb="sm">
        {texts.title}
      </Title>
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {nodes.map((payment) => (
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
      {pageInfo.hasNextPage && <Text mt="sm">{texts.newest(nodes.length)}</Text>}
    </Card>
  );
}
