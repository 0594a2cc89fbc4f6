import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { BanknotesIcon, CheckIcon, PencilSquareIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { DeleteButton } from '../../components/delete-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { notifySuccess, notifyError } from '../../components/toast.ts';
import { graphql } from '../../graphql.ts';
import { getName, type Receipt } from './fields.ts';
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
  const [, remove] = useMutation(DeleteReceipt);
  return (
    <>
      {status === 'DRAFT' && <Book receipt={receipt} />}
      {status === 'BOOKED' && (
        <Button leftSection={<BanknotesIcon width={18} aria-hidden />} onClick={pay.open}>
          Record a payment
        </Button>
      )}
      {payments.nodes.length === 0 && (
        <>
          <Button variant="default" leftSection={<PencilSquareIcon width={18} aria-hidden />} onClick={edit.open}>
            Edit
          </Button>
          <DeleteButton
            name={getName(receipt)}
            question="Delete the receipt?"
            remove={() => remove({ id: receipt.id })}
            list="/receipts"
          />
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
