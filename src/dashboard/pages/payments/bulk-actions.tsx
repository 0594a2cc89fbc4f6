import { ArrowUturnLeftIcon } from '@heroicons/react/24/outline';
import { TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useClient } from 'urql';
import { date, money } from '../../format/format.ts';
import { reasonField } from '../../forms/reason-field.ts';
import { t } from '../../i18n/t.ts';
import { QuestionForm } from '../../list/selection/question.tsx';
import { sayMoney, type QuestionProps, type SelectionOptions } from '../../list/selection/selection.ts';
import { buildExportAction } from '../exports/export-question.tsx';
import { getPayer, signed, type InvoicePaymentRow } from './invoice-payment.ts';
import { ReversePayment } from './mutations.ts';

/** The actions on several payments of customers, and refunds. */
export const paymentSelection: SelectionOptions<InvoicePaymentRow> = {
  getName: (row) =>
    [getPayer(row)?.companyName, money(signed(row), row.currency), date(row.paidOn)].filter(Boolean).join(', '),
  addUp: (rows) => sayMoney(rows.map((row) => ({ amount: signed(row), currency: row.currency }))),
  actions: [
    {
      label: t('Undo'),
      icon: ArrowUturnLeftIcon,
      scope: 'invoices',
      isFor: ({ bankTransactionId, reversalOfId, reversedAt }) => !bankTransactionId && !reversalOfId && !reversedAt,
      notFor: t('Undone already, or paid by a bank transaction, whose match is undone on its page'),
      title: t('Undo the payments?'),
      Question: UndoQuestion,
    },
    buildExportAction('PAYMENTS'),
  ],
};

/** One reason for all stays in the books. */
function UndoQuestion({ begin, ...props }: QuestionProps<InvoicePaymentRow>): ReactNode {
  const { rows, left } = props;
  const client = useClient();
  const [reason, setReason] = useState('');
  return (
    <QuestionForm
      {...props}
      summary={t('{count} payments will be undone.', { count: rows.length })}
      consequence={t('Their amounts are due again.')}
      confirm={t('Undo')}
      begin={() =>
        begin({
          rows,
          left,
          sayDone: (count) => t('{count} payments are undone.', { count }),
          request: ({ id }) => client.mutation(ReversePayment, { id, reason }).toPromise(),
        })
      }
    >
      <TextInput {...reasonField} value={reason} onChange={(event) => setReason(event.currentTarget.value)} />
    </QuestionForm>
  );
}
