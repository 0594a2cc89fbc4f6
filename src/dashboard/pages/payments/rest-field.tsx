import { Select, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { minus } from '../../format/decimal.ts';
import { money } from '../../format/format.ts';
import { orNull, toDecimal } from '../../forms/form-values.ts';
import type { EnumOf } from '../../graphql.ts';

// What becomes of the difference between a payment and the amount due.

type AdjustmentType = EnumOf<'AdjustmentType'>;

/** How a form holds it: the rest stays open, or is settled. */
export interface Rest {
  type: AdjustmentType | 'OPEN';
  reason: string;
}

export const open: Rest = { type: 'OPEN', reason: '' };

const choices: Record<AdjustmentType, string> = {
  CASH_DISCOUNT: 'Deducted as a cash discount',
  FEE: 'Kept by the bank as a fee',
  WRITE_OFF: 'Write it off',
  ROUNDING: 'A rounding difference',
  CREDIT: "Paid by the customer's credit",
  OVERPAYMENT: "Goes to the customer's credit",
};

/** Which of them there are for a rest that is due, by what is paid. */
const ofRest: Record<'INVOICE' | 'RECEIPT', AdjustmentType[]> = {
  INVOICE: ['CASH_DISCOUNT', 'FEE', 'WRITE_OFF', 'ROUNDING', 'CREDIT'],
  RECEIPT: ['CASH_DISCOUNT', 'WRITE_OFF', 'ROUNDING'],
};

/** What is due beyond a typed amount; negative if it is more than that. Undefined while that is no number. */
export const computeRest = (due: string, amount: string): string | undefined => minus(due, toDecimal(amount));

interface Payment {
  amount: string;
  adjustments?: { type: AdjustmentType; amount: string; reason: string | null }[];
}

/** The payment, with what settles the rest. */
export function withRest(due: string, typed: string, { type, reason }: Rest): Payment {
  const amount = toDecimal(typed);
  const rest = computeRest(due, typed);
  if (type === 'OPEN' || rest === undefined || rest === '0') return { amount };
  const isMore = rest.startsWith('-');
  if (isMore !== (type === 'OVERPAYMENT')) return { amount };
  const adjustments = [{ type, amount: isMore ? rest.slice(1) : rest, reason: orNull(reason) }];
  return { amount: isMore ? due : amount, adjustments };
}

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
}

/** Asks what becomes of the rest, if there is one. */
export function RestField({ form, path, of, value, due, amount, currency, name }: Props): ReactNode {
  const rest = computeRest(due, amount);
  if (rest === undefined || rest === '0') return null;
  const isMore = rest.startsWith('-');
  if (isMore && of === 'RECEIPT') return null;
  const types: AdjustmentType[] = isMore ? ['OVERPAYMENT'] : ofRest[of];
  const label = `${isMore ? 'More than is due' : 'The rest'}: ${money(isMore ? rest.slice(1) : rest, currency)}`;
  const named = (text: string) => (name ? { 'aria-label': `${text}, ${name}` } : {});
  const error = form.errors[`${path}.0.amount`] ?? form.errors[`${path}.0.type`] ?? form.errors[path];
  return (
    <Stack gap="sm">
      <Select
        label={label}
        {...named(label)}
        data={[
          { value: 'OPEN', label: isMore ? 'Correct the amount' : 'Stays open' },
          ...types.map((type) => ({ value: type, label: choices[type] })),
        ]}
        allowDeselect={false}
        {...form.getInputProps(`${path}.0.type`)}
        value={types.some((type) => type === value.type) ? value.type : 'OPEN'}
        error={error}
      />
      {value.type === 'WRITE_OFF' && !isMore && (
        <TextInput label="Reason" {...named('Reason')} required {...form.getInputProps(`${path}.0.reason`)} />
      )}
    </Stack>
  );
}
