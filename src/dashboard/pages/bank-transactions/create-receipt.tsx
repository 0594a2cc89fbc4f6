import { Button, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ReceiptPercentIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { useLocation } from 'wouter';
import { Dialog } from '../../components/dialog.tsx';
import { notifyError } from '../../components/toast.ts';
import { errorMessage } from '../../errors/form-errors.ts';
import { amountField } from '../../forms/form-values.ts';
import { graphql } from '../../graphql.ts';
import { ReceiptForm } from '../receipts/receipt-form.tsx';
import { useAfterMatch } from './after-match.ts';
import { unsigned, type BankTransaction } from './fields.ts';
import { MatchBankTransaction } from './match-form.tsx';
import { t } from '../../i18n/t.ts';

const SupplierQuery = graphql(`
  query SupplierByName($q: String!) {
    customers(first: 20, filter: { q: $q, type: { eq: SUPPLIER } }) {
      nodes {
        id
        companyName
      }
    }
  }
`);

/** Creates a receipt for money sent, prefilled from the bank transaction, which then pays it. */
export function CreateReceipt({ transaction }: { transaction: BankTransaction }): ReactNode {
  const [opened, dialog] = useDisclosure();
  return (
    <>
      <Button variant="default" leftSection={<ReceiptPercentIcon width={18} aria-hidden />} onClick={dialog.open}>
        {t('Create receipt')}
      </Button>
      <Dialog title={t('Create receipt')} opened={opened} onClose={dialog.close}>
        <PrefilledForm transaction={transaction} onClose={dialog.close} />
      </Dialog>
    </>
  );
}

function PrefilledForm({ transaction, onClose }: { transaction: BankTransaction; onClose: () => void }): ReactNode {
  const { id, amountOpen, currency, bookingDate, counterpartyName, reference } = transaction;
  const [{ data, fetching }] = useQuery({
    query: SupplierQuery,
    variables: { q: (counterpartyName ?? '').slice(0, 255) },
    pause: !counterpartyName,
  });
  const [, match] = useMutation(MatchBankTransaction);
  const afterMatch = useAfterMatch(transaction);
  const [, navigate] = useLocation();
  const matchReceipt = async (receiptId: string): Promise<void> => {
    const { data: matched, error } = await match({ id, matches: [{ type: 'RECEIPT', id: receiptId, amount: null }] });
    onClose();
    if (error) {
      notifyError(t('The receipt is booked, but not paid: {reason}', { reason: errorMessage(error) }));
      return navigate(`/receipts/${receiptId}`); // it is not to be added again
    }
    const matchStatus = matched?.matchBankTransaction.matchStatus;
    // To undo the match would not undo the receipt.
    await afterMatch({ message: t('The receipt is booked and matched.'), matchStatus, isFinal: true });
  };
  if (fetching) return <Skeleton h={420} />;
  const name = counterpartyName?.toLowerCase();
  const supplier = data?.customers.nodes.find(({ companyName }) => companyName.toLowerCase() === name);
  return (
    <ReceiptForm
      initial={{
        supplierId: supplier?.id ?? null,
        receiptDate: bookingDate,
        amountGross: amountField(unsigned(amountOpen), currency),
        currency,
        // The name of a known supplier is part of the receipt already.
        description: [supplier ? null : counterpartyName, reference].filter(Boolean).join(', ').slice(0, 2000),
      }}
      alwaysBooked
      onDone={matchReceipt}
      onCancel={onClose}
    />
  );
}
