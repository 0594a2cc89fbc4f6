import { Group, Text, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { count, money } from '../format/format.ts';
import type { Figures } from './figures.ts';
import { firstPage } from './list-state.ts';

export interface Tab {
  /** The filter's value; undefined: all rows. */
  value?: string;
  label: string;
  /** Undefined while they are loading. */
  figures: Figures | undefined;
}

interface Props {
  label: string;
  /** The name of the filter that the tabs set. */
  filter: string;
  tabs: Tab[];
}

const scrollTo = (tab: HTMLElement | null): void => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

/** Links above a list that choose its rows by one filter, with the number and the sum of each. */
export function ListTabs({ label, filter, tabs }: Props): ReactNode {
  const [path] = useLocation();
  const [search] = useSearchParams();
  const chosen = search.get(filter) ?? undefined;
  return (
    <Group component="nav" className="tabs" aria-label={label} gap={0} align="stretch" wrap="nowrap" mb="sm">
      {tabs.map(({ value, label: name, figures }) => {
        const next = firstPage(search);
        if (value === undefined) next.delete(filter);
        else next.set(filter, value);
        const isCurrent = value === chosen;
        return (
          <UnstyledButton
            key={name}
            component={Link}
            className="tab"
            to={`${path}?${next.toString()}`}
            aria-current={isCurrent ? 'page' : undefined}
            ref={isCurrent ? scrollTo : undefined}
          >
            <Text component="span" size="sm">
              {name}{' '}
              <Text component="span" inherit c="dimmed" fw={400} className="numbers">
                {figures && count(figures.count)}
              </Text>
            </Text>
            <Text component="span" size="xs" c="dimmed" className="numbers figure">
              {figures?.sum ? money(figures.sum.amount, figures.sum.currency) : ' '}
            </Text>
          </UnstyledButton>
        );
      })}
    </Group>
  );
}
