import { Group, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useClient, useMutation } from 'urql';
import { Form, useSubmit } from '../../forms/form.tsx';
import { useKeptInput } from '../../forms/use-kept-input.ts';
import { MoreFields } from '../../forms/more-fields.tsx';
import { countries, languages } from '../../format/codes.ts';
import { labelled } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { readStored } from '../../forms/edit-conflict.ts';
import { requiredEInvoices } from '../invoices/formats.ts';
import { orNull, toCount } from '../../forms/form-values.ts';
import { CustomerFields, customerTypes, type Customer } from './fields.ts';
import { t } from '../../i18n/t.ts';

const addressSchemes = '0204, 9930, EM, …'; // the most usual ones

const CreateCustomer = graphql(
  `
    mutation CreateCustomer($input: CreateCustomerInput!) {
      saved: createCustomer(input: $input) {
        ...CustomerFields
      }
    }
  `,
  [CustomerFields],
);

const UpdateCustomer = graphql(
  `
    mutation UpdateCustomer($id: UUID!, $input: UpdateCustomerInput!, $expectedVersion: Int) {
      saved: updateCustomer(id: $id, input: $input, expectedVersion: $expectedVersion) {
        ...CustomerFields
      }
    }
  `,
  [CustomerFields],
);

const StoredCustomer = graphql(
  `
    query StoredCustomer($id: UUID!) {
      stored: customer(id: $id) {
        ...CustomerFields
      }
    }
  `,
  [CustomerFields],
);

const buildValues = (customer?: Customer) => ({
  type: customer?.type ?? 'CUSTOMER',
  companyName: customer?.companyName ?? '',
  email: customer?.email ?? '',
  addressLine1: customer?.addressLine1 ?? '',
  postalCode: customer?.postalCode ?? '',
  city: customer?.city ?? '',
  country: customer?.country ?? null,
  vatId: customer?.vatId ?? '',
  contactName: customer?.contactName ?? '',
  phone: customer?.phone ?? '',
  buyerReference: customer?.buyerReference ?? '',
  electronicAddress: customer?.electronicAddress ?? '',
  electronicAddressScheme: customer?.electronicAddressScheme ?? '',
  language: customer?.language ?? null,
  paymentTermsDays: customer?.paymentTermsDays?.toString() ?? '',
  requiredEInvoice: customer?.requiredEInvoice ?? null,
});

/** The fields that are folded away. */
const details = [
  'contactName',
  'phone',
  'buyerReference',
  'electronicAddress',
  'electronicAddressScheme',
  'language',
  'paymentTermsDays',
  'requiredEInvoice',
] as const satisfies (keyof Values)[];

type Values = ReturnType<typeof buildValues>;

const buildInput = (values: Values) => ({
  type: values.type,
  companyName: values.companyName,
  email: orNull(values.email),
  addressLine1: orNull(values.addressLine1),
  postalCode: orNull(values.postalCode),
  city: orNull(values.city),
  country: values.country,
  vatId: orNull(values.vatId),
  contactName: orNull(values.contactName),
  phone: orNull(values.phone),
  buyerReference: orNull(values.buyerReference),
  electronicAddress: orNull(values.electronicAddress),
  electronicAddressScheme: orNull(values.electronicAddressScheme),
  language: values.language,
  paymentTermsDays: toCount(values.paymentTermsDays),
  requiredEInvoice: values.requiredEInvoice,
});

interface Props {
  /** The customer to edit. Undefined for a new one. */
  customer?: Customer;
  /** Initial values of a new customer. */
  initial?: Pick<Customer, 'type' | 'companyName'>;
  onDone: (customer: Customer) => void;
  onCancel: () => void;
}

export function CustomerForm({ customer, initial, onDone, onCancel }: Props): ReactNode {
  const client = useClient();
  const [, create] = useMutation(CreateCustomer);
  const [, update] = useMutation(UpdateCustomer);
  const kept = useKeptInput('customer', { ...buildValues(customer), ...initial }, customer?.id);
  const form = useForm({ mode: 'controlled', initialValues: kept.initial });
  const submission = useSubmit(
    form,
    (typed, context, expectedVersion) =>
      customer
        ? update({ id: customer.id, input: buildInput(typed), expectedVersion }, context)
        : create({ input: buildInput(typed) }, context),
    (data) => onDone(data.saved),
    customer && {
      version: customer.version,
      read: () =>
        readStored(
          client.query(StoredCustomer, { id: customer.id }, { requestPolicy: 'network-only' }).toPromise(),
          ({ stored }) => stored && { version: stored.version, values: buildValues(stored) },
          t('This customer has been deleted.'),
        ),
    },
    kept,
  );
  return (
    <Form submission={submission} submit={customer ? t('Save') : t('Add')} onCancel={onCancel}>
      <SegmentedControl aria-label={t('Kind')} data={labelled(customerTypes)} {...form.getInputProps('type')} />
      <TextInput label={t('Company name')} required data-autofocus {...form.getInputProps('companyName')} />
      <TextInput label={t('E-mail')} type="email" inputMode="email" {...form.getInputProps('email')} />
      <TextInput label={t('Street and number')} {...form.getInputProps('addressLine1')} />
      <Group grow preventGrowOverflow={false} align="flex-start">
        <TextInput label={t('Postal code')} w={120} {...form.getInputProps('postalCode')} />
        <TextInput label={t('City')} miw={180} {...form.getInputProps('city')} />
      </Group>
      <Select label={t('Country')} data={countries} searchable clearable {...form.getInputProps('country')} />
      <TextInput label={t('VAT number')} {...form.getInputProps('vatId')} />
      <MoreFields
        label={t('Contact, e-invoices, and payment terms')}
        initiallyOpen={details.some((name) => Boolean(form.values[name]))}
        hasError={details.some((name) => form.errors[name])}
      >
        <TextInput
          label={t('Contact')}
          description={t('The person to ask for')}
          {...form.getInputProps('contactName')}
        />
        <TextInput label={t('Phone')} type="tel" {...form.getInputProps('phone')} />
        <TextInput
          label={t('Buyer reference')}
          description={t('An order or a department. For German authorities, the Leitweg-ID')}
          {...form.getInputProps('buyerReference')}
        />
        <Group grow preventGrowOverflow={false} align="flex-start">
          <TextInput
            label={t('Electronic address')}
            description={t('Where e-invoices are sent')}
            miw={180}
            {...form.getInputProps('electronicAddress')}
          />
          <TextInput
            label={t('Its scheme')}
            description={addressSchemes}
            w={120}
            {...form.getInputProps('electronicAddressScheme')}
          />
        </Group>
        <Select
          label={t('Required e-invoice')}
          description={t('An invoice that breaks its rules can’t be issued. Default: as in Settings, Company')}
          data={requiredEInvoices}
          clearable
          {...form.getInputProps('requiredEInvoice')}
        />
        <Select label={t('Language of documents')} data={languages} clearable {...form.getInputProps('language')} />
        <TextInput
          label={t('Payment terms, days')}
          description={t('When an invoice is due, counted from its date')}
          inputMode="numeric"
          {...form.getInputProps('paymentTermsDays')}
        />
      </MoreFields>
    </Form>
  );
}
