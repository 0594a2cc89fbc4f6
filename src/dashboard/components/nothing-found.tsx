import { Button, EmptyState } from '@mantine/core';
import { FunnelIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';

/** In place of the rows of a list whose filters let none through. */
export function NothingFound({ title, clear }: { title: string; clear: () => void }): ReactNode {
  return (
    <EmptyState icon={<FunnelIcon width={40} aria-hidden />} title={title} description="Other filters may find some.">
      <Button variant="default" onClick={clear}>
        Clear filters
      </Button>
    </EmptyState>
  );
}
