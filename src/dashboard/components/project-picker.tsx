import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../graphql.ts';

const FindQuery = graphql(`
  query FindProjects($q: String) {
    projects(first: 20, q: $q, orderBy: { field: NAME, direction: ASC }) {
      nodes {
        id
        name
      }
    }
  }
`);

const NameQuery = graphql(`
  query ProjectName($id: UUID!) {
    project(id: $id) {
      id
      name
    }
  }
`);

interface Props extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  label: string;
  /** Said to screen readers only. */
  hideLabel?: boolean;
  value?: string | null;
  onChange: (id: string | null) => void;
}

/** Chooses a project by typing a part of its name. */
export function ProjectPicker({ label, hideLabel, value = null, onChange, ...rest }: Props): ReactNode {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 200);
  const [named] = useQuery({
    query: NameQuery,
    variables: { id: value ?? '' },
    pause: !value,
    requestPolicy: 'cache-first',
  });
  const chosen = value && named.data?.project.id === value ? named.data.project : undefined;
  // The chosen one's own name stands in the field: that is no search.
  const search = q === chosen?.name ? '' : q;
  const [{ data, fetching }] = useQuery({ query: FindQuery, variables: { q: search || null } });
  const found = new Map((data?.projects.nodes ?? []).map(({ id, name }) => [id, name]));
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
      nothingFoundMessage={fetching ? 'Looking…' : 'No project is called that'}
      {...rest}
    />
  );
}
