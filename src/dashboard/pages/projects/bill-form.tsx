import { SimpleGrid, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { useLocation } from 'wouter';
import { Form, useSubmit } from '../../components/form.tsx';
import { done } from '../../components/toast.ts';
import { minutes, orNull, toDecimal } from '../../format.ts';
import { graphql } from '../../graphql.ts';
import type { Project } from './fields.ts';

const BillProject = graphql(`
  mutation BillProject($projectId: UUID!, $vatRate: Decimal!, $until: Date, $invoiceDate: Date) {
    billProject(projectId: $projectId, vatRate: $vatRate, until: $until, invoiceDate: $invoiceDate) {
      id
    }
  }
`);

interface Props {
  project: Pick<Project, 'id' | 'unbilledMinutes' | 'customer'>;
  onCancel: () => void;
}

/** Makes a draft invoice of a project's time, and opens it. */
export function BillForm({ project: { id, unbilledMinutes, customer }, onCancel }: Props): ReactNode {
  const [, navigate] = useLocation();
  const [, bill] = useMutation(BillProject);
  const form = useForm({ mode: 'controlled', initialValues: { vatRate: '', until: '', invoiceDate: '' } });
  const submission = useSubmit(
    form,
    ({ vatRate, until, invoiceDate }) =>
      bill({
        projectId: id,
        vatRate: toDecimal(vatRate),
        until: orNull(until),
        invoiceDate: orNull(invoiceDate),
      }),
    ({ billProject }) => {
      done('The draft is made: look it over, then issue it.');
      navigate(`/invoices/${billProject.id}`);
    },
  );
  return (
    <Form submission={submission} submit="Make the draft" onCancel={onCancel}>
      <Text size="sm">
        {minutes(unbilledMinutes)} of billable time become a draft invoice to {customer?.companyName}, a line for each
        entry at its hourly rate.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput
          label="VAT, %"
          description="Of every line"
          inputMode="decimal"
          required
          data-autofocus
          {...form.getInputProps('vatRate')}
        />
        <TextInput type="date" label="Time until" description="Empty: all of it" {...form.getInputProps('until')} />
        <TextInput type="date" label="Invoice date" description="Empty: today" {...form.getInputProps('invoiceDate')} />
      </SimpleGrid>
    </Form>
  );
}
