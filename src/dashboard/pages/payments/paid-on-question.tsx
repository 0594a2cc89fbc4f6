import { TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useClient, type Client, type CombinedError } from 'urql';
import { today } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { QuestionForm } from '../../list/selection/question.tsx';
import { sayMoney, type QuestionProps } from '../../list/selection/selection.ts';

interface Due {
  id: string;
  amountDue: string;
  currency: string;
}

interface Texts {
  /** `{count} invoices will be marked as paid.` */
  summary: (count: number) => string;
  consequence: string;
  confirm: string;
  /** `{count} invoices are paid.` */
  sayDone: (count: number) => string;
}

/**
 * The question of an action that records a payment, or a refund, of what is due of each, on one day.
 * @param request sends the amount that was shown: the server refuses it if less is due by now
 */
export const buildPaidOnQuestion =
  <Row extends Due>(
    { summary, sayDone, ...texts }: Texts,
    request: (client: Client, row: Row, paidOn: string) => Promise<{ error?: CombinedError | undefined }>,
  ) =>
  ({ begin, ...props }: QuestionProps<Row>): ReactNode => {
    const { options, rows, left } = props;
    const client = useClient();
    const [paidOn, setPaidOn] = useState(today);
    return (
      <QuestionForm
        {...props}
        {...texts}
        options={{ ...options, addUp: sayDue }}
        summary={summary(rows.length)}
        begin={() => begin({ rows, left, sayDone, request: (row) => request(client, row, paidOn) })}
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
  };

const sayDue = (rows: readonly Due[]): string =>
  sayMoney(rows.map(({ amountDue, currency }) => ({ amount: amountDue, currency })));
