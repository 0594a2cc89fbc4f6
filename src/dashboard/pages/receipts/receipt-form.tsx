import { Select, SimpleGrid, Switch, TextInput, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useClient, useMutation } from 'urql';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { DecimalInput } from '../../forms/decimal-input.tsx';
import { Form, useSubmit } from '../../forms/form.tsx';
import { ProjectPicker } from '../projects/project-picker.tsx';
import { currencies, today } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { readStored } from '../../forms/edit-conflict.ts';
import { useSession } from '../../session/session.tsx';
import { orNull, toDecimal, amountField, decimalField } from '../../forms/form-values.ts';
import { ReceiptFields, type Receipt } from './fields.ts';
import { SameNumberWarning } from './same-number.tsx';

const CreateReceipt = graphql(`
  mutation CreateReceipt($input: CreateReceiptInput!) {
    saved: createReceipt(input: $input) {
      id
    }
  }
`);

const UpdateReceipt = graphql(`
  mutation UpdateReceipt($id: UUID!, $input: UpdateReceiptInput!, $expectedVersion: Int) {
    saved: updateReceipt(id: $id, input: $input, expectedVersion: $expectedVersion) {
      id
    }
  }
`);

const StoredReceipt = graphql(
  `
    query StoredReceipt($id: UUID!) {
      stored: receipt(id: $id) {
        ...ReceiptFields
      }
    }
  `,
  [ReceiptFields],
);

const values = (receipt: Receipt | undefined, currency: string) => ({
  supplierId: receipt?.supplier?.id ?? null,
  receiptNumber: receipt?.receiptNumber ?? '',
  receiptDate: receipt?.receiptDate ?? today(),
  dueDate: receipt?.dueDate ?? '',
  amountGross: receipt ? amountField(receipt.amountGross, receipt.currency) : '',
  vatRate: receipt ? decimalField(receipt.vatRate ?? '0') : '',
  currency: receipt?.currency ?? currency,
  category: receipt?.category ?? '',
  description: receipt?.description ?? '',
  projectId: receipt?.projectId ?? null,
  booked: true,
});

type Values = ReturnType<typeof values>;

const buildInput = (typed: Values) => ({
  supplierId: typed.supplierId,
  receiptNumber: orNull(typed.receiptNumber),
  receiptDate: typed.receiptDate,
  dueDate: orNull(typed.dueDate),
  amountGross: toDecimal(typed.amountGross),
  vatRate: toDecimal(typed.vatRate) || '0',
  currency: typed.currency,
  category: orNull(typed.category),
  description: orNull(typed.description),
  projectId: typed.projectId,
});

interface Props {
  /** The receipt to edit. Undefined for a new one. */
  receipt?: Receipt;
  /** Initial values of a new receipt. */
  initial?: Partial<Values>;
  /** Whether a new receipt is booked immediately, because its payment exists already. */
  alwaysBooked?: boolean;
  onDone: (id: string) => void;
  onCancel: () => void;
}

export function ReceiptForm({ receipt, initial, alwaysBooked = false, onDone, onCancel }: Props): ReactNode {
  const { tenant } = useSession();
  const client = useClient();
  const [, create] = useMutation(CreateReceipt);
  const [, update] = useMutation(UpdateReceipt);
  const form = useForm<Values>({
    mode: 'controlled',
    initialValues: { ...values(receipt, tenant.defaultCurrency), ...initial },
  });
  const submission = useSubmit(
    form,
    (typed, context, expectedVersion) =>
      receipt
        ? update({ id: receipt.id, input: buildInput(typed), expectedVersion }, context)
        : create({ input: { ...buildInput(typed), status: typed.booked ? 'BOOKED' : 'DRAFT' } }, context),
    (data) => onDone(data.saved.id),
    receipt && {
      version: receipt.version,
      read: () =>
        readStored(
          client.query(StoredReceipt, { id: receipt.id }, { requestPolicy: 'network-only' }).toPromise(),
          ({ stored }) =>
            stored &&
            (stored.status !== 'DRAFT'
              ? { blocked: 'This receipt has been booked, so it can’t be edited.' }
              : { version: stored.version, values: values(stored, stored.currency) }),
          'This receipt has been deleted.',
        ),
    },
  );
  return (
    <Form submission={submission} submit={receipt ? 'Save' : 'Add'} onCancel={onCancel}>
      <CustomerPicker
        label="Supplier"
        type="SUPPLIER"
        canCreate
        data-autofocus
        {...form.getInputProps('supplierId')}
        value={form.values.supplierId}
      />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput label="Number" description="The supplier’s number" {...form.getInputProps('receiptNumber')} />
        <TextInput
          type="date"
          label="Date"
          description="On the receipt"
          required
          {...form.getInputProps('receiptDate')}
        />
        <TextInput type="date" label="Due date" description="If stated" {...form.getInputProps('dueDate')} />
      </SimpleGrid>
      <SameNumberWarning
        supplierId={form.values.supplierId}
        receiptNumber={form.values.receiptNumber}
        receiptId={receipt?.id}
      />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <DecimalInput label="Amount, gross" required {...form.getInputProps('amountGross')} />
        <DecimalInput label="VAT, %" placeholder="0" {...form.getInputProps('vatRate')} />
        <Select
          label="Currency"
          data={currencies()}
          searchable
          allowDeselect={false}
          {...form.getInputProps('currency')}
        />
      </SimpleGrid>
      <TextInput label="Category" description="Such as travel or rent" {...form.getInputProps('category')} />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps('description')} />
      <ProjectPicker label="Project" canCreate {...form.getInputProps('projectId')} />
      {!receipt && !alwaysBooked && (
        <Switch
          label="Book it now"
          description="Otherwise it is saved as a draft."
          {...form.getInputProps('booked', { type: 'checkbox' })}
        />
      )}
    </Form>
  );
}
