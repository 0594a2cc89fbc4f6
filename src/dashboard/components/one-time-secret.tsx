import { Alert, Button, Code, Group, Stack } from '@mantine/core';
import { ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
  title: string;
  /** Undefined: nothing to show. */
  value: string | undefined;
  /** `the token` */
  what: string;
  /** What it is for, and how it is used. */
  children?: ReactNode;
  onClose: () => void;
}

/** A secret, for the only time. Closed by its button alone, so that no stray click loses it. */
export function OneTimeSecret({ title, value, what, children, onClose }: Props): ReactNode {
  return (
    <Dialog title={title} opened={value !== undefined} onClose={onClose} stays>
      <Stack>
        <Alert color="yellow" icon={<ExclamationTriangleIcon aria-hidden />}>
          Copy {what} now: it is shown this once, and can’t be shown again.
        </Alert>
        <Group gap="xs" wrap="nowrap" align="stretch">
          <Code
            block
            flex={1}
            aria-label={what}
            role="textbox"
            aria-readonly
            tabIndex={0}
            style={{ whiteSpace: 'normal', overflowWrap: 'anywhere', alignContent: 'center' }}
          >
            {value}
          </Code>
          <CopyButton value={value ?? ''} what={what} prominent />
        </Group>
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
