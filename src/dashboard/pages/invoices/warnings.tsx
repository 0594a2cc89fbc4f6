import { Alert, List } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { TextLink } from '../../components/text-link.tsx';
import { graphql } from '../../graphql.ts';
import { t } from '../../i18n/t.ts';
import { translateWarning } from './warning-texts.ts';

export const InvoiceWarningsQuery = graphql(`
  query InvoiceWarnings($id: UUID!) {
    invoice(id: $id) {
      id
      warnings {
        code
        field
        message
      }
    }
  }
`);

export interface Warning {
  field: string;
  message: string;
}

/** Warnings of a draft, as it would be issued now. An issued invoice can't be mended any more. */
export function useDraftWarnings(id: string, isDraft: boolean): readonly Warning[] | undefined {
  const [{ data }] = useQuery({
    query: InvoiceWarningsQuery,
    variables: { id },
    pause: !isDraft,
    // The company and the customer may have been changed since.
    requestPolicy: 'cache-and-network',
  });
  return isDraft && data?.invoice?.id === id ? data.invoice.warnings : undefined;
}

interface Props {
  warnings: readonly Warning[];
  customerId: string | null;
  /** The stored draft. Undefined in the form, which has the fields itself. */
  invoiceId?: string | undefined;
}

/** A list of warnings. Each links to the page on which it is mended. */
export function Warnings({ warnings, customerId, invoiceId }: Props): ReactNode {
  if (warnings.length === 0) return null;
  return (
    <Alert color="yellow" title={t('Before you issue')}>
      <List size="sm">
        {warnings.map(({ field, message }) => (
          <List.Item key={`${field} ${message}`}>
            {translateWarning(message)} <Mend field={field} customerId={customerId} invoiceId={invoiceId} />
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** The way to where a warning is mended. */
export function Mend({ field, customerId, invoiceId }: { field: string } & Omit<Props, 'warnings'>): ReactNode {
  if (field.startsWith('company.')) return <MendLink to="/settings/company">{t('Edit the company')}</MendLink>;
  if (field.startsWith('customer.'))
    return customerId && <MendLink to={`/customers/${customerId}`}>{t('Edit the customer')}</MendLink>;
  return invoiceId && <MendLink to={`/invoices/${invoiceId}/edit?field=${field}`}>{t('Edit the draft')}</MendLink>;
}

/** In the colour of its text, as the usual one has too little contrast on an alert's background. */
const MendLink = (props: { to: string; children: string }): ReactNode => (
  <TextLink c="inherit" underline="always" {...props} />
);
