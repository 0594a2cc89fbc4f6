import { SegmentedControl, Select, SimpleGrid, TextInput, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useClient, useMutation } from 'urql';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { DecimalInput } from '../../forms/decimal-input.tsx';
import { Form, useSubmit } from '../../forms/form.tsx';
import { currencies, labelled } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { readStored } from '../../forms/edit-conflict.ts';
import { useSession } from '../../session/session.tsx';
import { orNull, toDecimal, amountField, decimalField } from '../../forms/form-values.ts';
import { ProjectFields, type Project } from './fields.ts';
import { projectStatuses } from './state.tsx';
import { t } from '../../i18n/t.ts';

const CreateProject = graphql(`
  mutation CreateProject($input: CreateProjectInput!) {
    saved: createProject(input: $input) {
      id
    }
  }
`);

const UpdateProject = graphql(`
  mutation UpdateProject($id: UUID!, $input: UpdateProjectInput!, $expectedVersion: Int) {
    saved: updateProject(id: $id, input: $input, expectedVersion: $expectedVersion) {
      id
    }
  }
`);

const StoredProject = graphql(
  `
    query StoredProject($id: UUID!) {
      stored: project(id: $id) {
        ...ProjectFields
      }
    }
  `,
  [ProjectFields],
);

const values = (project: Project | undefined, currency: string, name = '') => ({
  name: project?.name ?? name,
  customerId: project?.customer?.id ?? null,
  description: project?.description ?? '',
  status: project?.status ?? 'ACTIVE',
  hourlyRateNet: project?.hourlyRateNet ? amountField(project.hourlyRateNet, project.currency) : '',
  currency: project?.currency ?? currency,
  budgetHours: project?.budgetHours ? decimalField(project.budgetHours) : '',
  startDate: project?.startDate ?? '',
  endDate: project?.endDate ?? '',
});

type Values = ReturnType<typeof values>;

const buildInput = (typed: Values) => ({
  name: typed.name,
  customerId: typed.customerId,
  description: orNull(typed.description),
  status: typed.status,
  hourlyRateNet: orNull(toDecimal(typed.hourlyRateNet)),
  currency: typed.currency,
  budgetHours: orNull(toDecimal(typed.budgetHours)),
  startDate: orNull(typed.startDate),
  endDate: orNull(typed.endDate),
});

interface Props {
  /** The project to edit. Undefined for a new one. */
  project?: Project;
  /** The initial name of a new project. */
  name?: string;
  onDone: (id: string) => void;
  onCancel: () => void;
}

export function ProjectForm({ project, name = '', onDone, onCancel }: Props): ReactNode {
  const { tenant } = useSession();
  const client = useClient();
  const [, create] = useMutation(CreateProject);
  const [, update] = useMutation(UpdateProject);
  const form = useForm<Values>({ mode: 'controlled', initialValues: values(project, tenant.defaultCurrency, name) });
  const submission = useSubmit(
    form,
    (typed, context, expectedVersion) =>
      project
        ? update({ id: project.id, input: buildInput(typed), expectedVersion }, context)
        : create({ input: buildInput(typed) }, context),
    (data) => onDone(data.saved.id),
    project && {
      version: project.version,
      read: () =>
        readStored(
          client.query(StoredProject, { id: project.id }, { requestPolicy: 'network-only' }).toPromise(),
          ({ stored }) => stored && { version: stored.version, values: values(stored, stored.currency) },
          t('This project has been deleted.'),
        ),
    },
  );
  return (
    <Form submission={submission} submit={project ? t('Save') : t('Add')} onCancel={onCancel}>
      <TextInput label={t('Name')} required data-autofocus {...form.getInputProps('name')} />
      <CustomerPicker
        label={t('Customer')}
        description={t('Time is billed to this customer. Leave empty for your own projects.')}
        type="CUSTOMER"
        canCreate
        {...form.getInputProps('customerId')}
        value={form.values.customerId}
      />
      {project && (
        <SegmentedControl aria-label={t('Status')} data={labelled(projectStatuses)} {...form.getInputProps('status')} />
      )}
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <DecimalInput label={t('Hourly rate, net')} {...form.getInputProps('hourlyRateNet')} />
        <Select label={t('Currency')} data={currencies()} searchable {...form.getInputProps('currency')} />
        <DecimalInput label={t('Budget, hours')} {...form.getInputProps('budgetHours')} />
        <TextInput type="date" label={t('First day')} {...form.getInputProps('startDate')} />
        <TextInput type="date" label={t('Last day')} {...form.getInputProps('endDate')} />
      </SimpleGrid>
      <Textarea label={t('Description')} autosize minRows={2} {...form.getInputProps('description')} />
    </Form>
  );
}
