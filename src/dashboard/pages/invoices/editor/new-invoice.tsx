import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { useSearchParams } from 'wouter';
import { LoadError } from '../../../errors/error-boundary.tsx';
import { graphql } from '../../../graphql.ts';
import { Page } from '../../../layout/page.tsx';
import { useSession } from '../../../session/session.tsx';
import { InvoiceEditor } from './invoice-editor.tsx';
import { InvoiceQuery } from '../invoice.tsx';
import { copyValues, newInvoice } from './invoice-values.ts';
import { t } from '../../../i18n/t.ts';

const InvoiceDefaults = graphql(`
  query InvoiceDefaults {
    company {
      id
      defaultVatRate
    }
  }
`);

export default function NewInvoice(): ReactNode {
  const { tenant } = useSession();
  const [search] = useSearchParams();
  const [{ data, error }] = useQuery({ query: InvoiceDefaults });
  const copied = search.get('copy');
  const [former, readFormer] = useQuery({
    query: InvoiceQuery,
    variables: { id: copied ?? '' },
    pause: copied === null,
  });
  const isReady = copied === null ? data || error : former.data;
  return (
    <Page
      title={t('New invoice')}
      back={{ to: '/invoices', label: t('Invoices') }}
      description={t('Saved as a draft, which you can edit until you issue it.')}
    >
      {isReady ? (
        <InvoiceEditor
          initial={
            former.data?.invoice
              ? copyValues(former.data.invoice)
              : newInvoice(search.get('customer'), tenant.defaultCurrency, data?.company?.defaultVatRate ?? undefined)
          }
        />
      ) : copied !== null && former.error ? (
        <LoadError error={former.error} refetch={readFormer} />
      ) : (
        <Skeleton h={420} radius="md" />
      )}
    </Page>
  );
}
