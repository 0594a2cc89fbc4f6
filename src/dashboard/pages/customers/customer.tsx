import { Button, EmptyState, Skeleton, Stack, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { DocumentTextIcon, PencilSquareIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { Link, useParams } from 'wouter';
import { DeleteButton } from '../../components/delete-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { LoadError } from '../../errors/error-boundary.tsx';
import { DescriptionList, ownItems } from '../../components/description-list.tsx';
import { Page } from '../../layout/page.tsx';
import { country, label, language } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { useListState } from '../../list/list-state.ts';
import { requiredEInvoices } from '../invoices/formats.ts';
import { InvoiceTable } from '../invoices/invoice-table.tsx';
import { Changes } from '../audit-log/changes.tsx';
import { Credit } from './credit.tsx';
import { DeleteCustomer } from './mutations.ts';
import { CustomerForm } from './customer-form.tsx';
import { CustomerFields, type Customer } from './fields.ts';
import { t } from '../../i18n/t.ts';

const CustomerQuery = graphql(
  `
    query Customer($id: UUID!) {
      customer(id: $id) {
        ...CustomerFields
      }
    }
  `,
  [CustomerFields],
);

const back = { to: '/customers', label: t('Customers') };

export default function CustomerPage(): ReactNode {
  const { id = '' } = useParams();
  const [{ data, error }, refetch] = useQuery({ query: CustomerQuery, variables: { id } });
  if (!data?.customer) {
    return (
      <Page title={t('Customer')} back={back}>
        {error ? <LoadError error={error} refetch={refetch} /> : <Skeleton h={260} radius="md" />}
      </Page>
    );
  }
  return <Details customer={data.customer} />;
}

function Details({ customer }: { customer: Customer }): ReactNode {
  const { id, companyName, type, email, addressLine1, postalCode, city, country: code, vatId } = customer;
  const { electronicAddress, electronicAddressScheme: scheme, paymentTermsDays: terms } = customer;
  const [editing, edit] = useDisclosure();
  const [, remove] = useMutation(DeleteCustomer);
  const list = useListState([], { field: 'INVOICE_DATE', direction: 'DESC' });
  return (
    <Page
      title={companyName}
      back={back}
      description={label(type)}
      actions={
        <>
          <Button variant="default" leftSection={<PencilSquareIcon width={18} aria-hidden />} onClick={edit.open}>
            {t('Edit')}
          </Button>
          <DeleteButton
            name={companyName}
            question={t('Delete the customer?')}
            note={t('Customers with invoices, projects or receipts can’t be deleted.')}
            remove={() => remove({ id })}
            list="/customers"
          />
        </>
      }
    >
      <Stack gap="lg">
        <DescriptionList
          items={[
            [t('E-mail'), email],
            [t('Address'), [addressLine1, [postalCode, city].filter(Boolean).join(' ')].filter(Boolean).join(', ')],
            [t('Country'), code && country(code)],
            [
              t('VAT number'),
              vatId && customer.isVatIdWellFormed === false
                ? t('{vatId} (not the form of a VAT number)', { vatId })
                : vatId,
            ],
            [t('Contact'), customer.contactName],
            [t('Phone'), customer.phone],
            [t('Buyer reference'), customer.buyerReference],
            [t('Electronic address'), electronicAddress && `${electronicAddress} (${scheme})`],
            [t('Language'), customer.language && language(customer.language)],
            [t('Payment terms'), terms === null ? null : t('{count} days', { count: terms })],
            [
              t('Required e-invoice'),
              requiredEInvoices.find(({ value }) => value === customer.requiredEInvoice)?.label ?? null,
            ],
            ...ownItems(customer),
          ]}
        />
        <Credit id={id} />
        {type === 'CUSTOMER' && (
          <div>
            <Title order={2} size="h4" mb="sm">
              {t('Invoices')}
            </Title>
            <InvoiceTable
              list={list}
              filters={{ filter: { customerId: { eq: id } } }}
              oneCustomer
              empty={
                <EmptyState icon={<DocumentTextIcon width={40} aria-hidden />} title={t('No invoices yet')}>
                  <Button component={Link} to={`/invoices/new?customer=${id}`}>
                    {t('New invoice')}
                  </Button>
                </EmptyState>
              }
            />
          </div>
        )}
        <Changes id={id} />
      </Stack>
      <Dialog title={t('Edit the customer')} opened={editing} onClose={edit.close}>
        <CustomerForm customer={customer} onCancel={edit.close} onDone={edit.close} />
      </Dialog>
    </Page>
  );
}
