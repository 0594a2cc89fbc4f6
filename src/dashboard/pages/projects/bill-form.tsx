import { Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { useLocation } from 'wouter';
import { DecimalInput } from '../../forms/decimal-input.tsx';
import { Form, useSubmit } from '../../forms/form.tsx';
import { notifySuccess } from '../../components/toast.ts';
import { minutes } from '../../format/format.ts';
import { graphql, type EnumOf } from '../../graphql.ts';
import { getKeys, findOneOf } from '../../list/list-state.ts';
import { decimalField, orNull, toDecimal } from '../../forms/form-values.ts';
import { categoryLabel, VatProposals } from '../invoices/editor/vat-proposal.tsx';
import type { Project } from './fields.ts';
import { t } from '../../i18n/t.ts';

const BillProject = graphql(`
  mutation BillProject(
    $projectId: UUID!
    $vatRate: Decimal!
    $until: Date
    $invoiceDate: Date
    $groupBy: BilledTimeGrouping
  ) {
    billProject(projectId: $projectId, vatRate: $vatRate, until: $until, invoiceDate: $invoiceDate, groupBy: $groupBy) {
      id
    }
  }
`);

/** How time entries are grouped to invoice lines. */
const groupings: Record<EnumOf<'BilledTimeGrouping'>, string> = {
  ENTRY: t('One for each time entry'),
  DAY: t('One for each day'),
  DESCRIPTION: t('One for each kind of work (same description)'),
  PERSON: t('One for each person'),
  PROJECT: t('One for the whole project'),
};

interface Props {
  project: Pick<Project, 'id' | 'unbilledMinutes' | 'customer'>;
  onCancel: () => void;
}

/** Creates a draft invoice from a project's time entries, and opens it. */
export function BillForm({ project: { id, unbilledMinutes, customer }, onCancel }: Props): ReactNode {
  const [, navigate] = useLocation();
  const [, bill] = useMutation(BillProject);
  const form = useForm({
    mode: 'controlled',
    initialValues: { vatRate: '', until: '', invoiceDate: '', groupBy: 'ENTRY' },
  });
  // Time is a service. The server adds the category and the reason that go with the rate.
  const [{ data }] = useQuery({
    query: VatProposals,
    variables: { customerId: customer?.id ?? '' },
    pause: !customer,
    requestPolicy: 'network-only',
  });
  const usual = data?.vatProposals?.find(({ supply }) => supply === 'SERVICES');
  const rate = usual?.vatRate ?? undefined;
  useEffect(() => {
    if (rate !== undefined && form.getValues().vatRate === '') form.setFieldValue('vatRate', decimalField(rate));
    // Once for a rate: what is typed or cleared afterwards stays.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [rate]);
  const submission = useSubmit(
    form,
    ({ vatRate, until, invoiceDate, groupBy }, context) =>
      bill(
        {
          projectId: id,
          vatRate: toDecimal(vatRate),
          until: orNull(until),
          invoiceDate: orNull(invoiceDate),
          groupBy: findOneOf(groupBy, getKeys(groupings)),
        },
        context,
      ),
    ({ billProject }) => {
      notifySuccess(t('The draft is saved. Check it, then issue it.'));
      navigate(`/invoices/${billProject.id}`);
    },
  );
  return (
    <Form submission={submission} submit={t('Save draft')} onCancel={onCancel}>
      <Text size="sm">
        {t('{time} of billable time will be added to a draft invoice for {customer}.', {
          time: minutes(unbilledMinutes),
          customer: customer?.companyName ?? '',
        })}
      </Text>
      {usual?.exemptionReason && (
        <Text size="sm">
          {t('VAT is usually not charged to this customer: {category}. At 0 %, the invoice says: {reason}', {
            category: categoryLabel(usual.vatCategory),
            reason: usual.exemptionReason,
          })}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <DecimalInput
          label={t('VAT, %')}
          description={t('For all lines')}
          required
          data-autofocus
          {...form.getInputProps('vatRate')}
        />
        <TextInput
          type="date"
          label={t('Time until')}
          description={t('Default: all time')}
          {...form.getInputProps('until')}
        />
        <TextInput
          type="date"
          label={t('Invoice date')}
          description={t('Default: today')}
          {...form.getInputProps('invoiceDate')}
        />
      </SimpleGrid>
      <Select
        label={t('Invoice lines')}
        description={t('Different hourly rates are always on separate lines')}
        data={Object.entries(groupings).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps('groupBy')}
      />
    </Form>
  );
}
