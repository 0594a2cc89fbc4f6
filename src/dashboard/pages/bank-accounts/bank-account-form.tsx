import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useClient, useMutation } from 'urql';
import { readStored } from '../../forms/edit-conflict.ts';
import { Form, useSubmit } from '../../forms/form.tsx';
import { orNull } from '../../forms/form-values.ts';
import { currencies } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { useSession } from '../../session/session.tsx';
import { BankAccountFields, type BankAccount } from './fields.ts';
import { iban } from '../../i18n/same-names.ts';
import { t } from '../../i18n/t.ts';

const CreateBankAccount = graphql(`
  mutation CreateBankAccount($input: CreateBankAccountInput!) {
    saved: createBankAccount(input: $input) {
      id
    }
  }
`);

const UpdateBankAccount = graphql(`
  mutation UpdateBankAccount($id: UUID!, $input: UpdateBankAccountInput!, $expectedVersion: Int) {
    saved: updateBankAccount(id: $id, input: $input, expectedVersion: $expectedVersion) {
      id
    }
  }
`);

const StoredBankAccount = graphql(
  `
    query StoredBankAccount($id: UUID!) {
      stored: bankAccount(id: $id) {
        ...BankAccountFields
      }
    }
  `,
  [BankAccountFields],
);

const values = (account: BankAccount | undefined, currency: string) => ({
  name: account?.name ?? '',
  iban: account?.iban ?? '',
  currency: account?.currency ?? currency,
});

type Values = ReturnType<typeof values>;

interface Props {
  /** The account to rename. Undefined for a new one. */
  account?: BankAccount;
  onDone: (id: string) => void;
  onCancel: () => void;
}

export function BankAccountForm({ account, onDone, onCancel }: Props): ReactNode {
  const { tenant } = useSession();
  const client = useClient();
  const [, create] = useMutation(CreateBankAccount);
  const [, update] = useMutation(UpdateBankAccount);
  const form = useForm<Values>({ mode: 'controlled', initialValues: values(account, tenant.defaultCurrency) });
  const submission = useSubmit(
    form,
    ({ name, ...key }, context, expectedVersion) =>
      account
        ? update({ id: account.id, input: { name: orNull(name) }, expectedVersion }, context)
        : create({ input: { name: orNull(name), ...key } }, context),
    (data) => onDone(data.saved.id),
    account && {
      version: account.version,
      read: () =>
        readStored(
          client.query(StoredBankAccount, { id: account.id }, { requestPolicy: 'network-only' }).toPromise(),
          ({ stored }) => stored && { version: stored.version, values: values(stored, stored.currency) },
          t('This bank account is gone.'),
        ),
    },
  );
  return (
    <Form submission={submission} submit={account ? t('Save') : t('Add')} onCancel={onCancel}>
      {!account && (
        <>
          <TextInput label={iban} required data-autofocus {...form.getInputProps('iban')} />
          <Select label={t('Currency')} data={currencies()} searchable {...form.getInputProps('currency')} />
        </>
      )}
      <TextInput label={t('Name')} placeholder={t('Current account')} {...form.getInputProps('name')} />
    </Form>
  );
}
