import { Modal, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { FormScopeContext, mayDiscard, type FormScope } from '../forms/unsaved.ts';

interface Props {
  title: string;
  opened: boolean;
  onClose: () => void;
  size?: string | number;
  /** Whether only a button in it closes it. */
  stays?: boolean;
  children: ReactNode;
}

/**
 * A dialog over the page; the whole screen on a phone. What is in it starts anew each time. It asks before it closes over
 * a form with something unsaved.
 */
export function Dialog({ title, opened, onClose, size = 'lg', stays = false, children }: Props): ReactNode {
  const [forms] = useState<FormScope>(() => new Set());
  const close = async (): Promise<void> => {
    if (await mayDiscard(forms)) onClose();
  };
  const phone = useMediaQuery('(max-width: 36em)');
  return (
    <Modal
      title={
        <Text component="span" fw={600} size="lg">
          {title}
        </Text>
      }
      opened={opened}
      onClose={() => void close()}
      size={size}
      fullScreen={phone ?? false}
      withCloseButton={!stays}
      closeOnEscape={!stays}
      closeOnClickOutside={false}
    >
      <FormScopeContext value={forms}>{children}</FormScopeContext>
    </Modal>
  );
}
