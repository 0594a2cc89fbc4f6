import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';
import { t } from '../i18n/t.ts';

interface Confirmation {
  /** `Delete the webhook?` */
  title: string;
  /** The consequences, and whether they can be undone. */
  children: ReactNode;
  /** The label of the confirm button: `Delete`. */
  confirm: string;
  danger?: boolean;
  /** The label of the cancel button. Default: `Cancel`. */
  cancel?: string;
}

const autofocus = { 'data-autofocus': true } as const;

/** Asks for confirmation. @returns whether the user confirmed */
export const confirm = ({
  title,
  children,
  confirm: label,
  cancel = t('Cancel'),
  danger,
}: Confirmation): Promise<boolean> =>
  new Promise((resolve) => {
    modals.openConfirmModal({
      title: (
        <Text component="span" fw={600}>
          {title}
        </Text>
      ),
      children: <Text size="sm">{children}</Text>,
      labels: { confirm: label, cancel },
      // The first focus: Enter confirms, unless something would be lost.
      cancelProps: danger ? autofocus : {},
      confirmProps: danger ? { color: 'red' } : autofocus,
      // Above an open dialog.
      zIndex: 300,
      onConfirm: () => resolve(true),
      onClose: () => resolve(false),
    });
  });
