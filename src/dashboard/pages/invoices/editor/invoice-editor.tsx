import { Card, Group, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useHotkeys, useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react';
import { useClient, useMutation, useQuery, type Client } from 'urql';
import { useLocation } from 'wouter';
import { CustomerPicker } from '../../customers/customer-picker.tsx';
import { Form, useSubmit, type Submission } from '../../../forms/form.tsx';
import { useKeptInput } from '../../../forms/use-kept-input.ts';
import { useDebouncedInput } from '../../../forms/use-debounced-input.ts';
import { currencies } from '../../../format/format.ts';
import { graphql } from '../../../graphql.ts';
import { readStored, type StoredState } from '../../../forms/edit-conflict.ts';
import { openPdf } from '../../documents/documents.tsx';
import { showsPdfs } from '../../documents/pdf-frame.tsx';
import { EditorBar } from './editor-bar.tsx';
import { checkedInput, EditorPreflight } from './editor-preflight.tsx';
import { ExchangeRate } from './exchange-rate.tsx';
import { InvoiceFields, type Invoice } from '../fields.ts';
import { buildInput, buildLines, buildValues, type InvoiceValues } from './invoice-values.ts';
import { LineEditor } from './line-editor.tsx';
import { LivePreview, readPreview } from './live-preview.tsx';
import { Totals } from '../totals.tsx';
import { VatProposal } from './vat-proposal.tsx';
import { Warnings } from '../warnings.tsx';
import './editor.css';
import { t } from '../../../i18n/t.ts';

const CreateInvoice = graphql(`
  mutation CreateInvoice($input: CreateInvoiceInput!) {
    saved: createInvoice(input: $input) {
      id
    }
  }
`);

const UpdateInvoice = graphql(`
  mutation UpdateInvoice($id: UUID!, $input: UpdateInvoiceInput!, $expectedVersion: Int) {
    saved: updateInvoice(id: $id, input: $input, expectedVersion: $expectedVersion) {
      id
    }
  }
`);

/** The server computes the totals, so that rounding has one implementation. */
const TotalsQuery = graphql(`
  query InvoiceTotals($input: InvoiceTotalsInput!) {
    invoiceTotals(input: $input) {
      lineTotalsNet
      totalNet
      totalVat
      totalGross
      vatBreakdown {
        vatRate
        net
        vat
      }
    }
  }
`);

const NewInvoiceWarnings = graphql(`
  query NewInvoiceWarnings($input: CreateInvoiceInput!) {
    warnings: newInvoiceWarnings(input: $input) {
      code
      field
      message
    }
  }
`);

const StoredDraft = graphql(
  `
    query StoredDraft($id: UUID!) {
      stored: invoice(id: $id) {
        ...InvoiceFields
      }
    }
  `,
  [InvoiceFields],
);

/** Reads the stored draft. It may have been changed, issued, or deleted elsewhere. */
const readDraft = (client: Client, id: string): Promise<StoredState<InvoiceValues>> =>
  readStored(
    client.query(StoredDraft, { id }, { requestPolicy: 'network-only' }).toPromise(),
    ({ stored }) =>
      stored &&
      (stored.status === 'DRAFT'
        ? { version: stored.version, values: buildValues(stored) }
        : {
            blocked: t('This draft has been issued as invoice {number}, so it can’t be edited.', {
              number: stored.number ?? '',
            }),
          }),
    t('This draft has been deleted.'),
  );

interface Props {
  initial: InvoiceValues;
  /** The draft to edit. Undefined for a new one. */
  invoice?: Pick<Invoice, 'id' | 'version'>;
  /** The field that gets the focus, as REST names it: `items.0.vat_category`. */
  focus?: string | null;
}

export function InvoiceEditor({ initial, invoice, focus }: Props): ReactNode {
  const [, navigate] = useLocation();
  const kept = useKeptInput('invoice', initial, invoice?.id);
  const form = useForm<InvoiceValues>({ mode: 'controlled', initialValues: kept.initial });
  const focused = focus?.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const giveFocus = useEffectEvent(() => {
    if (focused) form.getInputNode(focused)?.focus();
  });
  useEffect(() => giveFocus(), []);
  const client = useClient();
  const [, create] = useMutation(CreateInvoice);
  const [, update] = useMutation(UpdateInvoice);
  /** Whether the draft is saved to issue it. */
  const issues = useRef(false);
  const submission: Submission = useSubmit(
    form,
    (typed, context, expectedVersion) =>
      invoice && !submission.blocked
        ? // A draft has a due date: one that was cleared is refused, not left as it was.
          update({ id: invoice.id, input: { ...buildInput(typed), dueDate: typed.dueDate }, expectedVersion }, context)
        : create({ input: buildInput(typed) }, context),
    (data) => navigate(`/invoices/${data.saved.id}${issues.current ? '?issue=yes' : ''}`),
    invoice && { version: invoice.version, read: () => readDraft(client, invoice.id) },
    kept,
  );
  const isWide = useMediaQuery('(min-width: 90em)', false, { getInitialValueInEffect: false });
  const [isBeside, setBeside] = useLocalStorage({
    key: 'kontor-pdf-beside',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  const hasRoom = isWide && showsPdfs;
  const lines = useDebouncedInput(buildLines(form.values));
  const [{ data }] = useQuery({
    query: TotalsQuery,
    variables: { input: lines ?? { items: [] } },
    pause: !lines,
    requestPolicy: 'cache-first',
  });
  const totals = lines && data?.invoiceTotals;
  const checked = useDebouncedInput(checkedInput(form.values));
  const [{ data: warned, error: notChecked }] = useQuery({
    query: NewInvoiceWarnings,
    variables: { input: checked ?? buildInput(form.values) },
    pause: !checked,
    requestPolicy: 'network-only',
  });
  const warnings = (checked && !notChecked && warned?.warnings) || [];
  const { currency } = form.values;
  const frame = useRef<HTMLDivElement>(null);
  useHotkeys(
    [
      [
        'mod+S',
        ({ target }) => {
          const isInDialog = target instanceof Element && target.closest('[role="dialog"]');
          if (!isInDialog) frame.current?.querySelector('form')?.requestSubmit();
        },
      ],
    ],
    [],
  );
  const fields = (
    <Form
      submission={{
        ...submission,
        onSubmit: (event) => {
          const { submitter } = event.nativeEvent as SubmitEvent;
          issues.current = submitter?.hasAttribute('data-issue') ?? false;
          submission.onSubmit(event);
        },
      }}
      submit={submission.blocked ? t('Save as new draft') : t('Save draft')}
      onCancel={() => navigate(invoice ? `/invoices/${invoice.id}` : '/invoices')}
      footer={(buttons) => (
        <EditorBar
          totals={totals}
          currency={currency}
          preview={
            hasRoom
              ? { show: () => setBeside(!isBeside), isBeside }
              : { show: checked && (() => void openPdf(readPreview(client, checked))), isBeside: undefined }
          }
          canIssue={!submission.blocked}
          isBusy={submission.busy}
          buttons={buttons}
        />
      )}
    >
      <Card withBorder radius="md">
        <Stack gap="md">
          <CustomerPicker
            label={t('Customer')}
            required
            type="CUSTOMER"
            canCreate
            {...form.getInputProps('customerId')}
            value={form.values.customerId}
          />
          <Group grow align="flex-start" preventGrowOverflow={false}>
            <TextInput
              type="date"
              label={t('Invoice date')}
              required
              miw={160}
              {...form.getInputProps('invoiceDate')}
            />
            <TextInput
              type="date"
              label={t('Due date')}
              required={invoice !== undefined}
              description={invoice ? undefined : t('Default: by the payment terms, or 14 days after the invoice date')}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              miw={160}
              {...form.getInputProps('dueDate')}
            />
            <TextInput
              type="date"
              label={t('Date of supply')}
              description={t('Default: the lines’ service periods, or the invoice date')}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              miw={160}
              {...form.getInputProps('deliveryDate')}
            />
            <Select
              label={t('Currency')}
              data={currencies()}
              searchable
              miw={160}
              {...form.getInputProps('currency')}
            />
          </Group>
          <ExchangeRate form={form} />
          <TextInput
            label={t('Subject')}
            description={t('A short description')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            {...form.getInputProps('subject')}
          />
        </Stack>
      </Card>
      <VatProposal form={form} initial={initial} />
      <LineEditor form={form} focused={focused} lineTotals={totals?.lineTotalsNet} currency={currency} />
      <Card withBorder radius="md">
        <Totals totals={totals} currency={currency} />
      </Card>
      <Warnings warnings={warnings} customerId={form.values.customerId} />
      <EditorPreflight values={form.values} input={checked} hasWarnings={warnings.length > 0} />
    </Form>
  );
  return (
    <div className={hasRoom && isBeside ? 'beside editor-beside' : undefined} ref={frame}>
      {fields}
      {hasRoom && isBeside && <LivePreview input={checked} />}
    </div>
  );
}
