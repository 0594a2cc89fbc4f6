import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { useFirstMatch } from '../../forms/first-match.ts';
import { money } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { computeDue } from '../receipts/fields.ts';
import {
  ofCreditNote,
  ofInvoice,
  ofReceipt,
  PaidInvoice,
  PaidReceipt,
  RefundedCreditNote,
  type Payable,
} from './payable.tsx';

const FindInvoices = graphql(
  `
    query FindOpenInvoicesAndCredits($q: String) {
      invoices(
        first: 20
        filter: { q: $q, status: { eq: ISSUED } }
        orderBy: { field: INVOICE_DATE, direction: DESC }
      ) {
        nodes {
          ...PaidInvoice
        }
      }
      receipts(
        first: 20
        filter: { q: $q, status: { eq: BOOKED }, creditedReceiptId: { isNull: false } }
        orderBy: { field: RECEIPT_DATE, direction: DESC }
      ) {
        nodes {
          ...PaidReceipt
        }
      }
    }
  `,
  [PaidInvoice, PaidReceipt],
);

const FindMoneyOut = graphql(
  `
    query FindOpenReceiptsAndCreditNotes($q: String) {
      creditNotes(first: 50, filter: { q: $q }) {
        nodes {
          ...RefundedCreditNote
        }
      }
      receipts(
        first: 20
        filter: { q: $q, status: { eq: BOOKED }, creditedReceiptId: { isNull: true } }
        orderBy: { field: RECEIPT_DATE, direction: DESC }
      ) {
        nodes {
          ...PaidReceipt
        }
      }
    }
  `,
  [PaidReceipt, RefundedCreditNote],
);

/** An invoice, receipt, or credit note that can be paid, with the amount due. */
export interface Found extends Payable {
  due: string;
  currency: string;
}

interface Props {
  /** Money out pays receipts and credit notes, money in pays invoices and suppliers' credits. */
  isMoneyOut: boolean;
  /** The ids that are already selected. */
  exclude: string[];
  onFound: (found: Found) => void;
}

/** Finds what can be paid by typing a part of its number or of its partner's name. */
export function PayableFinder({ isMoneyOut, exclude, onFound }: Props): ReactNode {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 200);
  const variables = { q };
  const [invoices] = useQuery({ query: FindInvoices, variables, pause: isMoneyOut });
  const [sent] = useQuery({ query: FindMoneyOut, variables, pause: !isMoneyOut });
  const all: Found[] = [
    ...(invoices.data?.invoices.nodes ?? []).map((invoice) => ({
      ...ofInvoice(invoice),
      due: invoice.amountDue,
      currency: invoice.currency,
    })),
    ...(sent.data?.creditNotes.nodes ?? [])
      .filter(({ amountDue }) => amountDue !== '0')
      .map((creditNote) => ({
        ...ofCreditNote(creditNote),
        due: creditNote.amountDue,
        currency: creditNote.currency,
      })),
    ...((sent.data ?? invoices.data)?.receipts.nodes ?? []).map((receipt) => ({
      ...ofReceipt(receipt),
      due: computeDue(receipt),
      currency: receipt.currency,
    })),
  ];
  const isFetching = invoices.fetching || sent.fetching;
  const enter = useFirstMatch(typed.trim() !== '', typed === q && !isFetching);
  const found = all.filter(({ id }) => !exclude.includes(id));
  return (
    <Select
      label={isMoneyOut ? 'Add a receipt or credit note' : 'Add an invoice or a supplier’s credit'}
      placeholder="Number or name"
      data-autofocus
      data={found.map(({ id, name, partner, due, currency }) => ({
        value: id,
        label: [name, partner, `${money(due, currency)} due`].filter(Boolean).join(' · '),
      }))}
      value={null}
      onChange={(id) => {
        const chosen = found.find((each) => each.id === id);
        if (chosen) onFound(chosen);
        setTyped('');
      }}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      {...enter}
      nothingFoundMessage={
        isFetching
          ? 'Searching…'
          : isMoneyOut
            ? 'No booked receipts, and no credit notes to be refunded, match'
            : 'No issued invoices match'
      }
    />
  );
}
