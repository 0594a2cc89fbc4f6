import { Button } from '@mantine/core';
import { TrashIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { useLocation } from 'wouter';
import { confirm } from './confirm.tsx';
import { notifyError, notifySuccess } from './toast.ts';
import { t } from '../i18n/t.ts';

interface Props {
  /** The name of the row: `Invoice 2026-0001`. */
  name: string;
  /** The title of the confirmation: `Delete the customer?` */
  question: string;
  /** Which rows can't be deleted. */
  note?: string;
  remove: () => Promise<{ error?: CombinedError }>;
  /** The list that opens afterwards. */
  list: string;
}

/** Deletes the row of the current page, after a confirmation. */
export function DeleteButton({ name, question, note, remove, list }: Props): ReactNode {
  const [, navigate] = useLocation();
  const confirmAndRemove = async (): Promise<void> => {
    const confirmed = await confirm({
      title: question,
      children: [t('{name} is deleted permanently.', { name }), note].filter(Boolean).join(' '),
      confirm: t('Delete'),
      danger: true,
    });
    if (!confirmed) return;
    const { error } = await remove();
    if (error) return notifyError(error);
    notifySuccess(t('{name} is deleted.', { name }));
    navigate(list);
  };
  return (
    <Button variant="default" c="red" leftSection={<TrashIcon width={18} aria-hidden />} onClick={confirmAndRemove}>
      {t('Delete')}
    </Button>
  );
}
