import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode, type Ref } from 'react';
import { useQuery } from 'urql';
import { useFirstMatch } from '../../forms/first-match.ts';
import { money } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { computeDue } from '../receipts/fields.ts';
import type { Found } from './fields.ts';
import { ofCreditNote, ofInvoice, ofReceipt, PaidInvoice, PaidReceipt, RefundedCreditNote } from './payable.tsx';
import { t } from '../../i18n/t.ts';

const FindInvoices = graphql(
  `
    query FindOpenInvoicesAndCredits($q: String, $customer: UUIDComparator, $supplier: NullableUUIDComparator) {
      invoices(
        first: 20
        filter: { q: $q, status: { eq: ISSUED }, customerId: $customer }
        orderBy: { field: INVOICE_DATE, direction: DESC }
      ) {
        nodes {
          ...PaidInvoice
        }
      }
      receipts(
        first: 20
        filter: { q: $q, status: { eq: BOOKED }, creditedReceiptId: { isNull: false }, supplierId: $supplier }
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
    query FindOpenReceiptsAndCreditNotes($q: String, $customer: UUIDComparator, $supplier: NullableUUIDComparator) {
      creditNotes(first: 50, filter: { q: $q, customerId: $customer }) {
        nodes {
          ...RefundedCreditNote
        }
      }
      receipts(
        first: 20
        filter: { q: $q, status: { eq: BOOKED }, creditedReceiptId: { isNull: true }, supplierId: $supplier }
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

/** Searches what money of one direction pays. @param partnerId whose; undefined: everybody's */
function useFound(direction: 'in' | 'out', q: string, partnerId: string | undefined, pause: boolean) {
  const variables = { q, ...(partnerId && { customer: { eq: partnerId }, supplier: { eq: partnerId } }) };
  const [received] = useQuery({ query: FindInvoices, variables, pause: pause || direction === 'out' });
  const [sent] = useQuery({ query: FindMoneyOut, variables, pause: pause || direction === 'in' });
  const { data, fetching } = direction === 'in' ? received : sent;
  const found: Omit<Found, 'isDeducted'>[] = [];
  if (pause || !data) return { found, fetching: !pause && fetching };
  if ('invoices' in data)
    for (const invoice of data.invoices.nodes)
      found.push({
        ...ofInvoice(invoice),
        due: invoice.amountDue,
        currency: invoice.currency,
        partnerId: invoice.customer.id,
        canAdjust: true,
      });
  else
    for (const creditNote of data.creditNotes.nodes.filter(({ amountDue }) => amountDue !== '0'))
      found.push({
        ...ofCreditNote(creditNote),
        due: creditNote.amountDue,
        currency: creditNote.currency,
        partnerId: creditNote.customer.id,
        canAdjust: false,
      });
  for (const receipt of data.receipts.nodes)
    found.push({
      ...ofReceipt(receipt),
      due: computeDue(receipt),
      currency: receipt.currency,
      partnerId: receipt.supplier?.id ?? null,
      canAdjust: receipt.creditedReceiptId === null,
    });
  return { found, fetching };
}

interface Props {
  /** Money out pays receipts and credit notes, money in pays invoices and suppliers' credits. */
  isMoneyOut: boolean;
  /** Of what is selected. */
  selected: Found[];
  /** Whose documents can be netted with those that are selected. */
  partnerId: string | undefined;
  onFound: (found: Found) => void;
  ref: Ref<HTMLInputElement>;
}

/** Finds what can be paid or deducted, by typing a part of its number or of its partner's name. */
export function PayableFinder({ isMoneyOut, selected, partnerId, onFound, ref }: Props): ReactNode {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 200);
  const isNetting = selected.some(({ isDeducted }) => isDeducted);
  const paid = useFound(isMoneyOut ? 'out' : 'in', q, isNetting ? partnerId : undefined, false);
  const deducted = useFound(isMoneyOut ? 'in' : 'out', q, partnerId, partnerId === undefined);
  const all: Found[] = [
    ...paid.found.map((each) => ({ ...each, isDeducted: false })),
    ...deducted.found.map((each) => ({ ...each, isDeducted: true })),
  ];
  const isFetching = paid.fetching || deducted.fetching;
  const enter = useFirstMatch(typed.trim() !== '', typed === q && !isFetching);
  const found = all.filter(({ id }) => !selected.some((each) => each.id === id));
  const first = isMoneyOut ? t('Add a receipt or credit note') : t('Add an invoice or a supplier’s credit');
  return (
    <Select
      label={selected.length > 0 ? t('Another document') : first}
      placeholder={t('Number or name')}
      data-autofocus
      ref={ref}
      data={found.map(({ id, name, partner, due, currency, isDeducted }) => ({
        value: id,
        label: [
          name,
          partner,
          isDeducted
            ? t('{amount} to deduct', { amount: money(due, currency) })
            : t('{amount} due', { amount: money(due, currency) }),
        ]
          .filter(Boolean)
          .join(' · '),
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
          ? t('Searching…')
          : isMoneyOut
            ? t('No booked receipts, and no credit notes to be refunded, match')
            : t('No issued invoices match')
      }
    />
  );
}
