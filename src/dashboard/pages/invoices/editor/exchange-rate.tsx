import { Group, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { DecimalInput } from '../../../forms/decimal-input.tsx';
import { t } from '../../../i18n/t.ts';
import { useSession } from '../../../session/session.tsx';

interface RateValues {
  currency: string;
  /** '': none, as for its day and source. */
  exchangeRate: string;
  exchangeRateDate: string;
  exchangeRateSource: string;
}

/** The rate by which the VAT of a document in foreign money is stated in the company's currency, too. */
export function ExchangeRate<Values extends RateValues>({ form }: { form: UseFormReturnType<Values> }): ReactNode {
  const { tenant } = useSession();
  const { currency, exchangeRate } = form.values;
  if (currency === tenant.defaultCurrency && exchangeRate === '') return null;
  return (
    <Group grow align="flex-start" preventGrowOverflow={false}>
      <DecimalInput
        label={t('Exchange rate')}
        description={t('{home} for 1 {currency}', { home: tenant.defaultCurrency, currency })}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        miw={160}
        {...form.getInputProps('exchangeRate')}
      />
      <TextInput type="date" label={t('Day of the rate')} miw={160} {...form.getInputProps('exchangeRateDate')} />
      <TextInput
        label={t('Source of the rate')}
        description={t('For example: European Central Bank')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        miw={160}
        {...form.getInputProps('exchangeRateSource')}
      />
    </Group>
  );
}
