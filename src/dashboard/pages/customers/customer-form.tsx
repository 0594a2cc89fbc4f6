import { Group, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { iso31661 } from 'iso-3166';
import type { ReactNode } from 'react';
import { useClient, useMutation } from 'urql';
import { Form, useSubmit } from '../../forms/form.tsx';
import { country, labelled } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { readStored } from '../../forms/edit-conflict.ts';
import { orNull } from '../../forms/form-values.ts';
import { CustomerFields, customerTypes, type Customer } from './fields.ts';

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

const countries = iso31661
  .filter(({ state }) => state === 'assigned')
  .map(({ alpha2 }) => ({ value: alpha2, label: country(alpha2) }))
  .toSorted((a, b) => a.label.localeCompare(b.label));

const values = (customer?: Customer) => ({
  type: customer?.type ?? 'CUSTOMER',
  companyName: customer?.companyName ?? '',
  email: customer?.email ?? '',
  addressLine1: customer?.addressLine1 ?? '',
  postalCode: customer?.postalCode ?? '',
  city: customer?.city ?? '',
  country: customer?.country ?? null,
  vatId: customer?.vatId ?? '',
});

type Values = ReturnType<typeof values>;

const inputOf = ({ type, companyName, email, addressLine1, postalCode, city, country: code, vatId }: Values) => ({
  type,
  companyName,
  email: orNull(email),
  addressLine1: orNull(addressLine1),
  postalCode: orNull(postalCode),
  city: orNull(city),
  country: code,
  vatId: orNull(vatId),
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
  const form = useForm({ mode: 'controlled', initialValues: { ...values(customer), ...initial } });
  const submission = useSubmit(
    form,
    (typed, context, expectedVersion) =>
      customer
        ? update({ id: customer.id, input: inputOf(typed), expectedVersion }, context)
        : create({ input: inputOf(typed) }, context),
    (data) => onDone(data.saved),
    customer && {
      version: customer.version,
      read: () =>
        readStored(
          client.query(StoredCustomer, { id: customer.id }, { requestPolicy: 'network-only' }).toPromise(),
          (data) => ({ version: data.stored.version, values: values(data.stored) }),
          'This customer has been deleted.',
        ),
    },
  );
  return (
    <Form submission={submission} submit={customer ? 'Save' : 'Add'} onCancel={onCancel}>
      <SegmentedControl aria-label="Kind" data={labelled(customerTypes)} {...form.getInputProps('type')} />
      <TextInput label="Company name" required data-autofocus {...form.getInputProps('companyName')} />
      <TextInput label="E-mail" type="email" inputMode="email" {...form.getInputProps('email')} />
      <TextInput label="Street and number" {...form.getInputProps('addressLine1')} />
      <Group grow preventGrowOverflow={false} align="flex-start">
        <TextInput label="Postal code" w={120} {...form.getInputProps('postalCode')} />
        <TextInput label="City" miw={180} {...form.getInputProps('city')} />
      </Group>
      <Select label="Country" data={countries} searchable clearable {...form.getInputProps('country')} />
      <TextInput label="VAT number" {...form.getInputProps('vatId')} />
    </Form>
  );
}
