import { SimpleGrid, Switch, TextInput, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useClient, useMutation } from 'urql';
import { DecimalInput } from '../../forms/decimal-input.tsx';
import { Form, useSubmit } from '../../forms/form.tsx';
import { ProjectPicker } from '../projects/project-picker.tsx';
import { decimal, money, today } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { readStored } from '../../forms/edit-conflict.ts';
import { orNull, toDecimal } from '../../forms/form-values.ts';
import { clock, toMinutes } from './duration.ts';
import { TimeEntryFields, type TimeEntry } from './fields.ts';
import { t } from '../../i18n/t.ts';

export const CreateTimeEntry = graphql(`
  mutation CreateTimeEntry($input: CreateTimeEntryInput!) {
    saved: createTimeEntry(input: $input) {
      id
      durationMinutes
    }
  }
`);

const UpdateTimeEntry = graphql(`
  mutation UpdateTimeEntry($id: UUID!, $input: UpdateTimeEntryInput!, $expectedVersion: Int) {
    saved: updateTimeEntry(id: $id, input: $input, expectedVersion: $expectedVersion) {
      id
      durationMinutes
    }
  }
`);

const StoredTimeEntry = graphql(
  `
    query StoredTimeEntry($id: UUID!) {
      stored: timeEntry(id: $id) {
        ...TimeEntryFields
      }
    }
  `,
  [TimeEntryFields],
);

const values = (entry: TimeEntry | undefined, projectId: string | null) => ({
  projectId: entry?.project.id ?? projectId,
  date: entry?.date ?? today(),
  durationMinutes: entry ? clock(entry.durationMinutes) : '',
  description: entry?.description ?? '',
  hourlyRateNet: '',
  billable: entry?.billable ?? true,
});

type Values = ReturnType<typeof values>;

export const durationRule = (typed: string): string | null =>
  Number.isNaN(toMinutes(typed))
    ? t('Enter hours and minutes, such as 1:30, or hours, such as {hours}.', { hours: decimal('1.5') })
    : null;

const buildInput = ({ date, durationMinutes, description, hourlyRateNet, billable }: Values) => ({
  date,
  durationMinutes: toMinutes(durationMinutes),
  description: orNull(description),
  billable,
  // If empty, the entry's rate doesn't change, and a new entry has the project's rate.
  hourlyRateNet: orNull(toDecimal(hourlyRateNet)) ?? undefined,
});

interface Props {
  /** The time entry to edit. Undefined for a new one. */
  entry?: TimeEntry;
  /** The project of a new time entry, if it is known. */
  projectId?: string;
  onDone: () => void;
  onCancel: () => void;
}

export function TimeEntryForm({ entry, projectId, onDone, onCancel }: Props): ReactNode {
  const client = useClient();
  const [, create] = useMutation(CreateTimeEntry);
  const [, update] = useMutation(UpdateTimeEntry);
  const form = useForm<Values>({
    mode: 'controlled',
    initialValues: values(entry, projectId ?? null),
    validate: { durationMinutes: durationRule },
  });
  const submission = useSubmit(
    form,
    (typed, context, expectedVersion) =>
      entry
        ? update({ id: entry.id, input: buildInput(typed), expectedVersion }, context)
        : create({ input: { ...buildInput(typed), projectId: typed.projectId ?? '' } }, context),
    onDone,
    entry && {
      version: entry.version,
      read: () =>
        readStored(
          client.query(StoredTimeEntry, { id: entry.id }, { requestPolicy: 'network-only' }).toPromise(),
          ({ stored }) =>
            stored &&
            (stored.billed
              ? { blocked: t('This time has been billed, so it can’t be edited.') }
              : { version: stored.version, values: values(stored, null) }),
          t('This time entry has been deleted.'),
        ),
    },
  );
  return (
    <Form submission={submission} submit={entry ? t('Save') : t('Track')} onCancel={onCancel}>
      {!entry && !projectId && (
        <ProjectPicker label={t('Project')} canCreate required {...form.getInputProps('projectId')} />
      )}
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput
          label={t('Duration')}
          description={t('1:30, or {hours} hours', { hours: decimal('1.5') })}
          required
          data-autofocus
          {...form.getInputProps('durationMinutes')}
        />
        <TextInput
          type="date"
          label={t('Day')}
          description={t('When the work was done')}
          required
          {...form.getInputProps('date')}
        />
        <DecimalInput
          label={t('Hourly rate, net')}
          description={
            entry?.hourlyRateNet
              ? t('Currently {amount}', { amount: money(entry.hourlyRateNet, entry.project.currency) })
              : t('Default: the project’s rate')
          }
          {...form.getInputProps('hourlyRateNet')}
        />
      </SimpleGrid>
      <Textarea label={t('Description')} autosize minRows={2} {...form.getInputProps('description')} />
      <Switch label={t('Billable')} {...form.getInputProps('billable', { type: 'checkbox' })} />
    </Form>
  );
}
