import { Button, Select, SimpleGrid, Switch, TextInput, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { PlusIcon } from '@heroicons/react/24/outline';
import { useRef, useState, type ReactNode } from 'react';
import { useClient, useMutation } from 'urql';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { ExchangeRate } from '../invoices/editor/exchange-rate.tsx';
import { DecimalInput } from '../../forms/decimal-input.tsx';
import { Form, useSubmit } from '../../forms/form.tsx';
import { useKeptInput } from '../../forms/use-kept-input.ts';
import { MoreFields } from '../../forms/more-fields.tsx';
import { ProjectPicker } from '../projects/project-picker.tsx';
import { currencies, today } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { readStored } from '../../forms/edit-conflict.ts';
import { useSession } from '../../session/session.tsx';
import { orNull, toDecimal, amountField, decimalField } from '../../forms/form-values.ts';
import { ReceiptFields, type Receipt } from './fields.ts';
import { LineEditor } from './line-editor.tsx';
import { buildLineInput, buildLineValues, newLine } from './line-values.ts';
import { SameNumberWarning } from './same-number.tsx';
import { t } from '../../i18n/t.ts';

export const CreateReceipt = graphql(`
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
  exchangeRate: receipt?.exchangeRate ? decimalField(receipt.exchangeRate) : '',
  exchangeRateDate: receipt?.exchangeRateDate ?? '',
  exchangeRateSource: receipt?.exchangeRateSource ?? '',
  category: receipt?.category ?? '',
  description: receipt?.description ?? '',
  projectId: receipt?.projectId ?? null,
  /** None: the amount and the VAT rate are the only line. */
  lines: receipt ? buildLineValues(receipt) : [],
  amountPrepaid: receipt && receipt.amountPrepaid !== '0' ? amountField(receipt.amountPrepaid, receipt.currency) : '',
  serviceDate: receipt?.serviceDate ?? '',
  receivedOn: receipt?.receivedOn ?? '',
  booked: true,
});

type Values = ReturnType<typeof values>;

const buildInput = (typed: Values) => ({
  supplierId: typed.supplierId,
  receiptNumber: orNull(typed.receiptNumber),
  receiptDate: typed.receiptDate,
  dueDate: orNull(typed.dueDate),
  ...(typed.lines.length > 0
    ? { lines: typed.lines.map(buildLineInput) }
    : { amountGross: toDecimal(typed.amountGross), vatRate: toDecimal(typed.vatRate) || '0' }),
  amountPrepaid: toDecimal(typed.amountPrepaid) || '0',
  serviceDate: orNull(typed.serviceDate),
  receivedOn: orNull(typed.receivedOn),
  currency: typed.currency,
  exchangeRate: toDecimal(typed.exchangeRate) || null,
  exchangeRateDate: orNull(typed.exchangeRateDate),
  exchangeRateSource: orNull(typed.exchangeRateSource),
  category: orNull(typed.category),
  description: orNull(typed.description),
  projectId: typed.projectId,
});

/** The fields that few receipts need. */
const moreFields = ['amountPrepaid', 'serviceDate', 'receivedOn'] as const;

interface Props {
  /** The receipt to edit. Undefined for a new one. */
  receipt?: Receipt;
  /** Initial values of a new receipt. */
  initial?: Partial<Values>;
  /** The receipt that a new one credits. Its amounts are negative. */
  creditedReceiptId?: string;
  /** Whether a new receipt is booked immediately, because its payment exists already. */
  alwaysBooked?: boolean;
  /** Whether a new receipt is stored as a draft, for its file, and booked later. */
  storesDraft?: boolean;
  /** @param book whether the new receipt is to be booked, where it was stored as a draft */
  onDone: (id: string, book: boolean) => void | Promise<void>;
  onCancel: () => void;
}

export function ReceiptForm({
  receipt,
  initial,
  creditedReceiptId,
  alwaysBooked = false,
  storesDraft = false,
  onDone,
  onCancel,
}: Props): ReactNode {
  const { tenant } = useSession();
  const client = useClient();
  const [, create] = useMutation(CreateReceipt);
  const [, update] = useMutation(UpdateReceipt);
  const kept = useKeptInput<Values>(
    creditedReceiptId ? 'receipt credit' : 'receipt',
    { ...values(receipt, tenant.defaultCurrency), ...initial },
    receipt?.id,
  );
  const form = useForm<Values>({ mode: 'controlled', initialValues: kept.initial });
  const submission = useSubmit(
    form,
    (typed, context, expectedVersion) =>
      receipt
        ? update({ id: receipt.id, input: buildInput(typed), expectedVersion }, context)
        : create(
            {
              input: {
                ...buildInput(typed),
                status: typed.booked && !storesDraft ? 'BOOKED' : 'DRAFT',
                ...(creditedReceiptId && { creditedReceiptId }),
              },
            },
            context,
          ),
    (data) => onDone(data.saved.id, storesDraft && form.getValues().booked),
    receipt && {
      version: receipt.version,
      read: () =>
        readStored(
          client.query(StoredReceipt, { id: receipt.id }, { requestPolicy: 'network-only' }).toPromise(),
          ({ stored }) =>
            stored &&
            (stored.status !== 'DRAFT'
              ? { blocked: t('This receipt has been booked, so it can’t be edited.') }
              : { version: stored.version, values: values(stored, stored.currency) }),
          t('This receipt has been deleted.'),
        ),
    },
    kept,
  );
  const [added, setAdded] = useState<string>();
  const addButton = useRef<HTMLButtonElement>(null);
  const { lines, amountGross, vatRate } = form.values;
  const hasLines = lines.length > 0;
  const addLine = (): void => {
    const line = newLine();
    form.setFieldValue('lines', [...(hasLines ? lines : [newLine({ amountGross, vatRate })]), line]);
    setAdded(line.key);
  };
  const addLineButton = (
    <Button
      variant="default"
      w="fit-content"
      leftSection={<PlusIcon width={18} aria-hidden />}
      onClick={addLine}
      ref={addButton}
    >
      {t('Add a line')}
    </Button>
  );
  return (
    <Form submission={submission} submit={receipt ? t('Save') : t('Add')} onCancel={onCancel}>
      <CustomerPicker
        label={t('Supplier')}
        type="SUPPLIER"
        canCreate
        data-autofocus
        {...form.getInputProps('supplierId')}
        value={form.values.supplierId}
      />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput
          label={t('Number')}
          description={t('The supplier’s number')}
          {...form.getInputProps('receiptNumber')}
        />
        <TextInput
          type="date"
          label={t('Date')}
          description={t('On the receipt')}
          required
          {...form.getInputProps('receiptDate')}
        />
        <TextInput type="date" label={t('Due date')} description={t('If stated')} {...form.getInputProps('dueDate')} />
      </SimpleGrid>
      <SameNumberWarning
        supplierId={form.values.supplierId}
        receiptNumber={form.values.receiptNumber}
        receiptId={receipt?.id}
      />
      {hasLines && (
        <>
          <LineEditor form={form} lines={lines} added={added} onRemoved={() => addButton.current?.focus()} />
          {addLineButton}
        </>
      )}
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        {!hasLines && (
          <>
            <DecimalInput label={t('Amount, gross')} required {...form.getInputProps('amountGross')} />
            <DecimalInput label={t('VAT, %')} placeholder="0" {...form.getInputProps('vatRate')} />
          </>
        )}
        <Select label={t('Currency')} data={currencies()} searchable {...form.getInputProps('currency')} />
      </SimpleGrid>
      <ExchangeRate form={form} />
      {!hasLines && addLineButton}
      <TextInput label={t('Category')} description={t('Such as travel or rent')} {...form.getInputProps('category')} />
      <Textarea label={t('Description')} autosize minRows={2} {...form.getInputProps('description')} />
      <ProjectPicker label={t('Project')} canCreate {...form.getInputProps('projectId')} />
      <MoreFields
        label={t('More details')}
        initiallyOpen={moreFields.some((name) => form.values[name] !== '')}
        hasError={moreFields.some((name) => form.errors[name])}
      >
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <DecimalInput label={t('Prepaid')} placeholder="0" {...form.getInputProps('amountPrepaid')} />
          <TextInput type="date" label={t('Supplied on')} {...form.getInputProps('serviceDate')} />
          <TextInput type="date" label={t('Received on')} {...form.getInputProps('receivedOn')} />
        </SimpleGrid>
      </MoreFields>
      {!receipt && !alwaysBooked && (
        <Switch
          label={t('Book it now')}
          description={t('Otherwise it is saved as a draft.')}
          {...form.getInputProps('booked', { type: 'checkbox' })}
        />
      )}
    </Form>
  );
}
