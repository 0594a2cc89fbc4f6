import { Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { Link } from 'wouter';
import { date, label, money } from '../../format/format.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ReverseForm } from '../../components/reverse-form.tsx';
import { notifySuccess } from '../../components/toast.ts';
import { describeDifference } from './exchange-difference.ts';
import type { PaymentPage, Payment } from './fields.ts';
import { ReversePayment } from './mutations.ts';
import { paymentTexts, type PaymentKind } from './texts.ts';
import { t } from '../../i18n/t.ts';

interface Props {
  payments: PaymentPage;
  currency: string;
  /** Default: payments. */
  kind?: PaymentKind;
}

/** The payments of an invoice or receipt, or the refunds of a credit note. Each can be undone. */
export function Payments({ payments, currency, kind = 'payment' }: Props): ReactNode {
  const texts = paymentTexts[kind];
  const [, reverse] = useMutation(ReversePayment);
  const { nodes, pageInfo } = payments;
  // A reversed payment is struck through: its reversal needs no line of its own.
  const shown = nodes.filter(({ reversalOfId }) => reversalOfId === null);
  const [undone, setUndone] = useState<Payment | null>(null);
  const close = (): void => setUndone(null);
  if (shown.length === 0) return null;
  return (
    <Card withBorder radius="md">
      <Title order={2} size="h4" mb="sm">
        {texts.title}
      </Title>
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {shown.map((payment) => (
          <Group component="li" key={payment.id} justify="space-between" wrap="nowrap">
            <div style={{ minWidth: 0 }}>
              <Text className="numbers figure" td={payment.reversedAt ? 'line-through' : undefined}>
                {money(payment.amount, currency)}
              </Text>
              <Text size="sm" c="dimmed">
                {payment.kind !== 'PAYMENT' && `${label(payment.kind)}, `}
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
                      {payment.bankTransaction.counterpartyName ?? t('bank transaction')}
                    </Anchor>
                  </>
                )}
              </Text>
              {describeDifference(payment) && (
                <Text size="sm" c="dimmed">
                  {describeDifference(payment)}
                </Text>
              )}
            </div>
            {payment.reversedAt ? (
              <Text size="sm" c="dimmed">
                {payment.reason ? t('Undone: {reason}', { reason: payment.reason }) : t('Undone')}
              </Text>
            ) : (
              // A payment by a bank transaction is undone on the transaction's page.
              !payment.bankTransaction && (
                <Button variant="default" size="xs" onClick={() => setUndone(payment)}>
                  {t('Undo')}
                </Button>
              )
            )}
          </Group>
        ))}
      </Stack>
      <Dialog title={texts.undo} opened={undone !== null} onClose={close} size="md">
        {undone && (
          <ReverseForm
            consequence={texts.dueAgain(money(undone.amount, currency))}
            submit={t('Undo')}
            reverse={(reason, context) => reverse({ id: undone.id, reason }, context)}
            onDone={() => {
              notifySuccess(texts.undone);
              close();
            }}
            onCancel={close}
          />
        )}
      </Dialog>
      {pageInfo.hasNextPage && <Text mt="sm">{texts.newest(nodes.length)}</Text>}
    </Card>
  );
}
