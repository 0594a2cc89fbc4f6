import { Button, EmptyState } from '@mantine/core';
import { FunnelIcon } from '@heroicons/react/24/outline';
import type { ComponentType, ReactNode, SVGProps } from 'react';
import type { ListState } from '../list-state.ts';

interface Props {
  list: Pick<ListState<never>, 'filtered' | 'clear'>;
  /** What its filters let through none of: `No invoice is like that`. */
  noMatch: string;
  icon: ComponentType<SVGProps<SVGSVGElement>>;
  title: string;
  description: string;
  /** What to do about it. */
  children?: ReactNode;
}

/** In place of a list's rows: there are none yet, and what to do about it; or none that its filters let through. */
export function EmptyList({ list, noMatch: unlike, icon: Icon, title, description, children }: Props): ReactNode {
  if (list.filtered) {
    return (
      <EmptyState
        icon={<FunnelIcon width={40} aria-hidden />}
        title={unlike}
        description="Other filters may find some."
      >
        <Button variant="default" onClick={list.clear}>
          Clear filters
        </Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<Icon width={40} aria-hidden />} title={title} description={description}>
      {children}
    </EmptyState>
  );
}
