import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { t } from '../i18n/t.ts';

/** Long enough to read it, and to reach its button. In milliseconds. */
const shownFor = 15_000;

/** The message that is shown: one, so that its button undoes what was done last. */
let shown: string | undefined;

/**
 * Shows that an action succeeded, with a button that undoes it.
 * @returns what the button does, for a key
 */
export function notifyUndoable(message: string, undo: () => unknown): () => void {
  if (shown) notifications.hide(shown);
  let isDone = false;
  const undoOnce = (): void => {
    notifications.hide(id);
    if (!isDone) undo();
    isDone = true;
  };
  const id = notifications.show({
    message: <Message text={message} undo={undoOnce} />,
    color: 'teal',
    autoClose: shownFor,
    closeButtonProps: { 'aria-label': t('Dismiss') },
  });
  shown = id;
  return undoOnce;
}

const Message = ({ text, undo }: { text: string; undo: () => void }): ReactNode => (
  <Group gap="sm" justify="space-between" wrap="nowrap">
    <span>{text}</span>
    <Button variant="light" size="compact-sm" onClick={undo}>
      {t('Undo')}
    </Button>
  </Group>
);
