import { Box, Card, Select, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../../graphql.ts';
import { Breaches } from '../breaches.tsx';
import { eInvoiceFormats, type EInvoiceFormat } from '../formats.ts';
import { buildInput, buildLines, type InvoiceValues } from './invoice-values.ts';
import { t } from '../../../i18n/t.ts';

const RequirementQuery = graphql(`
  query RequiredOfCustomer($customerId: UUID!) {
    required: requiredEInvoice(customerId: $customerId)
  }
`);

const PreflightQuery = graphql(`
  query NewInvoicePreflight($input: CreateInvoiceInput!, $format: EInvoiceFormat!) {
    breaches: newInvoicePreflight(input: $input, format: $format) {
      rule
      field
      message
    }
  }
`);

/** The input that is checked. Undefined while the server would refuse it: the form says why when it is saved. */
export function checkedInput(values: InvoiceValues) {
  if (!values.customerId || !values.invoiceDate || !buildLines(values)) return undefined;
  if (values.items.some(({ title }) => title.trim() === '')) return undefined;
  return buildInput(values);
}

interface Props {
  values: InvoiceValues;
  /** The invoice to check; undefined while it can't be checked. */
  input: ReturnType<typeof checkedInput>;
  /** Whether something else is missing or probably wrong. */
  hasWarnings: boolean;
}

/** Problems of the unsaved invoice as an e-invoice: in the required format, or in the one that the user looks at. */
export function EditorPreflight({ values, input, hasWarnings }: Props): ReactNode {
  const { customerId } = values;
  const [chosen, setChosen] = useState<EInvoiceFormat | null>(null);
  const [{ data: requirement }] = useQuery({
    query: RequirementQuery,
    variables: { customerId: customerId ?? '' },
    pause: !customerId,
  });
  const required = (customerId && requirement?.required) || null;
  const format = chosen ?? required;
  const [{ data, error }] = useQuery({
    query: PreflightQuery,
    variables: { input: input ?? buildInput(values), format: format ?? 'XRECHNUNG_CII' },
    pause: !input || !format,
    requestPolicy: 'network-only',
  });
  const breaches = input && format && !error ? data?.breaches : undefined;
  return (
    <Card withBorder radius="md" component="section" aria-label={t('E-invoice')}>
      <Stack gap="sm">
        <Select
          label={t('E-invoice')}
          description={
            required ? t('This customer’s invoices must be e-invoices.') : t('Shows what is missing for a format.')
          }
          placeholder={t('Not checked')}
          data={eInvoiceFormats}
          value={format}
          clearable={!required}
          maw={320}
          // Warnings above it may come meanwhile, and move it out of view: the list must not vanish then.
          comboboxProps={{ hideDetached: false }}
          onChange={setChosen}
        />
        <Box
          mah={220}
          style={{ overflowY: 'auto' }}
          tabIndex={0}
          role="region"
          aria-live="polite"
          aria-label={t('Missing for the e-invoice')}
        >
          {breaches && breaches.length > 0 ? (
            <Breaches breaches={breaches} />
          ) : (
            format && (
              <Text size="sm" c="dimmed">
                {breaches
                  ? hasWarnings
                    ? t('The format’s own rules are kept. See what to look at before you issue.')
                    : t('Nothing is missing for this e-invoice.')
                  : t('What is missing is shown as soon as customer and lines are filled in.')}
              </Text>
            )
          )}
        </Box>
      </Stack>
    </Card>
  );
}
