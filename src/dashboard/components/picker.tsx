import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { useQuery, type TypedDocumentNode } from 'urql';

interface Named {
  id: string;
  name: string;
}

export interface PickerProps extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  label: string;
  /** Said to screen readers only. */
  hideLabel?: boolean;
  value?: string | null;
  onChange: (id: string | null) => void;
}

interface Sources<Filter extends object> {
  /** The first of those that a text finds. */
  find: TypedDocumentNode<{ found: { nodes: readonly Named[] } }, { q?: string | null } & Filter>;
  /** What else they must be. */
  among: Filter;
  /** The one that is chosen already. */
  get: TypedDocumentNode<{ chosen: Named }, { id: string }>;
}

/** Chooses one of many by typing a part of its name: there may be a hundred thousand. */
export function Picker<Filter extends object>(props: PickerProps & Sources<Filter>): ReactNode {
  const { label, hideLabel, value = null, onChange, find, among, get, ...rest } = props;
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 200);
  const [named] = useQuery({
    query: get,
    variables: { id: value ?? '' },
    pause: !value,
    requestPolicy: 'cache-first',
  });
  const chosen = value && named.data?.chosen.id === value ? named.data.chosen : undefined;
  // The chosen one's own name stands in the field: that is no search.
  const search = q === chosen?.name ? '' : q;
  const [{ data, fetching }] = useQuery({ query: find, variables: { ...among, q: search || null } });
  const found = new Map((data?.found.nodes ?? []).map(({ id, name }) => [id, name]));
  if (chosen) found.set(chosen.id, chosen.name);
  return (
    <Select
      {...(hideLabel ? { 'aria-label': label } : { label })}
      data={[...found].map(([id, name]) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Clear: ${label}` }}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage={fetching ? 'Looking…' : 'Nothing is called that'}
      {...rest}
    />
  );
}
