import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../graphql.ts';

const FindQuery = graphql(`
  query FindCustomers($q: String, $type: CustomerType) {
    customers(first: 20, q: $q, type: $type, orderBy: { field: COMPANY_NAME, direction: ASC }) {
      nodes {
        id
        companyName
      }
    }
  }
`);

const NameQuery = graphql(`
  query CustomerName($id: UUID!) {
    customer(id: $id) {
      id
      companyName
    }
  }
`);

interface Props extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  label: string;
  /** Said to screen readers only. */
  hideLabel?: boolean;
  value: string | null;
  onChange: (id: string | null) => void;
  /** Default: both kinds. */
  type?: 'CUSTOMER' | 'SUPPLIER';
}

/** Chooses a customer or supplier by typing a part of the name: there may be a hundred thousand. */
export function CustomerPicker({ label, hideLabel, value, onChange, type, ...rest }: Props): ReactNode {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 200);
  const [named] = useQuery({
    query: NameQuery,
    variables: { id: value ?? '' },
    pause: !value,
    requestPolicy: 'cache-first',
  });
  const chosen = value && named.data?.customer.id === value ? named.data.customer : undefined;
  // The chosen one's own name stands in the field: that is no search.
  const search = q === chosen?.companyName ? '' : q;
  const [{ data, fetching }] = useQuery({ query: FindQuery, variables: { q: search || null, type: type ?? null } });
  const found = new Map((data?.customers.nodes ?? []).map(({ id, companyName }) => [id, companyName]));
  if (chosen) found.set(chosen.id, chosen.companyName);
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
      nothingFoundMessage={fetching ? 'Looking…' : 'Nobody is called that'}
      {...rest}
    />
  );
}
