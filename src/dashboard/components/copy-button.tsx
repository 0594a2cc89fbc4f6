import { ActionIcon, Button, CopyButton as Copy, Tooltip } from '@mantine/core';
import { CheckIcon, ClipboardDocumentIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useAnnounce } from './announce.tsx';

interface Props {
  value: string;
  /** What is copied: `the token`. */
  what: string;
  /** A button with a label, where copying is the main action. */
  prominent?: boolean;
}

export function CopyButton({ value, what, prominent }: Props): ReactNode {
  const announce = useAnnounce();
  return (
    <Copy value={value} timeout={2000}>
      {({ copied, copy }) => {
        const copyAndSay = (): void => {
          copy();
          announce('Copied.');
        };
        const Icon = copied ? CheckIcon : ClipboardDocumentIcon;
        if (prominent) {
          return (
            <Button
              onClick={copyAndSay}
              leftSection={<Icon width={18} aria-hidden />}
              aria-label={`Copy ${what}`}
              w={120}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          );
        }
        return (
          <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
            <ActionIcon
              variant="subtle"
              color={copied ? 'teal' : 'gray'}
              size={26}
              onClick={copyAndSay}
              aria-label={`Copy ${what}`}
            >
              <Icon width={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        );
      }}
    </Copy>
  );
}
