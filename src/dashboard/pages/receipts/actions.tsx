import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  ArrowUturnLeftIcon,
  BanknotesIcon,
  CheckIcon,
  PencilSquareIcon,
  ReceiptRefundIcon,
} from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { useLocation } from 'wouter';
import { DeleteButton } from '../../components/delete-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ReverseForm } from '../../components/reverse-form.tsx';
import { notifySuccess, notifyError } from '../../components/toast.ts';
import { minus } from '../../format/decimal.ts';
import { amountField, decimalField } from '../../forms/form-values.ts';
import { graphql } from '../../graphql.ts';
import { isShown } from './attachments.tsx';
import { FileAndForm, wideDialog } from './file/file-and-form.tsx';
import { FoldedFile } from './file/file-panel.tsx';
import { StoredFile } from './file/stored-file.tsx';
import { getName, type Receipt } from './fields.ts';
import { buildLineValues, negate } from './line-values.ts';
import { BookReceipt, DeleteReceipt } from './mutations.ts';
import { ReceiptPaymentForm } from './payment-form.tsx';
import { ReceiptForm } from './receipt-form.tsx';
import { t } from '../../i18n/t.ts';

const ReverseReceipt = graphql(`
  mutation ReverseReceipt($id: UUID!, $reason: String) {
    reverseReceipt(id: $id, reason: $reason) {
      id
    }
  }
`);

/** The actions that a receipt's state allows. A draft is edited or deleted, a booked receipt without payments reversed. */
export function ReceiptActions({ receipt }: { receipt: Receipt }): ReactNode {
  const { status, payments } = receipt;
  const [paying, pay] = useDisclosure();
  const [editing, edit] = useDisclosure();
  const [reversing, reversal] = useDisclosure();
  const [crediting, credit] = useDisclosure();
  const file = receipt.attachments.find(isShown);
  const isBooked = status === 'BOOKED' || status === 'PAID';
  const [, navigate] = useLocation();
  const [, remove] = useMutation(DeleteReceipt);
  const [, reverse] = useMutation(ReverseReceipt);
  const hasPayments = payments.nodes.some(({ reversalOfId, reversedAt }) => !reversalOfId && !reversedAt);
  return (
    <>
      {status === 'DRAFT' && <Book receipt={receipt} />}
      {status === 'BOOKED' && (
        <Button leftSection={<BanknotesIcon width={18} aria-hidden />} onClick={pay.open}>
          {t('Record a payment')}
        </Button>
      )}
      {status === 'DRAFT' && (
        <>
          <Button variant="default" leftSection={<PencilSquareIcon width={18} aria-hidden />} onClick={edit.open}>
            {t('Edit')}
          </Button>
          <DeleteButton
            name={getName(receipt)}
            question={t('Delete the receipt?')}
            remove={() => remove({ id: receipt.id })}
            list="/receipts"
          />
        </>
      )}
      {isBooked && receipt.creditedReceiptId === null && (
        <Button variant="default" leftSection={<ReceiptRefundIcon width={18} aria-hidden />} onClick={credit.open}>
          {t('Add a credit')}
        </Button>
      )}
      {isBooked && !hasPayments && (
        <Button variant="default" leftSection={<ArrowUturnLeftIcon width={18} aria-hidden />} onClick={reversal.open}>
          {t('Reverse')}
        </Button>
      )}
      {/* Shown in every state: their input stays when the receipt is paid elsewhere. */}
      <Dialog title={t('Record a payment')} opened={paying} onClose={pay.close} size="md">
        <ReceiptPaymentForm receipt={receipt} onClose={pay.close} />
      </Dialog>
      <Dialog title={t('Edit the receipt')} opened={editing} onClose={edit.close} size={file ? wideDialog : 'lg'}>
        <FileAndForm
          isShown={file !== undefined}
          file={
            file && (
              <FoldedFile
                name={file.filename}
                size={file.length}
                view={<StoredFile key={file.id} attachment={file} />}
              />
            )
          }
        >
          <ReceiptForm receipt={receipt} onCancel={edit.close} onDone={edit.close} />
        </FileAndForm>
      </Dialog>
      <Dialog title={t('Add a credit')} opened={crediting} onClose={credit.close}>
        <ReceiptForm
          creditedReceiptId={receipt.id}
          initial={{
            supplierId: receipt.supplier?.id ?? null,
            currency: receipt.currency,
            amountGross: amountField(minus('0', receipt.amountGross) ?? '', receipt.currency),
            vatRate: decimalField(receipt.vatRate ?? '0'),
            lines: buildLineValues({ currency: receipt.currency, lines: receipt.lines.map(negate) }),
          }}
          onCancel={credit.close}
          onDone={(id) => navigate(`/receipts/${id}`)}
        />
      </Dialog>
      <Dialog title={t('Reverse the receipt?')} opened={reversing} onClose={reversal.close} size="md">
        <ReverseForm
          consequence={t('{name} stays as it is, and a receipt with the opposite amounts takes it back.', {
            name: getName(receipt),
          })}
          submit={t('Reverse')}
          reverse={(reason, context) => reverse({ id: receipt.id, reason }, context)}
          onDone={() => {
            notifySuccess(t('The receipt is reversed.'));
            reversal.close();
          }}
          onCancel={reversal.close}
        />
      </Dialog>
    </>
  );
}

function Book({ receipt: { id } }: { receipt: Receipt }): ReactNode {
  const [{ fetching }, book] = useMutation(BookReceipt);
  const bookNow = async (): Promise<void> => {
    const { error } = await book({ id });
    if (error) notifyError(error);
    else notifySuccess(t('The receipt is booked.'));
  };
  return (
    <Button loading={fetching} leftSection={<CheckIcon width={18} aria-hidden />} onClick={bookNow}>
      {t('Book')}
    </Button>
  );
}
