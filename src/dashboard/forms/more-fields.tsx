import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ChevronDownIcon, ChevronUpIcon } from '@heroicons/react/24/outline';
import { useEffect, useId, type ReactNode } from 'react';

interface Props {
  /** The name of the fields that are folded away: `More details`. */
  label: string;
  /** For a form with several such parts: `More, line 2`. */
  ariaLabel?: string;
  /** Whether it is open at first: because its fields have values. */
  initiallyOpen?: boolean;
  /** Whether one of its fields has an error: it opens then. */
  hasError: boolean;
  children: ReactNode;
}

/** Whether rarely needed fields are shown. They open where one has an error. */
export function useMoreFields(initiallyOpen: boolean, hasError: boolean) {
  const [opened, { toggle, open }] = useDisclosure(initiallyOpen);
  const id = useId();
  useEffect(() => {
    if (hasError) open();
  }, [hasError, open]);
  const Chevron = opened ? ChevronUpIcon : ChevronDownIcon;
  return {
    opened,
    id,
    button: {
      'aria-expanded': opened,
      'aria-controls': id,
      rightSection: <Chevron width={16} aria-hidden />,
      onClick: toggle,
    },
  };
}

/** Fields that are rarely needed, folded away. They stay in the page, so that their values and errors do. */
export function MoreFields({ label, ariaLabel, initiallyOpen = false, hasError, children }: Props): ReactNode {
  const { opened, id, button } = useMoreFields(initiallyOpen, hasError);
  return (
    <div>
      <Button variant="subtle" color="gray" size="compact-sm" aria-label={ariaLabel} {...button}>
        {label}
      </Button>
      <Stack id={id} gap="md" mt="xs" display={opened ? undefined : 'none'}>
        {children}
      </Stack>
    </div>
  );
}
