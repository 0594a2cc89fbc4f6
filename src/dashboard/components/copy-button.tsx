import { ActionIcon, Button, CopyButton as Copy, Tooltip } from '@mantine/core';
import { CheckIcon, ClipboardDocumentIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useAnnounce } from './announce.tsx';
import { t } from '../i18n/t.ts';

interface Props {
  value: string;
  /** The name of the copied value: `the token`. */
  name: string;
  /** Shows a labelled button, for places where copying is the main action. */
  prominent?: boolean;
}

export function CopyButton({ value, name, prominent }: Props): ReactNode {
  const announce = useAnnounce();
  return (
    <Copy value={value} timeout={2000}>
      {({ copied, copy }) => {
        const copyAndAnnounce = (): void => {
          copy();
          announce(t('Copied.'));
        };
        const Icon = copied ? CheckIcon : ClipboardDocumentIcon;
        if (prominent) {
          return (
            <Button
              onClick={copyAndAnnounce}
              leftSection={<Icon width={18} aria-hidden />}
              aria-label={t('Copy {name}', { name })}
              w={120}
            >
              {copied ? t('Copied') : t('Copy')}
            </Button>
          );
        }
        return (
          <Tooltip label={copied ? t('Copied') : t('Copy {name}', { name })}>
            <ActionIcon
              variant="subtle"
              color={copied ? 'teal' : 'gray'}
              size={26}
              onClick={copyAndAnnounce}
              aria-label={t('Copy {name}', { name })}
            >
              <Icon width={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        );
      }}
    </Copy>
  );
}
