import { Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';

/** Whether a page has room for a document beside its content. */
export const useIsWide = (): boolean | undefined =>
  useMediaQuery('(min-width: 75em)', false, { getInitialValueInEffect: false });

/** The page's content; beside it, in view while it is read, another part if there is one. */
export function Beside({ part, children }: { part: ReactNode; children: ReactNode }): ReactNode {
  return (
    <div className={part ? 'beside' : undefined}>
      <Stack gap="lg" miw={0}>
        {children}
      </Stack>
      {part && <div>{part}</div>}
    </div>
  );
}
