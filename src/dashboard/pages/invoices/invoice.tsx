import { Anchor, Box, Card, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { Link, useParams } from 'wouter';
import { LoadError } from '../../errors/error-boundary.tsx';
import { Events } from '../../components/events.tsx';
import { DescriptionList, ownItems } from '../../components/description-list.tsx';
import { Beside, useIsWide } from '../../layout/beside.tsx';
import { Page } from '../../layout/page.tsx';
import { Payments } from '../payments/payments.tsx';
import { date, dateTime, money } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { Changes } from '../audit-log/changes.tsx';
import { InvoiceActions } from './actions.tsx';
import { InvoiceCreditNotes } from './credit-notes.tsx';
import { PdfFrame, showsPdfs } from '../documents/pdf-frame.tsx';
import { describeRate } from './describe-rate.ts';
import { InvoiceDocuments, PdfQuery } from './documents.tsx';
import { InvoiceFields, getName, type Invoice } from './fields.ts';
import { Headline } from './headline.tsx';
import { LineTable } from './line-table.tsx';
import { InvoiceState } from './state.tsx';
import { Row, Totals } from './totals.tsx';
import { useDraftWarnings, Warnings } from './warnings.tsx';
import { t } from '../../i18n/t.ts';

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

const back = { to: '/invoices', label: t('Invoices') };

export default function InvoicePage(): ReactNode {
  const { id = '' } = useParams();
  const [{ data, error }, refetch] = useQuery({ query: InvoiceQuery, variables: { id } });
  const invoice = data?.invoice;
  const isDraft = invoice?.id === id && invoice.status === 'DRAFT';
  const warnings = useDraftWarnings(id, isDraft);
  const isWide = useIsWide();
  if (!invoice) {
    return (
      <Page title={t('Invoice')} back={back}>
        {error ? <LoadError error={error} refetch={refetch} /> : <Skeleton h={420} radius="md" />}
      </Page>
    );
  }
  const { customer, subject, invoiceDate, dueDate, deliveryDate, issuedAt, paidAt, cancelledAt, currency } = invoice;
  return (
    <Page
      title={getName(invoice)}
      back={back}
      badge={!isDraft && <InvoiceState {...invoice} />} // the title says Draft
      description={subject}
      actions={<InvoiceActions invoice={invoice} />}
    >
      <Beside
        part={
          isWide &&
          showsPdfs && (
            <PdfFrame key={`${id} ${invoice.version}`} query={PdfQuery} id={id} title={t('Preview of the invoice')} />
          )
        }
      >
        <Headline invoice={invoice} />
        <DescriptionList
          items={[
            [
              t('Customer'),
              <Anchor key="customer" component={Link} to={`/customers/${customer.id}`}>
                {customer.companyName}
              </Anchor>,
            ],
            [t('Invoice date'), date(invoiceDate)],
            [t('Due'), date(dueDate)],
            [t('Date of supply'), deliveryDate && date(deliveryDate)],
            [t('Exchange rate'), describeRate(invoice)],
            [t('Issued'), issuedAt && dateTime(issuedAt)],
            [t('Paid'), paidAt && dateTime(paidAt)],
            [t('Cancelled'), cancelledAt && dateTime(cancelledAt)],
            ...ownItems(invoice),
          ]}
        />
        {warnings && <Warnings warnings={warnings} customerId={customer.id} invoiceId={invoice.id} />}
        <Lines invoice={invoice} />
        <InvoiceDocuments invoice={invoice} hasWarnings={isDraft && warnings?.length !== 0} />
        <InvoiceCreditNotes {...invoice} />
        <Payments payments={invoice.payments} currency={currency} />
        <Events resourceId={invoice.id} payments={invoice.payments.nodes} currency={currency} />
        <Changes id={invoice.id} />
      </Beside>
    </Page>
  );
}

function Lines({ invoice }: { invoice: Invoice }): ReactNode {
  const { items, currency, status, amountCredited, amountPaid, amountAdjusted } = invoice;
  const { amountRefunded, amountDue, amountToRefund } = invoice;
  const isCredited = amountCredited !== '0';
  const isAdjusted = amountAdjusted !== '0';
  const isOpen = status === 'ISSUED' && amountDue !== invoice.totalGross;
  return (
    <Card className="numbers" withBorder radius="md" p={0}>
      <LineTable lines={items} currency={currency} />
      <Box p="md">
        <Totals totals={invoice} currency={currency}>
          {isCredited && <Row name={t('Credited')} value={money(amountCredited, currency)} />}
          {(isOpen || isCredited || isAdjusted) && amountPaid !== '0' && (
            <Row name={t('Paid')} value={money(amountPaid, currency)} />
          )}
          {isAdjusted && <Row name={t('Adjusted')} value={money(amountAdjusted, currency)} />}
          {amountRefunded !== '0' && <Row name={t('Refunded')} value={money(amountRefunded, currency)} />}
          {isOpen && <Row name={t('Due')} value={money(amountDue, currency)} strong />}
          {amountToRefund !== '0' && <Row name={t('To refund')} value={money(amountToRefund, currency)} strong />}
        </Totals>
        {status === 'CANCELLED' && (
          <Text size="sm" c="dimmed" ta="right" mt="xs">
            {t('Cancelled: nothing is due.')}
          </Text>
        )}
      </Box>
    </Card>
  );
}
