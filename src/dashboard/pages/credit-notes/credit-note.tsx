import { Anchor, Box, Button, Card, Skeleton, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { BanknotesIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { Link, useParams } from 'wouter';
import { Dialog } from '../../components/dialog.tsx';
import { DescriptionList, ownItems } from '../../components/description-list.tsx';
import { Events } from '../../components/events.tsx';
import { LoadError } from '../../errors/error-boundary.tsx';
import { date, dateTime, money } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { Page } from '../../layout/page.tsx';
import { LineTable } from '../invoices/line-table.tsx';
import { Row, Totals } from '../invoices/totals.tsx';
import { Payments } from '../payments/payments.tsx';
import { Changes } from '../audit-log/changes.tsx';
import { CreditNoteDocuments } from './documents.tsx';
import { CreditNoteFields, getName, getReason, type CreditNote } from './fields.ts';
import { RefundForm } from './refund-form.tsx';
import { t } from '../../i18n/t.ts';

const CreditNoteQuery = graphql(
  `
    query CreditNote($id: UUID!) {
      creditNote(id: $id) {
        ...CreditNoteFields
      }
    }
  `,
  [CreditNoteFields],
);

const back = { to: '/credit-notes', label: t('Credit notes') };

export default function CreditNotePage(): ReactNode {
  const { id = '' } = useParams();
  const [{ data, error }, refetch] = useQuery({ query: CreditNoteQuery, variables: { id } });
  const creditNote = data?.creditNote;
  if (!creditNote) {
    return (
      <Page title={t('Credit note')} back={back}>
        {error ? <LoadError error={error} refetch={refetch} /> : <Skeleton h={420} radius="md" />}
      </Page>
    );
  }
  const { invoice, customer, creditNoteDate, createdAt } = creditNote;
  return (
    <Page
      title={getName(creditNote)}
      back={back}
      description={getReason(creditNote)}
      actions={<Refund creditNote={creditNote} />}
    >
      <Stack gap="lg">
        <DescriptionList
          items={[
            [
              t('Invoice'),
              <Anchor key="invoice" component={Link} to={`/invoices/${invoice.id}`}>
                {invoice.number}
              </Anchor>,
            ],
            [
              t('Customer'),
              <Anchor key="customer" component={Link} to={`/customers/${customer.id}`}>
                {customer.companyName}
              </Anchor>,
            ],
            [t('Date'), date(creditNoteDate)],
            [t('Issued'), dateTime(createdAt)],
            ...ownItems(creditNote),
          ]}
        />
        <Lines creditNote={creditNote} />
        <CreditNoteDocuments creditNote={creditNote} />
        <Payments kind="refund" payments={creditNote.refunds} currency={creditNote.currency} />
        <Events
          resourceId={creditNote.id}
          kind="refund"
          payments={creditNote.refunds.nodes}
          currency={creditNote.currency}
        />
        <Changes id={creditNote.id} />
      </Stack>
    </Page>
  );
}

function Refund({ creditNote }: { creditNote: CreditNote }): ReactNode {
  const [refunding, refund] = useDisclosure();
  return (
    <>
      {creditNote.amountDue !== '0' && (
        <Button leftSection={<BanknotesIcon width={18} aria-hidden />} onClick={refund.open}>
          {t('Record a refund')}
        </Button>
      )}
      {/* Always there: its input stays when the credit note is refunded elsewhere. */}
      <Dialog title={t('Record a refund')} opened={refunding} onClose={refund.close} size="md">
        <RefundForm creditNote={creditNote} onClose={refund.close} />
      </Dialog>
    </>
  );
}

function Lines({ creditNote }: { creditNote: CreditNote }): ReactNode {
  const { items, currency, amountRefunded, amountDue } = creditNote;
  return (
    <Card className="numbers" withBorder radius="md" p={0}>
      <LineTable lines={items} currency={currency} />
      <Box p="md">
        <Totals totals={creditNote} currency={currency}>
          {amountRefunded !== '0' && <Row name={t('Refunded')} value={money(amountRefunded, currency)} />}
          {amountDue !== '0' && <Row name={t('To refund')} value={money(amountDue, currency)} strong />}
        </Totals>
      </Box>
    </Card>
  );
}
