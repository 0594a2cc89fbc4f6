import { Anchor, Box, Card, Skeleton, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { Link, useParams } from 'wouter';
import { Unavailable } from '../../components/error-boundary.tsx';
import { Events } from '../../components/events.tsx';
import { Facts } from '../../components/facts.tsx';
import { Page } from '../../components/page.tsx';
import { Payments } from '../../components/payments.tsx';
import { date, dateTime, decimal, money, percent } from '../../format.ts';
import { graphql } from '../../graphql.ts';
import { InvoiceActions } from './actions.tsx';
import { InvoiceFields, nameOf, type Invoice } from './fields.ts';
import { InvoiceState } from './state.tsx';
import { Row, Totals } from './totals.tsx';

export const InvoiceQuery = graphql(
  `
    query Invoice($id: UUID!) {
      invoice(id: $id) {
        ...InvoiceFields
      }
    }
  `,
  [InvoiceFields],
);

const back = { to: '/invoices', label: 'Invoices' };

export default function InvoicePage(): ReactNode {
  const { id = '' } = useParams();
  const [{ data, error }, again] = useQuery({ query: InvoiceQuery, variables: { id } });
  if (!data) {
    return (
      <Page title="Invoice" back={back}>
        {error ? <Unavailable error={error} again={again} /> : <Skeleton h={420} radius="md" />}
      </Page>
    );
  }
  const { invoice } = data;
  const { customer, subject, invoiceDate, dueDate, issuedAt, paidAt, cancelledAt, currency } = invoice;
  return (
    <Page
      title={nameOf(invoice)}
      back={back}
      badge={<InvoiceState {...invoice} />}
      description={subject}
      actions={<InvoiceActions invoice={invoice} />}
    >
      <Stack gap="lg">
        <Facts
          facts={[
            [
              'Customer',
              <Anchor key="customer" component={Link} to={`/customers/${customer.id}`}>
                {customer.companyName}
              </Anchor>,
            ],
            ['Invoice date', date(invoiceDate)],
            ['Due', date(dueDate)],
            ['Issued', issuedAt && dateTime(issuedAt)],
            ['Paid', paidAt && dateTime(paidAt)],
            ['Cancelled', cancelledAt && dateTime(cancelledAt)],
          ]}
        />
        <Lines invoice={invoice} />
        <Payments payments={invoice.payments} currency={currency} />
        <Events of={invoice.id} />
      </Stack>
    </Page>
  );
}

function Lines({ invoice }: { invoice: Invoice }): ReactNode {
  const { items, currency, status, amountPaid, amountDue } = invoice;
  return (
    <Card withBorder radius="md" p={0}>
      <Box style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label="Lines">
        <Table verticalSpacing="sm" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr fz="xs" c="dimmed">
              <Table.Th scope="col">Title</Table.Th>
              <Table.Th scope="col" ta="right">
                Quantity
              </Table.Th>
              <Table.Th scope="col" ta="right">
                Unit price
              </Table.Th>
              <Table.Th scope="col" ta="right">
                VAT
              </Table.Th>
              <Table.Th scope="col" ta="right">
                Net
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody className="numbers">
            {items.map(({ id, title, quantity, unit, unitPriceNet, vatRate, lineTotalNet }) => (
              <Table.Tr key={id}>
                <Table.Td miw={160}>{title}</Table.Td>
                <Table.Td ta="right">
                  {decimal(quantity)} {unit}
                </Table.Td>
                <Table.Td ta="right">{unitPrice(unitPriceNet, currency)}</Table.Td>
                <Table.Td ta="right">{percent(vatRate)}</Table.Td>
                <Table.Td ta="right">{money(lineTotalNet, currency)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Box>
      <Box p="md">
        <Totals totals={invoice} currency={currency}>
          {status === 'ISSUED' && amountDue !== invoice.totalGross && (
            <>
              <Row name="Paid" value={money(amountPaid, currency)} />
              <Row name="Due" value={money(amountDue, currency)} strong />
            </>
          )}
        </Totals>
        {status === 'CANCELLED' && (
          <Text size="sm" c="dimmed" ta="right" mt="xs">
            Cancelled: nothing is to be paid.
          </Text>
        )}
      </Box>
    </Card>
  );
}

/** A unit price may have more digits than its currency. */
const unitPrice = (amount: string, currency: string): string => `${decimal(amount)} ${currency}`;
