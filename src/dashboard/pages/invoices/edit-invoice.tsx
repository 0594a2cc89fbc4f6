import { Skeleton } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { Redirect, useParams } from 'wouter';
import { Unavailable } from '../../errors/error-boundary.tsx';
import { Page } from '../../layout/page.tsx';
import type { Invoice } from './fields.ts';
import { InvoiceQuery } from './invoice.tsx';
import { InvoiceEditor } from './invoice-editor.tsx';
import { valuesOf } from './invoice-values.ts';

export default function EditInvoice(): ReactNode {
  const { id = '' } = useParams();
  // As it is now, not as it was last seen; and then not again, while it is being changed.
  const [{ data, error, stale }, refetch] = useQuery({
    query: InvoiceQuery,
    variables: { id },
    requestPolicy: 'network-only',
  });
  const [opened, open] = useState<Invoice>();
  // An open editor keeps its input, even if the draft changes or the connection is lost.
  if (data && !stale && data.invoice.id === id && opened?.id !== id) open(data.invoice);
  const invoice = opened?.id === id ? opened : undefined;
  if (invoice && invoice.status !== 'DRAFT') return <Redirect to={`/invoices/${id}`} replace />;
  return (
    <Page title="Edit the draft" back={{ to: `/invoices/${id}`, label: 'Draft' }}>
      {invoice ? (
        <InvoiceEditor invoice={invoice} initial={valuesOf(invoice)} />
      ) : error ? (
        <Unavailable error={error} refetch={refetch} />
      ) : (
        <Skeleton h={420} radius="md" />
      )}
    </Page>
  );
}
