import { Modal, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useRef, useState, type ReactNode } from 'react';
import { useInitialFocus } from './initial-focus.ts';
import { confirmDiscard, FormScopeContext, type FormScope } from '../forms/unsaved.ts';

interface Props {
  title: string;
  opened: boolean;
  onClose: () => void;
  size?: string | number;
  /** Whether only a button in the dialog closes it. */
  persistent?: boolean;
  children: ReactNode;
}

/**
 * A dialog over the page, or the whole screen on a phone. Its content is mounted anew each time it opens. Closing it asks
 * for confirmation if a form in it has unsaved input.
 */
export function Dialog({ title, opened, onClose, size = 'lg', persistent = false, children }: Props): ReactNode {
  const [forms] = useState<FormScope>(() => new Set());
  const close = async (): Promise<void> => {
    if (await confirmDiscard(forms)) onClose();
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
      withCloseButton={!persistent}
      closeOnEscape={!persistent}
      closeOnClickOutside={false}
    >
      <FormScopeContext value={forms}>
        <Content isOpen={opened}>{children}</Content>
      </FormScopeContext>
    </Modal>
  );
}

function Content({ isOpen, children }: { isOpen: boolean; children: ReactNode }): ReactNode {
  const content = useRef<HTMLDivElement>(null);
  useInitialFocus(content);
  // It is still there while the dialog vanishes. The second click of a double click would do the same once more.
  return (
    <div ref={content} tabIndex={-1} style={{ outline: 'none' }} inert={!isOpen}>
      {children}
    </div>
  );
}
