import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { graphql, type FragmentOf } from '../../graphql.ts';

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
    amountGross
    amountPaid
    currency
    supplier {
      id
      companyName
    }
  }
`);

/** An invoice or a receipt, in a common form. */
export interface Payable {
  type: 'INVOICE' | 'RECEIPT';
  id: string;
  /** `Invoice 2026-0012` */
  name: string;
  partner: string;
  /** The invoice date or receipt date. */
  date: string;
}

export const ofInvoice = ({ id, number, invoiceDate, customer }: FragmentOf<typeof PaidInvoice>): Payable => ({
  type: 'INVOICE',
  id,
  name: `Invoice ${number ?? ''}`.trim(),
  partner: customer.companyName,
  date: invoiceDate,
});

export const ofReceipt = (receipt: FragmentOf<typeof PaidReceipt>): Payable => ({
  type: 'RECEIPT',
  id: receipt.id,
  name: `Receipt ${receipt.receiptNumber ?? ''}`.trim(),
  partner: receipt.supplier?.companyName ?? receipt.description ?? '',
  date: receipt.receiptDate,
});

/** The invoice or receipt of a match or a suggestion. Undefined if it has been deleted. */
export function payableOf(match: {
  invoice: FragmentOf<typeof PaidInvoice> | null;
  receipt: FragmentOf<typeof PaidReceipt> | null;
}): Payable | undefined {
  if (match.invoice) return ofInvoice(match.invoice);
  return match.receipt ? ofReceipt(match.receipt) : undefined;
}

export function PayableLink({ payable: { type, id, name } }: { payable: Payable }): ReactNode {
  return (
    <Anchor className="long" component={Link} to={`/${type === 'INVOICE' ? 'invoices' : 'receipts'}/${id}`} fw={500}>
      {name}
    </Anchor>
  );
}
