import { Button, CloseButton, Collapse, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDisclosure, useMediaQuery } from '@mantine/hooks';
import { AdjustmentsHorizontalIcon, MagnifyingGlassIcon } from '@heroicons/react/24/outline';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { ListState } from './list-state.ts';

/** A list's search field. The text goes into the address when the user stops typing (debounced). */
export function Search({ value, onChange, label }: SearchProps): ReactNode {
  const [typed, setTyped] = useState(value ?? '');
  const sent = useRef(value ?? '');
  const send = useDebouncedCallback((text: string) => {
    sent.current = text;
    onChange(text);
  }, 250);
  // The browser's Back, or clearing the filters, changes the text as well.
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
      w={{ sm: 280 }}
      flex={{ base: 1, sm: 'none' }}
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
      w={{ base: '100%', sm: 190 }}
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
      w={{ base: '100%', sm: 190 }}
    />
  );
}

interface FiltersProps {
  /** The field that searches, which stays in sight on a phone. */
  search?: ReactNode;
  /** All others, which a phone keeps behind a button. */
  children: ReactNode;
  list: Pick<ListState<never>, 'filters' | 'filtered' | 'clear'>;
}

/** The filters above a list: in a row, or behind a button on a phone, so that the list itself is on the first screen. */
export function Filters({ search, children, list }: FiltersProps): ReactNode {
  const phone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const [opened, { toggle }] = useDisclosure();
  const clear = list.filtered && (
    <Button variant="subtle" color="gray" size="compact-sm" onClick={list.clear}>
      Clear filters
    </Button>
  );
  if (!phone) {
    return (
      <Group gap="xs" mb="sm" role="search">
        {search}
        {children}
        {clear}
      </Group>
    );
  }
  const active = Object.keys(list.filters).filter((name) => name !== 'q').length;
  return (
    <Stack gap="xs" mb="sm" role="search">
      <Group gap="xs" wrap="nowrap">
        {search}
        <Button
          variant={active > 0 ? 'light' : 'default'}
          leftSection={<AdjustmentsHorizontalIcon width={18} aria-hidden />}
          aria-expanded={opened}
          onClick={toggle}
        >
          {active > 0 ? `Filters (${active})` : 'Filters'}
        </Button>
        {!search && clear}
      </Group>
      <Collapse expanded={opened}>
        <Stack gap="xs">{children}</Stack>
      </Collapse>
      {search && clear && <Group>{clear}</Group>}
    </Stack>
  );
}
