import type { ReactNode } from 'react';
import { graphql } from '../graphql.ts';
import { Picker, type PickerProps } from './picker.tsx';

const FindQuery = graphql(`
  query FindCustomers($q: String, $type: CustomerType) {
    found: customers(first: 20, q: $q, type: $type, orderBy: { field: COMPANY_NAME, direction: ASC }) {
      nodes {
        id
        name: companyName
      }
    }
  }
`);

const NameQuery = graphql(`
  query CustomerName($id: UUID!) {
    chosen: customer(id: $id) {
      id
      name: companyName
    }
  }
`);

interface Props extends PickerProps {
  /** Default: both kinds. */
  type?: 'CUSTOMER' | 'SUPPLIER';
}

export const CustomerPicker = ({ type, ...rest }: Props): ReactNode => (
  <Picker find={FindQuery} among={{ type: type ?? null }} get={NameQuery} {...rest} />
);
