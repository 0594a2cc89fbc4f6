import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import type { OperationResult } from 'urql';
import type { IdempotentContext } from '../../api/client.ts';
import { money, today } from '../../format/format.ts';
import { amountField, toDecimal } from '../../forms/form-values.ts';
import { DecimalInput } from '../../forms/decimal-input.tsx';
import { Form, useSubmit } from '../../forms/form.tsx';
import { open, withRest } from './rest.ts';
import { RestField } from './rest-field.tsx';
import { paymentTexts, type PaymentKind } from './texts.ts';
import { t } from '../../i18n/t.ts';

interface Props<Data> {
  /** Default: a payment. */
  kind?: PaymentKind;
  due: string;
  currency: string;
  /** The home currency, if what is paid has an exchange rate into it. */
  exchangeCurrency?: string | null;
  /** The kind of document that is paid, if the rest can be settled otherwise. */
  of?: 'INVOICE' | 'RECEIPT';
  pay: (
    payment: ReturnType<typeof withRest> & { paidOn: string; exchangeRate?: string },
    context: IdempotentContext,
  ) => Promise<OperationResult<Data>>;
  onDone: (data: Data) => void;
  onCancel: () => void;
}

/** Records a payment or a refund that no bank transaction shows. */
export function PaymentForm<Data>(props: Props<Data>): ReactNode {
  const { kind = 'payment', of, due, currency, exchangeCurrency, pay, onDone, onCancel } = props;
  const texts = paymentTexts[kind];
  const form = useForm({
    mode: 'controlled',
    initialValues: { amount: amountField(due, currency), paidOn: today(), exchangeRate: '', adjustments: [open] },
  });
  const { amount, adjustments } = form.values;
  const [rest = open] = adjustments;
  const submission = useSubmit(
    form,
    ({ amount: typed, paidOn, exchangeRate }, context) => {
      const paid = { ...withRest(due, typed, of ? rest : open), paidOn };
      return pay(exchangeRate === '' ? paid : { ...paid, exchangeRate: toDecimal(exchangeRate) }, context);
    },
    onDone,
  );
  return (
    <Form submission={submission} submit={texts.record} onCancel={onCancel}>
      <DecimalInput
        label={t('Amount in {currency}', { currency })}
        description={texts.due(money(due, currency))}
        required
        data-autofocus
        {...form.getInputProps('amount')}
      />
      {of && (
        <RestField form={form} path="adjustments" of={of} value={rest} due={due} amount={amount} currency={currency} />
      )}
      <TextInput type="date" label={t('Paid on')} required {...form.getInputProps('paidOn')} />
      {exchangeCurrency && (
        <DecimalInput
          label={t('Exchange rate of that day')}
          description={t('{home} for 1 {currency}', { home: exchangeCurrency, currency })}
          {...form.getInputProps('exchangeRate')}
        />
      )}
    </Form>
  );
}
