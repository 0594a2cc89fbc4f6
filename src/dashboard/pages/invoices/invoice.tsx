import { Anchor, Box, Card, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { Link, useParams } from 'wouter';
import { LoadError } from '../../errors/error-boundary.tsx';
import { Events } from '../../components/events.tsx';
import { DescriptionList } from '../../components/description-list.tsx';
import { Page } from '../../layout/page.tsx';
import { ResponsiveTable, type Column } from '../../list/responsive-table.tsx';
import { Payments } from '../payments/payments.tsx';
import { date, dateTime, decimal, money, percent } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { InvoiceActions } from './actions.tsx';
import { InvoiceDocuments } from './documents.tsx';
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
  const [{ data, error }, refetch] = useQuery({ query: InvoiceQuery, variables: { id } });
  if (!data) {
    return (
      <Page title="Invoice" back={back}>
        {error ? <LoadError error={error} refetch={refetch} /> : <Skeleton h={420} radius="md" />}
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
        <DescriptionList
          items={[
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
        <InvoiceDocuments invoice={invoice} />
        <Payments payments={invoice.payments} currency={currency} />
        <Events resourceId={invoice.id} payments={invoice.payments} currency={currency} />
      </Stack>
    </Page>
  );
}

type Line = Invoice['items'][number];

/** What a line says beside its title and numbers. */
function detailsOf(line: Line): string[] {
  const { servicePeriodStart: start, servicePeriodEnd: end, discountPercent, vatCategory } = line;
  const period = [...new Set([start, end])].flatMap((day) => day ?? []).map(date);
  return [
    line.description ?? '',
    discountPercent === '0' ? '' : `Discount ${percent(discountPercent)}`,
    period.join(' – '),
    ['S', 'Z'].includes(vatCategory) ? '' : `VAT category ${vatCategory}`,
    line.exemptionReason ?? '',
  ].filter(Boolean);
}

const columnsOf = (currency: string): Column<Line>[] => [
  {
    header: 'Title',
    lead: true,
    cell: (line) => (
      <>
        <span className="long">{line.title}</span>
        {detailsOf(line).map((text) => (
          <Text key={text} size="sm" c="dimmed" fw={400} className="long" style={{ whiteSpace: 'pre-line' }}>
            {text}
          </Text>
        ))}
      </>
    ),
  },
  { header: 'Quantity', align: 'right', cell: ({ quantity, unit }) => `${decimal(quantity)} ${unit ?? ''}` },
  { header: 'Unit price', align: 'right', cell: ({ unitPriceNet }) => money(unitPriceNet, currency) },
  { header: 'VAT', align: 'right', cell: ({ vatRate }) => percent(vatRate) },
  { header: 'Net', align: 'right', cell: ({ lineTotalNet }) => money(lineTotalNet, currency) },
];

function Lines({ invoice }: { invoice: Invoice }): ReactNode {
  const { items, currency, status, amountPaid, amountDue } = invoice;
  return (
    <Card className="numbers" withBorder radius="md" p={0}>
      <ResponsiveTable caption="Lines" columns={columnsOf(currency)} rows={items} />
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
            Cancelled: nothing is due.
          </Text>
        )}
      </Box>
    </Card>
  );
}
