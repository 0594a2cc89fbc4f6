import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { graphql, type FragmentOf } from '../../graphql.ts';
import { getName } from '../receipts/fields.ts';
import type { Payable } from './fields.ts';
import { t } from '../../i18n/t.ts';

export const PaidInvoice = graphql(`
  fragment PaidInvoice on Invoice {
    id
    number
    invoiceDate
    totalGross
    amountDue
    currency
    customer {
      id
      companyName
    }
  }
`);

export const PaidReceipt = graphql(`
  fragment PaidReceipt on Receipt {
    id
    receiptNumber
    receiptDate
    description
    amountPayable
    amountPaid
    creditedReceiptId
    amountAdjusted
    currency
    supplier {
      id
      companyName
    }
  }
`);

export const RefundedCreditNote = graphql(`
  fragment RefundedCreditNote on CreditNote {
    id
    number
    creditNoteDate
    amountDue
    currency
    customer {
      id
      companyName
    }
  }
`);

export const ofInvoice = ({ id, number, invoiceDate, customer }: FragmentOf<typeof PaidInvoice>): Payable => ({
  type: 'INVOICE',
  id,
  name: t('Invoice {number}', { number: number ?? '' }).trim(),
  partner: customer.companyName,
  date: invoiceDate,
});

export const ofReceipt = (receipt: FragmentOf<typeof PaidReceipt>): Payable => ({
  type: 'RECEIPT',
  id: receipt.id,
  name: getName(receipt),
  partner: receipt.supplier?.companyName ?? receipt.description ?? '',
  date: receipt.receiptDate,
});

export const ofCreditNote = (creditNote: FragmentOf<typeof RefundedCreditNote>): Payable => ({
  type: 'CREDIT_NOTE',
  id: creditNote.id,
  name: t('Credit note {number}', { number: creditNote.number }),
  partner: creditNote.customer.companyName,
  date: creditNote.creditNoteDate,
});

/** The payable of a match or a suggestion. Undefined if it has been deleted. */
export function getPayable(match: {
  invoice: FragmentOf<typeof PaidInvoice> | null;
  receipt: FragmentOf<typeof PaidReceipt> | null;
  creditNote: FragmentOf<typeof RefundedCreditNote> | null;
  customer?: { id: string; companyName: string } | null;
}): Payable | undefined {
  if (match.customer)
    return {
      type: 'CUSTOMER',
      id: match.customer.id,
      name: t('Credit'),
      partner: match.customer.companyName,
      date: '',
    };
  if (match.invoice) return ofInvoice(match.invoice);
  if (match.receipt) return ofReceipt(match.receipt);
  return match.creditNote ? ofCreditNote(match.creditNote) : undefined;
}

const folders: Record<Payable['type'], string> = {
  INVOICE: 'invoices',
  RECEIPT: 'receipts',
  CREDIT_NOTE: 'credit-notes',
  CUSTOMER: 'customers',
};

export function PayableLink({ payable: { type, id, name } }: { payable: Payable }): ReactNode {
  return (
    <Anchor className="long" component={Link} to={`/${folders[type]}/${id}`} fw={500}>
      {name}
    </Anchor>
  );
}
