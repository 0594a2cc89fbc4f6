import { Button, Menu, ActionIcon } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  BanknotesIcon,
  CheckIcon,
  DocumentDuplicateIcon,
  EllipsisHorizontalIcon,
  PencilSquareIcon,
  ReceiptRefundIcon,
  TrashIcon,
  XCircleIcon,
} from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { Link, useLocation, useSearchParams } from 'wouter';
import { confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { notifySuccess, notifyError } from '../../components/toast.ts';
import { graphql } from '../../graphql.ts';
import { getName, type Invoice } from './fields.ts';
import { DeleteInvoice, IssueInvoice } from './mutations.ts';
import { IssueDialog } from './issue-dialog.tsx';
import { InvoicePaymentForm } from './payment-form.tsx';
import { t } from '../../i18n/t.ts';

const CancelInvoice = graphql(`
  mutation CancelInvoice($id: UUID!) {
    cancelInvoice(id: $id) {
      id
    }
  }
`);

/** The actions that an invoice's state allows. */
export function InvoiceActions({ invoice }: { invoice: Invoice }): ReactNode {
  const [paying, pay] = useDisclosure();
  const [search, setSearch] = useSearchParams();
  // The editor leads here to issue what it has saved.
  const [checking, check] = useDisclosure(search.has('issue') && invoice.status === 'DRAFT', {
    onClose: () => setSearch({}, { replace: true }),
  });
  const [{ fetching }, issue] = useMutation(IssueInvoice);
  const closeAndIssue = async (): Promise<void> => {
    check.close();
    const { data, error } = await issue({ id: invoice.id });
    if (error) notifyError(error);
    else notifySuccess(t('Issued as invoice {number}.', { number: data?.issueInvoice.number ?? '' }));
  };
  return (
    <>
      {invoice.status === 'DRAFT' && <DraftActions invoice={invoice} issue={check.open} isIssuing={fetching} />}
      {invoice.status === 'ISSUED' && <IssuedActions invoice={invoice} pay={pay.open} />}
      {invoice.status === 'PAID' && <CreditButton invoice={invoice} />}
      {(invoice.status === 'PAID' || invoice.status === 'CANCELLED') && (
        <More>
          <DuplicateItem id={invoice.id} />
        </More>
      )}
      {/* Not part of the actions: they stay when the invoice is issued or paid elsewhere. */}
      <IssueDialog invoice={invoice} opened={checking} onClose={check.close} onIssue={() => void closeAndIssue()} />
      <Dialog title={t('Record a payment')} opened={paying} onClose={pay.close} size="md">
        <InvoicePaymentForm invoice={invoice} onClose={pay.close} />
      </Dialog>
    </>
  );
}

interface DraftProps {
  invoice: Invoice;
  issue: () => void;
  isIssuing: boolean;
}

function DraftActions({ invoice: { id }, issue, isIssuing }: DraftProps): ReactNode {
  const [, navigate] = useLocation();
  const [, remove] = useMutation(DeleteInvoice);
  const confirmAndDelete = async (): Promise<void> => {
    const confirmed = await confirm({
      title: t('Delete the draft?'),
      children: t('The draft is deleted permanently. Time entries on it can be billed again.'),
      confirm: t('Delete'),
      danger: true,
    });
    if (!confirmed) return;
    const { error } = await remove({ id });
    if (error) return notifyError(error);
    notifySuccess(t('The draft is deleted.'));
    navigate('/invoices');
  };
  return (
    <>
      <Button loading={isIssuing} leftSection={<CheckIcon width={18} aria-hidden />} onClick={issue}>
        {t('Issue')}
      </Button>
      <Button
        variant="default"
        component={Link}
        to={`/invoices/${id}/edit`}
        leftSection={<PencilSquareIcon width={18} aria-hidden />}
      >
        {t('Edit')}
      </Button>
      <More>
        <DuplicateItem id={id} />
        <Menu.Item color="red" leftSection={<TrashIcon width={18} aria-hidden />} onClick={confirmAndDelete}>
          {t('Delete…')}
        </Menu.Item>
      </More>
    </>
  );
}

function IssuedActions({ invoice, pay }: { invoice: Invoice; pay: () => void }): ReactNode {
  const { id, payments } = invoice;
  const hasPayments = payments.nodes.some(({ reversalOfId, reversedAt }) => !reversalOfId && !reversedAt);
  const [, cancel] = useMutation(CancelInvoice);
  const confirmAndCancel = async (): Promise<void> => {
    const confirmed = await confirm({
      title: t('Cancel the invoice?'),
      children: t(
        '{invoice} no longer has to be paid. It stays in the books with its number, and a credit note takes back all that is left of it. This can’t be undone.',
        { invoice: getName(invoice) },
      ),
      confirm: t('Cancel the invoice'),
      cancel: t('Keep it'),
      danger: true,
    });
    if (!confirmed) return;
    const { error } = await cancel({ id });
    if (error) notifyError(error);
    else notifySuccess(t('{invoice} is cancelled.', { invoice: getName(invoice) }));
  };
  return (
    <>
      <Button leftSection={<BanknotesIcon width={18} aria-hidden />} onClick={pay}>
        {t('Record a payment')}
      </Button>
      <CreditButton invoice={invoice} />
      <More>
        <DuplicateItem id={id} />
        <Menu.Item
          color="red"
          disabled={hasPayments}
          leftSection={<XCircleIcon width={18} aria-hidden />}
          onClick={confirmAndCancel}
        >
          {hasPayments ? t('Cancel (undo its payments first)') : t('Cancel…')}
        </Menu.Item>
      </More>
    </>
  );
}

/** Shown while something is left of the invoice. */
function CreditButton({ invoice: { id, amountCredited, totalGross } }: { invoice: Invoice }): ReactNode {
  if (amountCredited === totalGross) return null;
  return (
    <Button
      variant="default"
      component={Link}
      to={`/invoices/${id}/credit-note`}
      leftSection={<ReceiptRefundIcon width={18} aria-hidden />}
    >
      {t('Create credit note')}
    </Button>
  );
}

const DuplicateItem = ({ id }: { id: string }): ReactNode => (
  <Menu.Item
    component={Link}
    to={`/invoices/new?copy=${id}`}
    leftSection={<DocumentDuplicateIcon width={18} aria-hidden />}
  >
    {t('Duplicate')}
  </Menu.Item>
);

function More({ children }: { children: ReactNode }): ReactNode {
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={t('More actions')}>
          <EllipsisHorizontalIcon width={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
