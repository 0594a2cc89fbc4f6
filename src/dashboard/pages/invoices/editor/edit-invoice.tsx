import { Skeleton } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { Redirect, useParams, useSearchParams } from 'wouter';
import { LoadError } from '../../../errors/error-boundary.tsx';
import { Page } from '../../../layout/page.tsx';
import type { Invoice } from '../fields.ts';
import { InvoiceQuery } from '../invoice.tsx';
import { InvoiceEditor } from './invoice-editor.tsx';
import { buildValues } from './invoice-values.ts';
import { t } from '../../../i18n/t.ts';

export default function EditInvoice(): ReactNode {
  const { id = '' } = useParams();
  const [search] = useSearchParams();
  // Read once from the server, not from the cache, and not again while it is edited.
  const [{ data, error, stale }, refetch] = useQuery({
    query: InvoiceQuery,
    variables: { id },
    requestPolicy: 'network-only',
  });
  const [edited, setEdited] = useState<Invoice>();
  // An open editor keeps its input, even if the draft changes or the connection is lost.
  if (data?.invoice && !stale && data.invoice.id === id && edited?.id !== id) setEdited(data.invoice);
  const invoice = edited?.id === id ? edited : undefined;
  if (invoice && invoice.status !== 'DRAFT') return <Redirect to={`/invoices/${id}`} replace />;
  return (
    <Page title={t('Edit the draft')} back={{ to: `/invoices/${id}`, label: t('Draft') }}>
      {invoice ? (
        <InvoiceEditor invoice={invoice} initial={buildValues(invoice)} focus={search.get('field')} />
      ) : error ? (
        <LoadError error={error} refetch={refetch} />
      ) : (
        <Skeleton h={420} radius="md" />
      )}
    </Page>
  );
}
