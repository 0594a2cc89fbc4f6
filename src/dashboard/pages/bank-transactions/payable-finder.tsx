import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { minus } from '../../format/decimal.ts';
import { money } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { ofInvoice, ofReceipt, PaidInvoice, PaidReceipt, type Payable } from './payable.tsx';

const FindInvoices = graphql(
  `
    query FindOpenInvoices($q: String) {
      invoices(first: 20, status: ISSUED, q: $q, orderBy: { field: INVOICE_DATE, direction: DESC }) {
        nodes {
          ...PaidInvoice
        }
      }
    }
  `,
  [PaidInvoice],
);

const FindReceipts = graphql(
  `
    query FindOpenReceipts($q: String) {
      receipts(first: 20, status: BOOKED, q: $q, orderBy: { field: RECEIPT_DATE, direction: DESC }) {
        nodes {
          ...PaidReceipt
        }
      }
    }
  `,
  [PaidReceipt],
);

/** An invoice or receipt that can be paid, with the amount due. */
export interface Found extends Payable {
  due: string;
  currency: string;
}

interface Props {
  type: Payable['type'];
  /** The ids that are already selected. */
  exclude: string[];
  onFound: (found: Found) => void;
}

/** Finds an open invoice or booked receipt by typing a part of its number or of its partner's name. */
export function PayableFinder({ type, exclude, onFound }: Props): ReactNode {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 200);
  const variables = { q: q || null };
  const [invoices] = useQuery({ query: FindInvoices, variables, pause: type !== 'INVOICE' });
  const [receipts] = useQuery({ query: FindReceipts, variables, pause: type !== 'RECEIPT' });
  const all: Found[] = [
    ...(invoices.data?.invoices.nodes ?? []).map((invoice) => ({
      ...ofInvoice(invoice),
      due: invoice.amountDue,
      currency: invoice.currency,
    })),
    ...(receipts.data?.receipts.nodes ?? []).map((receipt) => ({
      ...ofReceipt(receipt),
      due: minus(receipt.amountGross, receipt.amountPaid) ?? receipt.amountGross,
      currency: receipt.currency,
    })),
  ];
  const found = all.filter(({ id }) => !exclude.includes(id));
  return (
    <Select
      label={type === 'INVOICE' ? 'Add an invoice' : 'Add a receipt'}
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
      nothingFoundMessage={
        invoices.fetching || receipts.fetching
          ? 'Searching…'
          : type === 'INVOICE'
            ? 'No issued invoices match'
            : 'No booked receipts match'
      }
    />
  );
}
