import { ActionIcon, Badge, Button, Card, Group, Input, Stack, Text } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { PlusIcon, TrashIcon } from '@heroicons/react/24/outline';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { DecimalInput } from '../../forms/decimal-input.tsx';
import { Form, useSubmit } from '../../forms/form.tsx';
import { decimal, money } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { useAfterMatch } from './after-match.ts';
import { isMoneyOut, unsigned, type BankTransaction, type Found } from './fields.ts';
import { open } from '../payments/rest.ts';
import { RestField } from '../payments/rest-field.tsx';
import {
  addPart,
  buildMatchInput,
  computeLeft,
  computeRate,
  findPartner,
  isForeign,
  propose,
  type OpenAmount,
  type Part,
} from './match-parts.ts';
import { AvailableCredit } from './available-credit.tsx';
import { PayableFinder } from './payable-finder.tsx';
import { t } from '../../i18n/t.ts';

export const MatchBankTransaction = graphql(`
  mutation MatchBankTransaction($id: UUID!, $matches: [MatchInput!]!) {
    matchBankTransaction(id: $id, matches: $matches) {
      id
      matchStatus
    }
  }
`);

interface Values {
  matches: Part[];
}

interface Props {
  transaction: BankTransaction;
  onClose: () => void;
}

/** Matches a transaction manually with one or more documents, in part or in full. Those of one customer or supplier are netted. */
export function MatchForm({ transaction, onClose }: Props): ReactNode {
  const { id, amountOpen, currency } = transaction;
  const of: OpenAmount = { open: unsigned(amountOpen), currency };
  const [, match] = useMutation(MatchBankTransaction);
  const afterMatch = useAfterMatch(transaction);
  const form = useForm<Values>({ mode: 'controlled', initialValues: { matches: [] } });
  const submission = useSubmit(
    form,
    ({ matches }, context) => match({ id, matches: matches.map((part) => buildMatchInput(part, of)) }, context),
    ({ matchBankTransaction: { matchStatus } }) => {
      onClose();
      const { matches: made } = form.getValues();
      void afterMatch({
        message:
          matchStatus === 'MATCHED' ? t('The transaction is matched.') : t('The transaction is partially matched.'),
        matchStatus,
        matched: made.length === 1 ? made[0]?.id : undefined,
      });
    },
  );
  const parts = form.values.matches;
  const [isAdding, setAdding] = useState(true);
  const [added, setAdded] = useState<string>();
  const finder = useRef<HTMLInputElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const add = (found: Found): void => {
    form.setFieldValue('matches', addPart(parts, found, of));
    setAdded(found.id);
    setAdding(false);
  };
  const remove = (at: number): void => {
    form.removeListItem('matches', at); // moves the errors of those after it
    const others = form.getValues().matches;
    form.setFieldValue('matches', propose(others, of));
    if (others.length === 0) setAdding(true);
    (addButton.current ?? finder.current)?.focus();
  };
  useEffect(() => {
    if (isAdding) finder.current?.focus();
  }, [isAdding]);
  return (
    <Form submission={submission} submit={t('Match')} onCancel={onClose}>
      <Text size="sm" c="dimmed">
        {isMoneyOut(transaction)
          ? t(
              'Money out pays booked receipts, and refunds credit notes. What the same customer or supplier owes you can be deducted.',
            )
          : t(
              'Money in pays issued invoices. What you owe the same customer or supplier, such as a credit note, can be deducted.',
            )}{' '}
        {t('{amount} is open.', { amount: money(of.open, currency) })}
      </Text>
      {parts.map((part, at) => (
        <PartField
          key={part.id}
          form={form}
          part={part}
          at={at}
          of={of}
          isNew={part.id === added}
          remove={() => remove(at)}
        />
      ))}
      {isAdding ? (
        <PayableFinder
          isMoneyOut={isMoneyOut(transaction)}
          selected={parts}
          partnerId={findPartner(parts)}
          onFound={add}
          ref={finder}
        />
      ) : (
        <Button
          variant="default"
          w="fit-content"
          leftSection={<PlusIcon width={18} aria-hidden />}
          onClick={() => setAdding(true)}
          ref={addButton}
        >
          {t('Add another document')}
        </Button>
      )}
      <Stack gap={2} align="flex-end" data-path="matches" tabIndex={-1}>
        <Text size="sm" ta="right" className="numbers" role="status">
          {describeLeft(computeLeft(parts, of), currency)}
        </Text>
        {form.errors.matches && <Input.Error ta="right">{form.errors.matches}</Input.Error>}
      </Stack>
    </Form>
  );
}

function describeLeft(left: string | undefined, currency: string): string {
  if (left === undefined) return t('Left open: {amount}', { amount: '–' });
  return left.startsWith('-')
    ? t('More than is open: {amount}', { amount: money(left.slice(1), currency) })
    : t('Left open: {amount}', { amount: money(left, currency) });
}

interface PartProps {
  form: UseFormReturnType<Values>;
  part: Part;
  at: number;
  of: OpenAmount;
  /** Whether it was just added, so that its amount gets the focus. */
  isNew: boolean;
  remove: () => void;
}

function PartField({ form, part, at, of, isNew, remove }: PartProps): ReactNode {
  const { type, name, partner, partnerId, due, currency, amount, isDeducted, canAdjust } = part;
  const {
    adjustments: [rest = open],
  } = part;
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isNew) first.current?.focus();
  }, [isNew]);
  const path = `matches.${at}`;
  const error = form.errors[path];
  const isExchanged = isForeign(part, of);
  const rate = isExchanged ? computeRate(part) : undefined;
  return (
    <Card withBorder radius="md" p="sm" role="group" aria-label={name}>
      <Group align="flex-start" gap="sm" wrap="nowrap">
        <Group align="flex-start" gap="xs" flex={1}>
          <Stack gap={2} style={{ flex: '1 1 200px' }} data-path={path} tabIndex={-1}>
            <Text fw={500}>{name}</Text>
            <Text size="sm" c="dimmed">
              {partner}
            </Text>
            {isDeducted && (
              <Badge variant="light" color="gray" tt="none" fw={500}>
                {t('Deducted')}
              </Badge>
            )}
            {error && <Input.Error>{error}</Input.Error>}
          </Stack>
          <DecimalInput
            label={t('Amount in {currency}', { currency })}
            aria-label={t('Amount in {currency}, {name}', { currency, name })}
            description={
              isDeducted
                ? t('{amount} can be deducted', { amount: money(due, currency) })
                : t('{amount} is due', { amount: money(due, currency) })
            }
            style={{ flex: '1 1 160px' }}
            ref={first}
            {...form.getInputProps(`${path}.amount`)}
          />
          {isExchanged && (
            <DecimalInput
              label={t('On the account, in {currency}', { currency: of.currency })}
              aria-label={t('On the account, in {currency}, {name}', { currency: of.currency, name })}
              description={
                rate
                  ? `1 ${currency} = ${decimal(rate)} ${of.currency}`
                  : t('The same in {currency}', { currency: of.currency })
              }
              style={{ flex: '1 1 160px' }}
              required
              {...form.getInputProps(`${path}.exchangeAmount`)}
            />
          )}
          {type === 'INVOICE' && canAdjust && partnerId && (
            <AvailableCredit customerId={partnerId} currency={currency} />
          )}
          {canAdjust && (type === 'INVOICE' || type === 'RECEIPT') && (
            <RestField
              form={form}
              path={`${path}.adjustments`}
              of={type}
              value={rest}
              due={due}
              amount={amount}
              currency={currency}
              name={name}
              canOverpay={type === 'INVOICE' && !isExchanged}
            />
          )}
        </Group>
        <ActionIcon variant="subtle" color="red" size="lg" aria-label={t('Remove {name}', { name })} onClick={remove}>
          <TrashIcon width={18} aria-hidden />
        </ActionIcon>
      </Group>
    </Card>
  );
}
