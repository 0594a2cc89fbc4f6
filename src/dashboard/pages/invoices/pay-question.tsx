import { TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useClient } from 'urql';
import { today } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { randomId } from '../../forms/random-id.ts';
import { QuestionForm } from '../../list/selection/question.tsx';
import { sayMoney, type QuestionProps } from '../../list/selection/selection.ts';
import type { InvoiceRow } from './invoice-table.tsx';
import { PayInvoice } from './mutations.ts';

/** Records a payment of what is due of each, on one day. */
export function PayQuestion({ begin, ...props }: QuestionProps<InvoiceRow>): ReactNode {
  const { options, rows, left } = props;
  const client = useClient();
  const [paidOn, setPaidOn] = useState(today);
  return (
    <QuestionForm
      {...props}
      options={{ ...options, addUp: sayDue }}
      summary={t('{count} invoices will be marked as paid.', { count: rows.length })}
      consequence={t('A payment of the amount due is recorded for each. You can undo it on the invoice’s page.')}
      confirm={t('Mark as paid')}
      begin={() =>
        begin({
          rows,
          left,
          sayDone: (count) => t('{count} invoices are paid.', { count }),
          // The amount that was shown: the server refuses it if less is due by now.
          request: ({ id, amountDue }) =>
            client.mutation(PayInvoice, { id, amount: amountDue, paidOn }, { idempotencyKey: randomId() }).toPromise(),
        })
      }
    >
      <TextInput
        type="date"
        label={t('Paid on')}
        required
        max={today()}
        value={paidOn}
        onChange={(event) => setPaidOn(event.currentTarget.value)}
        w={{ base: '100%', sm: 200 }}
      />
    </QuestionForm>
  );
}

const sayDue = (rows: readonly InvoiceRow[]): string =>
  sayMoney(rows.map(({ amountDue, currency }) => ({ amount: amountDue, currency })));
