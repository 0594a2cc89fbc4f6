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

export const CreateTimeEntry = graphql(`
  mutation CreateTimeEntry($input: CreateTimeEntryInput!) {
    saved: createTimeEntry(input: $input) {
      id
      durationMinutes
    }
  }
`);

const UpdateTimeEntry = graphql(`
  mutation UpdateTimeEntry($id: UUID!, $input: UpdateTimeEntryInput!) {
    saved: updateTimeEntry(id: $id, input: $input) {
      id
      durationMinutes
    }
  }
`);

const TimeEntryNow = graphql(
  `
    query TimeEntryNow($id: UUID!) {
      now: timeEntry(id: $id) {
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
  Number.isNaN(toMinutes(typed)) ? `Write hours and minutes, 1:30, or hours, ${decimal('1.5')}.` : null;

const inputOf = ({ date, durationMinutes, description, hourlyRateNet, billable }: Values) => ({
  date,
  durationMinutes: toMinutes(durationMinutes),
  description: orNull(description),
  billable,
  // Left empty, it stays as it is, or is the project's.
  hourlyRateNet: orNull(toDecimal(hourlyRateNet)) ?? undefined,
});

interface Props {
  /** Nothing for a new one. */
  entry?: TimeEntry;
  /** Where it is known already. */
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
    (typed, once) =>
      entry
        ? update({ id: entry.id, input: inputOf(typed) }, once)
        : create({ input: { ...inputOf(typed), projectId: typed.projectId ?? '' } }, once),
    onDone,
    entry &&
      (() =>
        readStored(
          client.query(TimeEntryNow, { id: entry.id }, { requestPolicy: 'network-only' }).toPromise(),
          ({ now }) =>
            now.billed
              ? { gone: 'This time was billed meanwhile, so it can’t be changed.' }
              : { values: values(now, null) },
          'This time entry was deleted meanwhile.',
        )),
  );
  return (
    <Form submission={submission} submit={entry ? 'Save' : 'Track'} onCancel={onCancel}>
      {!entry && !projectId && <ProjectPicker label="Project" creates required {...form.getInputProps('projectId')} />}
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput
          label="Duration"
          description={`1:30, or ${decimal('1.5')} hours`}
          required
          data-autofocus
          {...form.getInputProps('durationMinutes')}
        />
        <TextInput type="date" label="Day" description="Of the work" required {...form.getInputProps('date')} />
        <DecimalInput
          label="Hourly rate, net"
          description={
            entry?.hourlyRateNet ? `Now ${money(entry.hourlyRateNet, entry.project.currency)}` : 'Empty: the project’s'
          }
          {...form.getInputProps('hourlyRateNet')}
        />
      </SimpleGrid>
      <Textarea label="What was done" autosize minRows={2} {...form.getInputProps('description')} />
      <Switch label="Billable" {...form.getInputProps('billable', { type: 'checkbox' })} />
    </Form>
  );
}
