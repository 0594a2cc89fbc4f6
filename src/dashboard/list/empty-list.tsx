import { Button, EmptyState } from '@mantine/core';
import { FunnelIcon } from '@heroicons/react/24/outline';
import type { ComponentType, ReactNode, SVGProps } from 'react';
import type { ListState } from './list-state.ts';
import { t } from '../i18n/t.ts';

export interface EmptyListTexts {
  /** The title where the filters match no row: `No invoices match`. */
  noMatch: string;
  icon: ComponentType<SVGProps<SVGSVGElement>>;
  title: string;
  description: string;
}

interface Props extends EmptyListTexts {
  list: ListState<never>;
  /** The button that adds the first row. */
  children?: ReactNode;
}

/** Replaces an empty list: explains how to add the first row, or offers to clear filters that match no row. */
export function EmptyList({ list, noMatch, icon: Icon, title, description, children }: Props): ReactNode {
  if (list.filtered) {
    return (
      <EmptyState icon={<FunnelIcon width={40} aria-hidden />} title={noMatch} description={t('Try other filters.')}>
        <Button variant="default" onClick={list.clear}>
          {t('Clear filters')}
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
