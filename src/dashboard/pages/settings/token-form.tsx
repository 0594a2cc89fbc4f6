import { Checkbox, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { Form, useSubmit } from '../../forms/form.tsx';
import { toCount } from '../../forms/form-values.ts';
import { graphql } from '../../graphql.ts';
import { AbilityPicker } from './ability-picker.tsx';
import { describeLimits, type TokenLimits } from './token-limit.tsx';
import { t } from '../../i18n/t.ts';

const CreateApiToken = graphql(`
  mutation CreateApiToken($input: CreateApiTokenInput!) {
    createApiToken(input: $input) {
      value
      apiToken {
        id
      }
    }
  }
`);

const lifetimes = [
  { value: '30', label: t('In 30 days') },
  { value: '90', label: t('In 90 days') },
  { value: '365', label: t('In a year') },
  { value: 'day', label: t('On a date of your choice') },
  { value: 'never', label: t('Never') },
];

interface Props {
  limits: TokenLimits;
  onDone: (value: string) => void;
  onCancel: () => void;
}

export function TokenForm({ limits, onDone, onCancel }: Props): ReactNode {
  const [, create] = useMutation(CreateApiToken);
  const [lifetime, setLifetime] = useState('90');
  const form = useForm({
    mode: 'controlled',
    initialValues: { name: '', abilities: ['*'], trustedDocuments: false, requestsPerMinute: '', expiresAt: '' },
    validate: {
      abilities: (abilities) => (abilities.length > 0 ? null : t('Choose at least one.')),
      expiresAt: (day) => (lifetime === 'day' && Number.isNaN(Date.parse(`${day}T00:00`)) ? t('Choose a date.') : null),
    },
  });
  const submission = useSubmit(
    form,
    ({ expiresAt, requestsPerMinute, ...input }) =>
      create({
        input: {
          ...input,
          requestsPerMinute: toCount(requestsPerMinute),
          expiresAt: expiry(lifetime, expiresAt),
        },
      }),
    ({ createApiToken: { value } }) => onDone(value),
  );
  return (
    <Form submission={submission} submit={t('Generate the token')} onCancel={onCancel}>
      <TextInput
        label={t('Name')}
        description={t('The program that will use it, so that you know which token to revoke later')}
        placeholder={t('Warehouse import')}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <AbilityPicker
        value={form.values.abilities}
        onChange={(abilities) => form.setFieldValue('abilities', abilities)}
        error={form.errors.abilities}
      />
      <Checkbox
        label={t('Only trusted documents')}
        description={t('GraphQL requests may only name documents that a front end has registered')}
        {...form.getInputProps('trustedDocuments', { type: 'checkbox' })}
      />
      <TextInput
        label={t('Requests a minute')}
        description={describeLimits(limits)}
        inputMode="numeric"
        {...form.getInputProps('requestsPerMinute')}
      />
      <Select
        label={t('Expires')}
        value={lifetime}
        onChange={(value) => setLifetime(value ?? 'never')}
        data={lifetimes}
        {...(lifetime !== 'day' && { error: form.errors.expiresAt })}
      />
      {lifetime === 'day' && (
        <TextInput
          type="date"
          label={t('Expiry date')}
          description={t('Valid until the end of this day')}
          required
          {...form.getInputProps('expiresAt')}
        />
      )}
    </Form>
  );
}

/** A token's expiry time: a number of days from now, or the end of a day in the reader's time zone. */
function expiry(lifetime: string, day: string): string | null {
  if (lifetime === 'never') return null;
  if (lifetime === 'day') return new Date(`${day}T23:59:59`).toISOString();
  return new Date(Date.now() + Number(lifetime) * 86_400_000).toISOString();
}
