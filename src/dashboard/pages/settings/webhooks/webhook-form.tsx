import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useClient, useMutation } from 'urql';
import { Form, useSubmit } from '../../../forms/form.tsx';
import { graphql } from '../../../graphql.ts';
import { readStored } from '../../../forms/edit-conflict.ts';
import { EventPicker } from './event-picker.tsx';
import { WebhookFields, type Webhook } from './fields.ts';
import { t } from '../../../i18n/t.ts';

const CreateWebhook = graphql(
  `
    mutation CreateWebhook($input: CreateWebhookInput!) {
      createWebhook(input: $input) {
        secret
        webhook {
          ...WebhookFields
        }
      }
    }
  `,
  [WebhookFields],
);

const UpdateWebhook = graphql(
  `
    mutation UpdateWebhook($id: UUID!, $input: UpdateWebhookInput!) {
      updateWebhook(id: $id, input: $input) {
        ...WebhookFields
      }
    }
  `,
  [WebhookFields],
);

const StoredWebhook = graphql(
  `
    query StoredWebhook($id: UUID!) {
      stored: webhook(id: $id) {
        ...WebhookFields
      }
    }
  `,
  [WebhookFields],
);

const input = ({ url, description, events }: Values): Values => ({
  url: url.trim(),
  description: description?.trim() || null,
  events,
});

interface Values {
  url: string;
  description: string | null;
  events: string[];
}

const buildValues = (webhook?: Webhook): Values => ({
  url: webhook?.url ?? 'https://',
  description: webhook?.description ?? '',
  events: webhook?.events ?? ['*'],
});

function useWebhookForm(webhook?: Webhook) {
  return useForm<Values>({
    mode: 'controlled',
    initialValues: buildValues(webhook),
    validate: { events: (events) => (events.length > 0 ? null : t('Choose at least one event, or all.')) },
  });
}

type WebhookForm = ReturnType<typeof useWebhookForm>;

function Fields({ form }: { form: WebhookForm }): ReactNode {
  const { value, onChange, error } = form.getInputProps('description');
  return (
    <>
      <TextInput
        label={t('Address_url')}
        description={t('https, and reachable from the internet')}
        type="url"
        inputMode="url"
        required
        data-autofocus
        {...form.getInputProps('url')}
      />
      <TextInput
        label={t('Description')}
        description={t('Its purpose, for you and your colleagues')}
        data-path="description"
        value={value ?? ''}
        onChange={onChange}
        error={error}
      />
      <EventPicker
        value={form.values.events}
        onChange={(events) => form.setFieldValue('events', events)}
        error={form.errors.events}
      />
    </>
  );
}

interface AddProps {
  onDone: (webhook: Webhook, secret: string) => void;
  onCancel: () => void;
}

export function AddWebhook({ onDone, onCancel }: AddProps): ReactNode {
  const [, create] = useMutation(CreateWebhook);
  const form = useWebhookForm();
  const submission = useSubmit(
    form,
    (values, context) => create({ input: input(values) }, context),
    ({ createWebhook: { webhook, secret } }) => onDone(webhook, secret),
  );
  return (
    <Form submission={submission} submit={t('Add the webhook')} onCancel={onCancel}>
      <Fields form={form} />
    </Form>
  );
}

export function EditWebhook({ webhook, onDone }: { webhook: Webhook; onDone: () => void }): ReactNode {
  const client = useClient();
  const [, update] = useMutation(UpdateWebhook);
  const form = useWebhookForm(webhook);
  const { id } = webhook;
  const submission = useSubmit(form, (values, context) => update({ id, input: input(values) }, context), onDone, {
    read: () =>
      readStored(
        client.query(StoredWebhook, { id }, { requestPolicy: 'network-only' }).toPromise(),
        ({ stored }) => stored && { values: buildValues(stored) },
        t('This webhook has been deleted.'),
      ),
  });
  return (
    <Form submission={submission} submit={t('Save')} onCancel={onDone}>
      <Fields form={form} />
    </Form>
  );
}
