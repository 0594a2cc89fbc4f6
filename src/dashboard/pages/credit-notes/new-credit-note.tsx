import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { Redirect, useParams } from 'wouter';
import { LoadError } from '../../errors/error-boundary.tsx';
import { graphql } from '../../graphql.ts';
import { Page } from '../../layout/page.tsx';
import { getName } from '../invoices/fields.ts';
import { CreditNoteForm } from './credit-note-form.tsx';
import { t } from '../../i18n/t.ts';

const CreditedInvoiceQuery = graphql(`
  query CreditedInvoice($id: UUID!) {
    invoice(id: $id) {
      id
      number
      status
      currency
      items {
        id
        title
        unit
        quantityLeft
      }
    }
  }
`);

export default function NewCreditNote(): ReactNode {
  const { id = '' } = useParams();
  const [{ data, error }, refetch] = useQuery({ query: CreditedInvoiceQuery, variables: { id } });
  const invoice = data?.invoice;
  if (invoice && !['ISSUED', 'PAID'].includes(invoice.status)) return <Redirect to={`/invoices/${id}`} replace />;
  return (
    <Page
      title={t('New credit note')}
      back={{ to: `/invoices/${id}`, label: invoice ? getName(invoice) : t('Invoice') }}
      description={t('It gets its number when you create it, and can’t be changed afterwards.')}
    >
      {invoice ? (
        <CreditNoteForm invoice={invoice} />
      ) : error ? (
        <LoadError error={error} refetch={refetch} />
      ) : (
        <Skeleton h={420} radius="md" />
      )}
    </Page>
  );
}
