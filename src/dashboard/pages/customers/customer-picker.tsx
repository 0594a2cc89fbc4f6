import type { ReactNode } from 'react';
import { graphql } from '../../graphql.ts';
import { CustomerForm } from './customer-form.tsx';
import { Picker, type Creation, type PickerProps } from '../../forms/picker.tsx';
import { t } from '../../i18n/t.ts';

const FindQuery = graphql(`
  query FindCustomers($filter: CustomerFilter) {
    found: customers(first: 20, filter: $filter, orderBy: { field: COMPANY_NAME, direction: ASC }) {
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
  /** Default: customers and suppliers. */
  type?: 'CUSTOMER' | 'SUPPLIER';
  /** Whether a new one can be created: in forms, not in filters. */
  canCreate?: boolean;
}

const buildCreation = (type: 'CUSTOMER' | 'SUPPLIER'): Creation => ({
  title: type === 'CUSTOMER' ? t('Add a customer') : t('Add a supplier'),
  form: ({ name, onDone, onCancel }) => (
    <CustomerForm initial={{ type, companyName: name }} onDone={({ id }) => onDone(id)} onCancel={onCancel} />
  ),
});

export const CustomerPicker = ({ type, canCreate = false, ...rest }: Props): ReactNode => (
  <Picker
    find={FindQuery}
    where={{ type: { eq: type } }}
    get={NameQuery}
    creation={canCreate ? buildCreation(type ?? 'CUSTOMER') : undefined}
    {...rest}
  />
);
