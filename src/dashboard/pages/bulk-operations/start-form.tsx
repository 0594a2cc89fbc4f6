import { Progress, Select, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { labelled, percent } from '../../format/format.ts';
import { Form, useSubmit } from '../../forms/form.tsx';
import { graphql, type EnumOf } from '../../graphql.ts';
import { DropZone } from '../../upload/drop-zone.tsx';
import { findOneOf } from '../../list/list-state.ts';
import { useUpload } from '../../upload/use-upload.ts';
import { actionOptions, resources } from './state.tsx';
import { t } from '../../i18n/t.ts';

const StartBulkOperation = graphql(`
  mutation StartBulkOperation($input: StartBulkOperationInput!) {
    startBulkOperation(input: $input) {
      id
    }
  }
`);

type Resource = EnumOf<'BulkResource'>;
type Action = EnumOf<'BulkAction'>;

interface Props {
  onDone: (id: string) => void;
  onCancel: () => void;
}

/** Starts a bulk operation with a file. */
export function StartForm({ onDone, onCancel }: Props): ReactNode {
  const [, start] = useMutation(StartBulkOperation);
  const { sent, begin } = useUpload();
  const form = useForm<{ resource: Resource; action: Action; file: File | null }>({
    mode: 'controlled',
    initialValues: { resource: 'CUSTOMERS', action: 'CREATE', file: null },
    validate: { file: (file) => (file ? null : t('Choose a file first.')) },
  });
  const submission = useSubmit(
    form,
    (values, context) => {
      const input = { ...values, file: values.file as File };
      return start({ input }, { ...context, fetch: begin() });
    },
    ({ startBulkOperation: { id } }) => onDone(id),
  );
  const part = percent(String(Math.floor(sent * 100)));
  return (
    <Form submission={submission} submit={t('Start')} onCancel={onCancel}>
      <Select
        label={t('Resources')}
        data={labelled(resources)}
        data-autofocus
        {...form.getInputProps('resource')}
        onChange={(value) => {
          const resource = findOneOf(value ?? undefined, resources);
          if (resource) form.setValues({ resource, action: 'CREATE' });
        }}
      />
      <Select label={t('Action')} data={actionOptions(form.values.resource)} {...form.getInputProps('action')} />
      <DropZone
        label={t('File')}
        file={form.values.file}
        onChange={(file) => form.setFieldValue('file', file)}
        description={t('JSON Lines: one object on each line, as the REST API takes it; at most 200 MiB')}
        error={form.errors.file}
        disabled={submission.busy}
        data-path="file"
      />
      <Stack gap={4} mih={34} style={{ visibility: submission.busy ? 'visible' : 'hidden' }}>
        <Progress value={sent * 100} animated={sent === 1} aria-label={t('Upload')} />
        <Text size="sm" c="dimmed" role="status">
          {submission.busy && (sent < 1 ? t('Uploading: {part}', { part }) : t('Reading the file…'))}
        </Text>
      </Stack>
    </Form>
  );
}
