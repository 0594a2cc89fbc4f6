import { ActionIcon, Card, Group, Input, Stack, Text } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { TrashIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { DecimalInput } from '../../forms/decimal-input.tsx';
import { Form, useSubmit } from '../../forms/form.tsx';
import { notifySuccess } from '../../components/toast.ts';
import { minus } from '../../format/decimal.ts';
import { money } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { orNull, toDecimal, amountField } from '../../forms/form-values.ts';
import { isMoneyOut, unsigned, type BankTransaction } from './fields.ts';
import { open, RestField, withRest, type Rest } from '../payments/rest-field.tsx';
import { useNextUnmatched } from './next-unmatched.ts';
import { PayableFinder, type Found } from './payable-finder.tsx';

export const MatchBankTransaction = graphql(`
  mutation MatchBankTransaction($id: UUID!, $matches: [MatchInput!]!) {
    matchBankTransaction(id: $id, matches: $matches) {
      id
      matchStatus
    }
  }
`);

/** An invoice, receipt, or credit note to match, with the typed amount. */
interface Part extends Found {
  amount: string;
  adjustments: Rest[];
}

interface Values {
  matches: Part[];
}

interface Props {
  transaction: BankTransaction;
  onClose: () => void;
}

/** Matches a transaction manually: with several invoices, or with several receipts and credit notes, in part or in full. */
export function MatchForm({ transaction, onClose }: Props): ReactNode {
  const { id, amountOpen, currency } = transaction;
  const [, match] = useMutation(MatchBankTransaction);
  const openNextUnmatched = useNextUnmatched(transaction);
  const form = useForm<Values>({ mode: 'controlled', initialValues: { matches: [] } });
  const submission = useSubmit(
    form,
    ({ matches }, context) => {
      const parts = matches.map(({ type, id: payable, due, amount, adjustments: [rest = open] }) => {
        const paid = withRest(due, amount, rest);
        return { type, id: payable, ...paid, amount: orNull(paid.amount) };
      });
      return match({ id, matches: parts }, context);
    },
    ({ matchBankTransaction: { matchStatus } }) => {
      onClose();
      if (matchStatus === 'MATCHED') void openNextUnmatched('The transaction is matched.');
      else notifySuccess('The transaction is partially matched.');
    },
  );
  const parts = form.values.matches;
  const remaining = minus(unsigned(amountOpen), ...parts.map(({ amount }) => toDecimal(amount)));
  const add = (found: Found): void => {
    const amount = remaining && !remaining.startsWith('-') ? smaller(remaining, found.due) : found.due;
    form.insertListItem('matches', { ...found, amount: amountField(amount, found.currency), adjustments: [open] });
  };
  return (
    <Form submission={submission} submit="Match" onCancel={onClose}>
      <Text size="sm" c="dimmed">
        {isMoneyOut(transaction)
          ? 'Money out pays booked receipts, and refunds credit notes.'
          : 'Money in pays issued invoices.'}{' '}
        {money(unsigned(amountOpen), currency)} is open.
      </Text>
      <PayableFinder isMoneyOut={isMoneyOut(transaction)} exclude={parts.map((part) => part.id)} onFound={add} />
      {parts.map((part, at) => (
        <PartField key={part.id} form={form} part={part} at={at} />
      ))}
      {form.errors.matches && <Input.Error data-path="matches">{form.errors.matches}</Input.Error>}
      <Text size="sm" ta="right" className="numbers" role="status">
        Left open: {remaining === undefined ? '–' : money(remaining, currency)}
      </Text>
    </Form>
  );
}

const smaller = (a: string, b: string): string => (minus(a, b)?.startsWith('-') ? a : b);

interface PartProps {
  form: UseFormReturnType<Values>;
  part: Part;
  at: number;
}

function PartField({ form, part, at }: PartProps): ReactNode {
  const { type, name, partner, due, currency, amount } = part;
  const {
    adjustments: [rest = open],
  } = part;
  const error = form.errors[`matches.${at}.id`];
  return (
    <Card withBorder radius="md" p="sm" role="group" aria-label={name}>
      <Group align="flex-start" gap="sm" wrap="nowrap">
        <Group align="flex-start" gap="xs" flex={1}>
          <Stack gap={2} style={{ flex: '1 1 200px' }} data-path={`matches.${at}.id`} tabIndex={-1}>
            <Text fw={500}>{name}</Text>
            <Text size="sm" c="dimmed">
              {partner}
            </Text>
            {error && <Input.Error>{error}</Input.Error>}
          </Stack>
          <DecimalInput
            label={`Amount in ${currency}`}
            aria-label={`Amount in ${currency}, ${name}`}
            description={`${money(due, currency)} is due`}
            style={{ flex: '1 1 160px' }}
            {...form.getInputProps(`matches.${at}.amount`)}
          />
          {(type === 'INVOICE' || type === 'RECEIPT') && (
            <RestField
              form={form}
              path={`matches.${at}.adjustments`}
              of={type}
              value={rest}
              due={due}
              amount={amount}
              currency={currency}
              name={name}
            />
          )}
        </Group>
        <ActionIcon
          variant="subtle"
          color="red"
          size="lg"
          aria-label={`Remove ${name}`}
          onClick={() => form.removeListItem('matches', at)}
        >
          <TrashIcon width={18} aria-hidden />
        </ActionIcon>
      </Group>
    </Card>
  );
}
