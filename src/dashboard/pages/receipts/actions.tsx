import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { BanknotesIcon, CheckIcon, PencilSquareIcon, TrashIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { useLocation } from 'wouter';
import { confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { done, failed } from '../../components/toast.ts';
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

/** What can be done with a receipt as it stands. What is paid of must be undone first. */
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
      {/* What is typed in them stays, also where the receipt was paid meanwhile. */}
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
  const enter = async (): Promise<void> => {
    const { error } = await book({ id });
    if (error) failed(error);
    else done('The receipt is booked: it is to be paid.');
  };
  return (
    <Button loading={fetching} leftSection={<CheckIcon width={18} aria-hidden />} onClick={enter}>
      Book
    </Button>
  );
}

function Remove({ receipt }: { receipt: Receipt }): ReactNode {
  const [, navigate] = useLocation();
  const [, remove] = useMutation(DeleteReceipt);
  const ask = async (): Promise<void> => {
    const sure = await confirm({
      title: 'Delete the receipt?',
      children: `${nameOf(receipt)} is deleted for good.`,
      confirm: 'Delete',
      danger: true,
    });
    if (!sure) return;
    const { error } = await remove({ id: receipt.id });
    if (error) return failed(error);
    done(`${nameOf(receipt)} is deleted.`);
    navigate('/receipts');
  };
  return (
    <Button variant="default" c="red" leftSection={<TrashIcon width={18} aria-hidden />} onClick={ask}>
      Delete
    </Button>
  );
}
