import { Alert, Button, Code, Group, Stack } from '@mantine/core';
import { ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { t } from '../i18n/t.ts';

interface Props {
  title: string;
  /** Undefined closes the dialog. */
  value: string | undefined;
  /** `the token` */
  name: string;
  /** Explains how the secret is used. */
  children?: ReactNode;
  onClose: () => void;
}

/** Shows a secret once. Only the button closes the dialog, so that no stray click loses the secret. */
export function OneTimeSecret({ title, value, name, children, onClose }: Props): ReactNode {
  return (
    <Dialog title={title} opened={value !== undefined} onClose={onClose} persistent>
      <Stack>
        <Alert color="yellow" icon={<ExclamationTriangleIcon aria-hidden />}>
          {t('Copy {name} now. You won’t be able to see it again.', { name })}
        </Alert>
        <Group gap="xs" wrap="nowrap" align="stretch">
          <Code
            block
            flex={1}
            aria-label={name}
            role="textbox"
            aria-readonly
            tabIndex={0}
            style={{ whiteSpace: 'normal', overflowWrap: 'anywhere', alignContent: 'center' }}
          >
            {value}
          </Code>
          <CopyButton value={value ?? ''} name={name} prominent />
        </Group>
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('Done')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
