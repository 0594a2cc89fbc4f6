import { ArrowUpTrayIcon } from '@heroicons/react/24/outline';
import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { useLocation } from 'wouter';
import { notifySuccess } from '../../components/toast.ts';
import { Form, useSubmit } from '../../forms/form.tsx';
import { t } from '../../i18n/t.ts';
import type { BulkAction, QuestionProps } from '../../list/selection/selection.ts';
import { CreateExport } from './create-export.ts';
import { FormatField } from './format-field.tsx';
import type { ExportFormat, ExportResource } from './texts.ts';

/** Writes the selected rows of a list into a file. */
export const buildExportAction = <Row extends { id: string }>(resource: ExportResource): BulkAction<Row> => ({
  label: t('Export'),
  icon: ArrowUpTrayIcon,
  scope: 'exports',
  isFor: () => true,
  notFor: '',
  title: t('Export the selection'),
  Question: (props) => <ExportQuestion resource={resource} {...props} />,
});

interface Props<Row> extends QuestionProps<Row> {
  resource: ExportResource;
}

function ExportQuestion<Row extends { id: string }>({ resource, rows, options, cancel }: Props<Row>): ReactNode {
  const [, create] = useMutation(CreateExport);
  const [, navigate] = useLocation();
  const form = useForm<{ format: ExportFormat }>({ mode: 'controlled', initialValues: { format: 'CSV' } });
  const submission = useSubmit(
    form,
    ({ format }, context) =>
      create({ input: { type: 'LIST', resource, format, ids: rows.map(({ id }) => id) } }, context),
    () => {
      cancel();
      navigate('/exports');
      notifySuccess(t('The export has begun.'));
    },
  );
  return (
    <Form submission={submission} submit={t('Export')} onCancel={cancel}>
      <Text fw={600}>
        {t('{count} rows will be exported.', { count: rows.length })}{' '}
        <Text span inherit className="numbers">
          {options.addUp?.(rows)}
        </Text>
      </Text>
      <FormatField description={t('All fields.')} {...form.getInputProps('format')} data-autofocus />
    </Form>
  );
}
