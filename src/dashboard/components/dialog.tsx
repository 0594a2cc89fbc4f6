import { Modal, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface Props {
  title: string;
  opened: boolean;
  onClose: () => void;
  size?: string | number;
  /** Whether only a button in it closes it. */
  stays?: boolean;
  children: ReactNode;
}

/** A dialogue over the page; the whole screen on a phone. What is in it starts anew each time. */
export function Dialog({ title, opened, onClose, size = 'lg', stays = false, children }: Props): ReactNode {
  const phone = useMediaQuery('(max-width: 36em)');
  return (
    <Modal
      title={
        <Text component="span" fw={600} size="lg">
          {title}
        </Text>
      }
      opened={opened}
      onClose={onClose}
      size={size}
      fullScreen={phone ?? false}
      withCloseButton={!stays}
      closeOnEscape={!stays}
      closeOnClickOutside={false}
    >
      {children}
    </Modal>
  );
}
