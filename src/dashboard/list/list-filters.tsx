import { Box, Button, CloseButton, Collapse, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDisclosure, useMediaQuery } from '@mantine/hooks';
import { AdjustmentsHorizontalIcon, MagnifyingGlassIcon } from '@heroicons/react/24/outline';
import { Children, useEffect, useRef, useState, type ReactNode } from 'react';
import type { ListState } from './list-state.ts';
import { t } from '../i18n/t.ts';

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
      rightSection={typed && <CloseButton size="sm" aria-label={t('Clear the search')} onClick={() => type('')} />}
      w={{ sm: 280, md: 'auto' }}
      flex={{ base: 1, sm: 'none', md: '1 1 180px' }}
      maw={{ md: 280 }}
    />
  );
}

interface SearchProps extends FilterProps {
  /** `Search invoices` */
  label: string;
}

/** A filter's value in the URL, and how it is changed. Undefined: not set. */
interface FilterProps {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** Renders a filter. */
export type Filter = (props: FilterProps) => ReactNode;

/** Five filters, the search field, and what clears them have room beside each other at 1440 pixels. */
const widths = {
  w: { base: '100%', sm: 190, md: 'auto' },
  flex: { md: '1 1 130px' },
  maw: { md: 190 },
} as const;

interface ChoiceProps extends FilterProps {
  label: string;
  options: { value: string; label: string }[];
  /** The placeholder while the filter is not set: `All states`. */
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
      clearButtonProps={{ 'aria-label': t('Clear: {label}', { label }) }}
      searchable={searchable ?? false}
      checkIconPosition="right"
      {...widths}
    />
  );
}

/** A picker's props for use as a filter. */
export const pickerFilter = ({ value, onChange }: FilterProps) => ({
  hideLabel: true,
  value: value ?? null,
  onChange: (id: string | null): void => onChange(id ?? undefined),
  ...widths,
});

/** The filters for a period, by its first and its last day. */
export const period: Record<'from' | 'to', Filter> = {
  from: (filter) => <Day label={t('From')} {...filter} />,
  to: (filter) => <Day label={t('To')} {...filter} />,
};

/** A filter for one day. */
export function Day({ label, value, onChange }: FilterProps & { label: string }): ReactNode {
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
      {...widths}
    />
  );
}

interface FiltersProps {
  list: ListState<never>;
  /** The search field. It is always visible. */
  search?: ReactNode;
  /** The other filters. On a phone they are behind a button. */
  children: ReactNode;
}

/**
 * The filters above a list: in a row, or behind a button on a phone, so that the first rows fit on the screen. Nothing, if
 * the list has none.
 */
export function Filters({ search, children, list }: FiltersProps): ReactNode {
  const phone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const [opened, { toggle }] = useDisclosure();
  if (!search && Children.count(children) === 0) return null;
  const clear = list.filtered && (
    <Button variant="subtle" color="gray" size="compact-sm" onClick={list.clear}>
      {t('Clear filters')}
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
          {active > 0 ? t('Filters ({count})', { count: active }) : t('Filters')}
        </Button>
        {search ? clear && <Box visibleFrom="xs">{clear}</Box> : clear}
      </Group>
      <Collapse expanded={opened}>
        <Stack gap="xs">
          {children}
          {search && clear && <Group hiddenFrom="xs">{clear}</Group>}
        </Stack>
      </Collapse>
    </Stack>
  );
}
