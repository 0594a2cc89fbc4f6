import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { useQuery, type TypedDocumentNode } from 'urql';
import { Dialog } from '../components/dialog.tsx';

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

/** How the picker creates a new option. */
export interface Creation {
  /** `Add a customer` */
  title: string;
  form: (made: { name: string; onDone: (id: string) => void; onCancel: () => void }) => ReactNode;
}

interface Sources<Filter extends object> {
  /** Searches options by text, and returns the first ones. */
  find: TypedDocumentNode<{ found: { nodes: readonly Named[] } }, { q?: string | null } & Filter>;
  /** What else they must be. */
  among: Filter;
  /** Loads the selected option. */
  get: TypedDocumentNode<{ chosen: Named }, { id: string }>;
  /** Creates an option from the typed text, where that is possible. */
  creation?: Creation | undefined;
}

// Not an id: ids are UUIDs.
const create = 'create';

/**
 * Chooses one of many by typing a part of its name: there may be a hundred thousand. Where none is called that, it can be
 * made on the spot.
 */
export function Picker<Filter extends object>(props: PickerProps & Sources<Filter>): ReactNode {
  const { label, hideLabel, value = null, onChange, find, among, get, creation, ...rest } = props;
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 200);
  const [creating, setCreating] = useState<string>();
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
  const choices = [...found].map(([id, name]) => ({ value: id, label: name }));
  const name = typed.trim();
  const isNew = name !== '' && !choices.some((option) => option.label.toLowerCase() === name.toLowerCase());
  if (creation && isNew && !fetching) choices.push({ value: create, label: `Add “${name}”` });
  const choose = (id: string | null): void => {
    if (id !== create) return onChange(id);
    setCreating(name);
    setTyped(chosen?.name ?? '');
  };
  const close = (): void => setCreating(undefined);
  const finish = (id: string): void => {
    close();
    onChange(id);
  };
  const select = (
    <Select
      {...(hideLabel ? { 'aria-label': label } : { label })}
      data={choices}
      value={value}
      onChange={choose}
      searchable
      searchValue={typed}
      clearable
      clearButtonProps={{ 'aria-label': `Clear: ${label}` }}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage={fetching ? 'Looking…' : 'No matches'}
      {...rest}
    />
  );
  if (!creation) return select;
  return (
    <>
      {select}
      <Dialog title={creation.title} opened={creating !== undefined} onClose={close}>
        {creating !== undefined && creation.form({ name: creating, onDone: finish, onCancel: close })}
      </Dialog>
    </>
  );
}
