import { Alert, Card, Checkbox, Group, Input, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useRef, type FormEvent, type ReactNode } from 'react';
import { useClient, useMutation, useQuery } from 'urql';
import { useLocation } from 'wouter';
import { confirm } from '../../components/confirm.tsx';
import { notifySuccess } from '../../components/toast.ts';
import { errorMessage } from '../../errors/form-errors.ts';
import { DecimalInput } from '../../forms/decimal-input.tsx';
import { Form, useSubmit } from '../../forms/form.tsx';
import { useKeptInput } from '../../forms/use-kept-input.ts';
import { useDebouncedInput } from '../../forms/use-debounced-input.ts';
import { decimal, money, percent } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { Row, Totals } from '../invoices/totals.tsx';
import {
  buildInput,
  newCreditNote,
  buildPreviewInput,
  wholeLine,
  wholeShare,
  type CreditNoteValues,
  type LineLeft,
  type ShareLeft,
} from './credit-note-values.ts';
import { t } from '../../i18n/t.ts';

const CreateCreditNote = graphql(`
  mutation CreateCreditNote($input: CreateCreditNoteInput!) {
    created: createCreditNote(input: $input) {
      id
      number
    }
  }
`);

/** The server computes the credit note, so that its rules have one implementation. */
const PreviewQuery = graphql(`
  query CreditNotePreview($input: CreateCreditNoteInput!) {
    preview: creditNotePreview(input: $input) {
      totalNet
      totalVat
      totalGross
      amountDue
      amountToRefund
      vatBreakdown {
        vatRate
        net
        vat
      }
      vatBreakdownByCategory {
        vatCategory
        vatRate
        net
      }
    }
  }
`);

interface Props {
  invoice: { id: string; number: string | null; currency: string; items: readonly LineLeft[] };
}

/** Creates a credit note of an invoice: of all that is left, of lines, or of amounts. */
export function CreditNoteForm({ invoice }: Props): ReactNode {
  const { id, currency, items } = invoice;
  const number = invoice.number ?? '';
  const [, navigate] = useLocation();
  const client = useClient();
  const [, create] = useMutation(CreateCreditNote);
  const kept = useKeptInput<CreditNoteValues>('credit note', newCreditNote);
  const form = useForm<CreditNoteValues>({ mode: 'controlled', initialValues: kept.initial });
  const submission = useSubmit(
    form,
    (values, context) => create({ input: buildInput(id, values) }, context),
    ({ created }) => {
      notifySuccess(t('Credit note {number} is created.', { number: created.number }));
      navigate(`/credit-notes/${created.id}`);
    },
    undefined,
    kept,
  );
  const asking = useRef(false);
  /** Asks first, unless the input is refused: that is said at once. */
  const askAndSubmit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (asking.current) return;
    asking.current = true;
    const input = buildInput(id, form.getValues());
    const { data } = await client.query(PreviewQuery, { input }, { requestPolicy: 'network-only' }).toPromise();
    const confirmed = !data || (await confirmNew(data.preview.totalGross));
    asking.current = false;
    if (confirmed) submission.onSubmit(event);
  };
  const confirmNew = (totalGross: string): Promise<boolean> =>
    confirm({
      title: t('Create a credit note of {amount}?', { amount: money(totalGross, currency) }),
      children: t('It takes back that much of invoice {number}. It gets its number, and can’t be changed or deleted.', {
        number,
      }),
      confirm: t('Create'),
    });
  const { extent } = form.values;
  const [rest] = useQuery({ query: PreviewQuery, variables: { input: { invoiceId: id } } });
  const shares = rest.data?.preview.vatBreakdownByCategory ?? [];
  return (
    <Form
      submission={{ ...submission, onSubmit: (event) => void askAndSubmit(event) }}
      submit={t('Create credit note')}
      onCancel={() => navigate(`/invoices/${id}`)}
    >
      <Card withBorder radius="md">
        <Stack gap="md">
          <Radio.Group label={t('What to take back of invoice {number}', { number })} {...form.getInputProps('extent')}>
            <Stack gap="xs" mt="xs">
              <Radio value="ALL" label={t('All that is left')} />
              <Radio value="LINES" label={t('Lines, in whole or in part')} />
              <Radio value="AMOUNTS" label={t('An amount for each VAT rate')} />
            </Stack>
          </Radio.Group>
          {extent === 'LINES' && <Lines form={form} lines={items.filter(({ quantityLeft }) => quantityLeft !== '0')} />}
          {extent === 'AMOUNTS' && <Amounts form={form} shares={shares} currency={currency} />}
        </Stack>
      </Card>
      <Card withBorder radius="md">
        <Group align="flex-start">
          <TextInput
            label={t('Reason')}
            description={t('On the credit note, in one line')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            style={{ flex: '3 1 260px' }}
            {...form.getInputProps('reason')}
          />
          <TextInput
            type="date"
            label={t('Date')}
            description={t('Default: today')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            style={{ flex: '1 1 160px' }}
            {...form.getInputProps('creditNoteDate')}
          />
        </Group>
      </Card>
      <Preview invoiceId={id} values={form.values} currency={currency} />
    </Form>
  );
}

interface LinesProps {
  form: UseFormReturnType<CreditNoteValues>;
  lines: readonly LineLeft[];
}

function Lines({ form, lines }: LinesProps): ReactNode {
  const { items } = form.values;
  return (
    <Choices label={t('Lines')} path="items" error={form.errors['items']}>
      {lines.map((line) => {
        const at = items.findIndex(({ invoiceItemId }) => invoiceItemId === line.id);
        const left = `${decimal(line.quantityLeft)} ${line.unit ?? ''}`.trim();
        return (
          <Choice
            key={line.id}
            label={line.title}
            isChosen={at !== -1}
            choose={() => form.insertListItem('items', wholeLine(line))}
            drop={() => form.removeListItem('items', at)}
          >
            <DecimalInput
              label={t('Quantity')}
              aria-label={`${t('Quantity')}, ${line.title}`}
              description={t('{amount} left', { amount: left })}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              {...form.getInputProps(`items.${at}.quantity`)}
            />
          </Choice>
        );
      })}
    </Choices>
  );
}

interface AmountsProps {
  form: UseFormReturnType<CreditNoteValues>;
  shares: readonly ShareLeft[];
  currency: string;
}

function Amounts({ form, shares, currency }: AmountsProps): ReactNode {
  const { amounts } = form.values;
  return (
    <Choices label={t('Amounts')} path="amounts" error={form.errors['amounts']}>
      {shares.map((share) => {
        const { vatRate, vatCategory, net } = share;
        const at = amounts.findIndex((each) => each.vatRate === vatRate && each.vatCategory === vatCategory);
        const isUsual = ['S', 'Z'].includes(vatCategory);
        const name = isUsual
          ? t('VAT {percent}', { percent: percent(vatRate) })
          : t('VAT {percent}, category {category}', { percent: percent(vatRate), category: vatCategory });
        return (
          <Choice
            key={`${vatCategory} ${vatRate}`}
            label={name}
            isChosen={at !== -1}
            choose={() => form.insertListItem('amounts', wholeShare(share, currency))}
            drop={() => form.removeListItem('amounts', at)}
          >
            <DecimalInput
              label={t('Net in {currency}', { currency })}
              aria-label={`${t('Net in {currency}', { currency })}, ${name}`}
              description={t('{amount} left', { amount: money(net, currency) })}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              {...form.getInputProps(`amounts.${at}.net`)}
            />
          </Choice>
        );
      })}
    </Choices>
  );
}

interface ChoicesProps {
  label: string;
  /** The field of the input, by which errors find it. */
  path: string;
  error: ReactNode;
  children: ReactNode;
}

/** Lines or VAT rates that can be chosen. */
const Choices = ({ label, path, error, children }: ChoicesProps): ReactNode => (
  <Stack gap="sm" component="fieldset" bd={0} p={0} m={0} data-path={path} tabIndex={-1}>
    <Text component="legend" fw={500} size="sm" mb="xs">
      {label}
    </Text>
    {error && <Input.Error>{error}</Input.Error>}
    {children}
  </Stack>
);

interface ChoiceProps {
  label: string;
  isChosen: boolean;
  choose: () => void;
  drop: () => void;
  /** The field, shown once it is chosen. */
  children: ReactNode;
}

/** A line or a VAT rate that can be chosen, with the field that says how much of it. */
const Choice = ({ label, isChosen, choose, drop, children }: ChoiceProps): ReactNode => (
  <Group align="flex-start" justify="space-between" gap="xs">
    <Checkbox
      className="long"
      label={label}
      checked={isChosen}
      onChange={(event) => (event.currentTarget.checked ? choose() : drop())}
      style={{ flex: '2 1 220px' }}
      miw={0}
    />
    {isChosen && <div style={{ flex: '1 1 160px' }}>{children}</div>}
  </Group>
);

interface PreviewProps {
  invoiceId: string;
  values: CreditNoteValues;
  currency: string;
}

function Preview({ invoiceId, values, currency }: PreviewProps): ReactNode {
  const input = useDebouncedInput(buildPreviewInput(invoiceId, values));
  const [{ data, error }] = useQuery({
    query: PreviewQuery,
    variables: { input: input ?? { invoiceId } },
    pause: !input,
  });
  const preview = input && !error ? data?.preview : undefined;
  return (
    <Card withBorder radius="md">
      {input && error && (
        <Alert color="yellow" mb="md">
          {errorMessage(error)}
        </Alert>
      )}
      <Totals totals={preview} currency={currency}>
        {preview && (
          <>
            <Row name={t('Due afterwards')} value={money(preview.amountDue, currency)} />
            {preview.amountToRefund !== '0' && (
              <Row name={t('To refund afterwards')} value={money(preview.amountToRefund, currency)} strong />
            )}
          </>
        )}
      </Totals>
    </Card>
  );
}
