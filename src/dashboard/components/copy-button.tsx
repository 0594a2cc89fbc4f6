import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { CheckIcon, ClipboardDocumentIcon } from '@heroicons/react/24/outline';
import { useState, type ReactNode } from 'react';
import { useAnnounce } from './announce.tsx';
import { copyText } from './copy-text.ts';
import { notifyError } from './toast.ts';
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
  const [copied, setCopied] = useState(false);
  const { start: resetLater } = useTimeout(() => setCopied(false), 2000);
  const copy = async (): Promise<void> => {
    try {
      await copyText(value);
    } catch {
      notifyError(t('Could not be copied. Select it, and copy it by hand.'));
      return;
    }
    setCopied(true);
    resetLater();
    announce(t('Copied.'));
  };
  const Icon = copied ? CheckIcon : ClipboardDocumentIcon;
  if (prominent) {
    return (
      <Button
        onClick={copy}
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
        onClick={copy}
        aria-label={t('Copy {name}', { name })}
      >
        <Icon width={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
