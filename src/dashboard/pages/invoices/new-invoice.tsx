import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { Page } from '../../layout/page.tsx';
import { useSession } from '../../session/session.tsx';
import { InvoiceEditor } from './invoice-editor.tsx';
import { newInvoice } from './invoice-values.ts';

export default function NewInvoice(): ReactNode {
  const { tenant } = useSession();
  const [search] = useSearchParams();
  return (
    <Page
      title="New invoice"
      back={{ to: '/invoices', label: 'Invoices' }}
      description="Saved as a draft, which you can edit until you issue it."
    >
      <InvoiceEditor initial={newInvoice(search.get('customer'), tenant.defaultCurrency)} />
    </Page>
  );
}
