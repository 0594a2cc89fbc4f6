import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { useQuery, type TypedDocumentNode } from 'urql';
import { useFirstMatch } from './first-match.ts';
import { Dialog } from '../components/dialog.tsx';
import { t } from '../i18n/t.ts';

interface Option {
  id: string;
  name: string;
}

export interface PickerProps extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  label: string;
  /** Whether only screen readers get the label. */
  hideLabel?: boolean;
  value?: string | null;
  onChange: (id: string | null) => void;
}

/** How the picker creates a new option, in a dialog. */
export interface Creation {
  /** `Add a customer` */
  title: string;
  form: (props: { name: string; onDone: (id: string) => void; onCancel: () => void }) => ReactNode;
}

interface Sources<Filter extends { q?: string | null }> {
  /** Searches options by text, and returns the first page. */
  find: TypedDocumentNode<{ found: { nodes: readonly Option[] } }, { filter?: Filter | null }>;
  /** The filter that all options must match. */
  where: NoInfer<Filter>;
  /** Loads the selected option. */
  get: TypedDocumentNode<{ chosen: Option | null }, { id: string }>;
  /** Offers to create an option that has the typed text as its name. */
  creation?: Creation | undefined;
}

/** The value of the option that creates a new one. Ids are UUIDs, so it is no id. */
const create = 'create';

/**
 * Selects one of many options, which are searched on the server: there may be a hundred thousand. If none has the typed
 * name, a new one can be created.
 */
export function Picker<Filter extends { q?: string | null }>(props: PickerProps & Sources<Filter>): ReactNode {
  const { label, hideLabel, value = null, onChange, find, where, get, creation, ...rest } = props;
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 200);
  const [creating, setCreating] = useState<string>();
  const [selected] = useQuery({
    query: get,
    variables: { id: value ?? '' },
    pause: !value,
    requestPolicy: 'cache-first',
  });
  const chosen = value && selected.data?.chosen?.id === value ? selected.data.chosen : undefined;
  // The field shows the selected option's name, which is no search.
  const search = q === chosen?.name ? '' : q;
  const [{ data, fetching }] = useQuery({ query: find, variables: { filter: { ...where, q: search } } });
  const found = new Map((data?.found.nodes ?? []).map(({ id, name }) => [id, name]));
  if (chosen) found.set(chosen.id, chosen.name);
  const choices = [...found].map(([id, name]) => ({ value: id, label: name }));
  const name = typed.trim();
  const isNew = name !== '' && !choices.some((option) => option.label.toLowerCase() === name.toLowerCase());
  const isSearched = typed === q && !fetching; // else the list changes under the pointer
  if (creation && isNew && isSearched) choices.push({ value: create, label: t('Add “{name}”', { name }) });
  const enter = useFirstMatch(name !== '' && typed !== chosen?.name, isSearched);
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
      clearButtonProps={{ 'aria-label': t('Clear: {label}', { label }) }}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage={isSearched ? t('No matches') : t('Searching…')}
      {...rest}
      onKeyDownCapture={enter.onKeyDownCapture}
      onBlur={(event) => {
        enter.onBlur();
        rest.onBlur?.(event);
      }}
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
