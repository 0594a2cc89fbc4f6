import { Select, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { money } from '../../format/format.ts';
import { computeRest, type AdjustmentType, type Rest } from './rest.ts';
import { t } from '../../i18n/t.ts';

const choices: Record<AdjustmentType, string> = {
  CASH_DISCOUNT: t('Deducted as a cash discount'),
  FEE: t('Kept by the bank as a fee'),
  WRITE_OFF: t('Write it off'),
  ROUNDING: t('A rounding difference'),
  CREDIT: t("Paid by the customer's credit"),
  OVERPAYMENT: t("Goes to the customer's credit"),
};

/** Which of them there are for a rest that is due, by what is paid. */
const ofRest: Record<'INVOICE' | 'RECEIPT', AdjustmentType[]> = {
  INVOICE: ['CASH_DISCOUNT', 'FEE', 'WRITE_OFF', 'ROUNDING', 'CREDIT'],
  RECEIPT: ['CASH_DISCOUNT', 'WRITE_OFF', 'ROUNDING'],
};

interface Props {
  // The fields have the paths of the API's errors.
  // eslint-disable-next-line typescript/no-explicit-any
  form: UseFormReturnType<any>;
  /** The path of the adjustments: `adjustments`. */
  path: string;
  of: 'INVOICE' | 'RECEIPT';
  value: Rest;
  due: string;
  amount: string;
  currency: string;
  /** In front of the names of the fields, where there are several. */
  name?: string;
  /** Whether more than is due can go to the customer's credit. Default: of an invoice. */
  canOverpay?: boolean;
}

/** Asks what becomes of the rest, if there is one. */
export function RestField(props: Props): ReactNode {
  const { form, path, of, value, due, amount, currency, name, canOverpay = of === 'INVOICE' } = props;
  const rest = computeRest(due, amount);
  if (rest === undefined || rest === '0') return null;
  const isMore = rest.startsWith('-');
  if (isMore && !canOverpay) return null;
  const types: AdjustmentType[] = isMore ? ['OVERPAYMENT'] : ofRest[of];
  const label = isMore
    ? t('More than is due: {amount}', { amount: money(rest.slice(1), currency) })
    : t('The rest: {amount}', { amount: money(rest, currency) });
  const named = (text: string) => (name ? { 'aria-label': `${text}, ${name}` } : {});
  // Errors of the amount or of all adjustments are shown beside the choice.
  const error = form.errors[`${path}.0`] ?? form.errors[path];
  const { onChange, ...choice } = form.getInputProps(`${path}.0.type`);
  return (
    <Stack gap="sm" data-path={path} tabIndex={-1}>
      <Select
        label={label}
        {...named(label)}
        data={[
          { value: 'OPEN', label: isMore ? t('Correct the amount') : t('Stays open') },
          ...types.map((type) => ({ value: type, label: choices[type] })),
        ]}
        {...choice}
        data-path={`${path}.0`}
        onChange={(type) => {
          onChange(type);
          form.clearFieldError(`${path}.0`);
          form.clearFieldError(path);
        }}
        value={types.some((type) => type === value.type) ? value.type : 'OPEN'}
        error={error}
      />
      {value.type === 'WRITE_OFF' && !isMore && (
        <TextInput label={t('Reason')} {...named(t('Reason'))} required {...form.getInputProps(`${path}.0.reason`)} />
      )}
    </Stack>
  );
}
