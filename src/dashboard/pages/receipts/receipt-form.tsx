import { Select, SimpleGrid, Switch, TextInput, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { CustomerPicker } from '../../components/customer-picker.tsx';
import { Form, useSubmit } from '../../components/form.tsx';
import { ProjectPicker } from '../../components/project-picker.tsx';
import { currencies, orNull, today, toDecimal } from '../../format.ts';
import { graphql } from '../../graphql.ts';
import { useSession } from '../../session.tsx';
import type { Receipt } from './fields.ts';

const CreateReceipt = graphql(`
  mutation CreateReceipt($input: CreateReceiptInput!) {
    saved: createReceipt(input: $input) {
      id
    }
  }
`);

const UpdateReceipt = graphql(`
  mutation UpdateReceipt($id: UUID!, $input: UpdateReceiptInput!) {
    saved: updateReceipt(id: $id, input: $input) {
      id
    }
  }
`);

const values = (receipt: Receipt | undefined, currency: string) => ({
  supplierId: receipt?.supplier?.id ?? null,
  receiptNumber: receipt?.receiptNumber ?? '',
  receiptDate: receipt?.receiptDate ?? today(),
  dueDate: receipt?.dueDate ?? '',
  amountGross: receipt?.amountGross ?? '',
  vatRate: receipt?.vatRate ?? '',
  currency: receipt?.currency ?? currency,
  category: receipt?.category ?? '',
  description: receipt?.description ?? '',
  projectId: receipt?.projectId ?? null,
  booked: true,
});

type Values = ReturnType<typeof values>;

const inputOf = (typed: Values) => ({
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
  /** Nothing for a new one. */
  receipt?: Receipt;
  onDone: (id: string) => void;
  onCancel: () => void;
}

export function ReceiptForm({ receipt, onDone, onCancel }: Props): ReactNode {
  const { tenant } = useSession();
  const [, create] = useMutation(CreateReceipt);
  const [, update] = useMutation(UpdateReceipt);
  const form = useForm<Values>({ mode: 'controlled', initialValues: values(receipt, tenant.defaultCurrency) });
  const submission = useSubmit(
    form,
    (typed) =>
      receipt
        ? update({ id: receipt.id, input: inputOf(typed) })
        : create({ input: { ...inputOf(typed), status: typed.booked ? 'BOOKED' : 'DRAFT' } }),
    (data) => onDone(data.saved.id),
  );
  return (
    <Form submission={submission} submit={receipt ? 'Save' : 'Add'} onCancel={onCancel}>
      <CustomerPicker
        label="Supplier"
        type="SUPPLIER"
        data-autofocus
        {...form.getInputProps('supplierId')}
        value={form.values.supplierId}
      />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput label="Its number" description="The supplier’s own" {...form.getInputProps('receiptNumber')} />
        <TextInput
          type="date"
          label="Date"
          description="On the receipt"
          required
          {...form.getInputProps('receiptDate')}
        />
        <TextInput type="date" label="To be paid by" description="If it says" {...form.getInputProps('dueDate')} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput label="Amount, gross" inputMode="decimal" required {...form.getInputProps('amountGross')} />
        <TextInput label="VAT, %" placeholder="0" inputMode="decimal" {...form.getInputProps('vatRate')} />
        <Select
          label="Currency"
          data={currencies()}
          searchable
          allowDeselect={false}
          {...form.getInputProps('currency')}
        />
      </SimpleGrid>
      <TextInput label="Category" description="Your own: travel, rent" {...form.getInputProps('category')} />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps('description')} />
      <ProjectPicker label="Project" {...form.getInputProps('projectId')} />
      {!receipt && (
        <Switch
          label="Enter it into the books at once"
          description="Otherwise it is a draft."
          {...form.getInputProps('booked', { type: 'checkbox' })}
        />
      )}
    </Form>
  );
}
