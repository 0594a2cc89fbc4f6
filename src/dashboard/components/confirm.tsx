import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';

export interface Question {
  /** `Delete the webhook?` */
  title: string;
  /** What will happen, and whether it can be undone. */
  children: ReactNode;
  /** What the button does: `Delete`. */
  confirm: string;
  danger?: boolean;
  /** What the other button says. Default: `Cancel`. */
  cancel?: string;
}

/** Asks before something is done; answers whether it shall be. */
export const confirm = ({ title, children, confirm: label, cancel = 'Cancel', danger }: Question): Promise<boolean> =>
  new Promise((resolve) => {
    modals.openConfirmModal({
      title: (
        <Text component="span" fw={600}>
          {title}
        </Text>
      ),
      children: <Text size="sm">{children}</Text>,
      labels: { confirm: label, cancel },
      confirmProps: danger ? { color: 'red' } : {},
      // Above a dialog that is open already.
      zIndex: 300,
      onConfirm: () => resolve(true),
      onClose: () => resolve(false),
    });
  });
