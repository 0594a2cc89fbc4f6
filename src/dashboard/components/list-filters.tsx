import { Button, CloseButton, Group, Select, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { MagnifyingGlassIcon } from '@heroicons/react/24/outline';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { ListState } from '../list-state.ts';

/** A list's search field: what is typed goes to the address once one pauses. */
export function Search({ value, onChange, label }: SearchProps): ReactNode {
  const [typed, setTyped] = useState(value ?? '');
  const sent = useRef(value ?? '');
  const send = useDebouncedCallback((text: string) => {
    sent.current = text;
    onChange(text);
  }, 250);
  // Back, or a filter taken away from outside, changes what is typed as well.
  useEffect(() => {
    if ((value ?? '') === sent.current) return;
    sent.current = value ?? '';
    setTyped(sent.current);
  }, [value]);
  const type = (text: string): void => {
    setTyped(text);
    send(text);
  };
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
      leftSection={<MagnifyingGlassIcon width={16} aria-hidden />}
      rightSection={typed && <CloseButton size="sm" aria-label="Clear the search" onClick={() => type('')} />}
      w={{ base: '100%', xs: 280 }}
    />
  );
}

interface SearchProps {
  value: string | undefined;
  onChange: (value: string) => void;
  /** `Search invoices` */
  label: string;
}

interface ChoiceProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  options: { value: string; label: string }[];
  /** Of the choice that filters nothing. */
  all: string;
  searchable?: boolean;
}

/** A filter with a few values. */
export function Choice({ label, value, onChange, options, all, searchable }: ChoiceProps): ReactNode {
  return (
    <Select
      aria-label={label}
      placeholder={all}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      data={options}
      clearable
      clearButtonProps={{ 'aria-label': `Clear: ${label}` }}
      searchable={searchable ?? false}
      checkIconPosition="right"
      w={{ base: '100%', xs: 190 }}
    />
  );
}

interface DayProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A filter by day. */
export function Day({ label, value, onChange }: DayProps): ReactNode {
  return (
    <TextInput
      type="date"
      aria-label={label}
      leftSection={
        <Text size="xs" c="dimmed" aria-hidden>
          {label}
        </Text>
      }
      leftSectionWidth={46}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      w={{ base: '100%', xs: 190 }}
    />
  );
}

interface FiltersProps {
  children: ReactNode;
  list: Pick<ListState<never>, 'filtered' | 'clear'>;
}

/** The row of filters above a list. */
export function Filters({ children, list }: FiltersProps): ReactNode {
  return (
    <Group gap="xs" mb="sm" role="search">
      {children}
      {list.filtered && (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={list.clear}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}
