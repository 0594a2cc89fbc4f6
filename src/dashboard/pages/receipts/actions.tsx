import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { BanknotesIcon, CheckIcon, PencilSquareIcon, TrashIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { useLocation } from 'wouter';
import { confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { notifySuccess, notifyError } from '../../components/toast.ts';
import { graphql } from '../../graphql.ts';
import { nameOf, type Receipt } from './fields.ts';
import { ReceiptPaymentForm } from './payment-form.tsx';
import { ReceiptForm } from './receipt-form.tsx';

const BookReceipt = graphql(`
  mutation BookReceipt($id: UUID!) {
    bookReceipt(id: $id) {
      id
    }
  }
`);

const DeleteReceipt = graphql(`
  mutation DeleteReceipt($id: UUID!) {
    deleteReceipt(id: $id) {
      id
    }
  }
`);

/** The actions that a receipt's state allows. A receipt with payments can't be edited or deleted. */
export function ReceiptActions({ receipt }: { receipt: Receipt }): ReactNode {
  const { status, payments } = receipt;
  const [paying, pay] = useDisclosure();
  const [editing, edit] = useDisclosure();
  return (
    <>
      {status === 'DRAFT' && <Book receipt={receipt} />}
      {status === 'BOOKED' && (
        <Button leftSection={<BanknotesIcon width={18} aria-hidden />} onClick={pay.open}>
          Record a payment
        </Button>
      )}
      {payments.length === 0 && (
        <>
          <Button variant="default" leftSection={<PencilSquareIcon width={18} aria-hidden />} onClick={edit.open}>
            Edit
          </Button>
          <Remove receipt={receipt} />
        </>
      )}
      {/* Shown in every state: their input stays when the receipt is paid elsewhere. */}
      <Dialog title="Record a payment" opened={paying} onClose={pay.close} size="md">
        <ReceiptPaymentForm receipt={receipt} onClose={pay.close} />
      </Dialog>
      <Dialog title="Edit the receipt" opened={editing} onClose={edit.close}>
        <ReceiptForm receipt={receipt} onCancel={edit.close} onDone={edit.close} />
      </Dialog>
    </>
  );
}

function Book({ receipt: { id } }: { receipt: Receipt }): ReactNode {
  const [{ fetching }, book] = useMutation(BookReceipt);
  const bookNow = async (): Promise<void> => {
    const { error } = await book({ id });
    if (error) notifyError(error);
    else notifySuccess('The receipt is booked.');
  };
  return (
    <Button loading={fetching} leftSection={<CheckIcon width={18} aria-hidden />} onClick={bookNow}>
      Book
    </Button>
  );
}

function Remove({ receipt }: { receipt: Receipt }): ReactNode {
  const [, navigate] = useLocation();
  const [, remove] = useMutation(DeleteReceipt);
  const confirmAndRemove = async (): Promise<void> => {
    const confirmed = await confirm({
      title: 'Delete the receipt?',
      children: `${nameOf(receipt)} is deleted permanently.`,
      confirm: 'Delete',
      danger: true,
    });
    if (!confirmed) return;
    const { error } = await remove({ id: receipt.id });
    if (error) return notifyError(error);
    notifySuccess(`${nameOf(receipt)} is deleted.`);
    navigate('/receipts');
  };
  return (
    <Button variant="default" c="red" leftSection={<TrashIcon width={18} aria-hidden />} onClick={confirmAndRemove}>
      Delete
    </Button>
  );
}
