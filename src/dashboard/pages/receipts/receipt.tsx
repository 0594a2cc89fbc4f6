import { Alert, Anchor, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { Link, useParams } from 'wouter';
import { LoadError } from '../../errors/error-boundary.tsx';
import { Events } from '../../components/events.tsx';
import { DescriptionList, ownItems } from '../../components/description-list.tsx';
import { Beside, useIsWide } from '../../layout/beside.tsx';
import { Page } from '../../layout/page.tsx';
import { Payments } from '../payments/payments.tsx';
import { date, dateTime, money, percent } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { Changes } from '../audit-log/changes.tsx';
import { describeRate } from '../invoices/describe-rate.ts';
import { Attachments, isShown } from './attachments.tsx';
import { ReceiptActions } from './actions.tsx';
import { computeDue, getName, ReceiptFields, type Receipt } from './fields.ts';
import { StoredFile } from './file/stored-file.tsx';
import { SameNumber } from './same-number.tsx';
import { LineTable } from './line-table.tsx';
import { isUsual } from './line-values.ts';
import { ReceiptState } from './state.tsx';
import { describeWarning, withoutWeaker } from './warnings.ts';
import { Trans } from '../../i18n/trans.ts';
import { t } from '../../i18n/t.ts';

const ReceiptQuery = graphql(
  `
    query Receipt($id: UUID!) {
      receipt(id: $id) {
        ...ReceiptFields
        warnings {
          code
          field
          message
        }
      }
    }
  `,
  [ReceiptFields],
);

const back = { to: '/receipts', label: t('Receipts') };

export default function ReceiptPage(): ReactNode {
  const { id = '' } = useParams();
  const [{ data, error }, refetch] = useQuery({ query: ReceiptQuery, variables: { id } });
  const isWide = useIsWide();
  const receipt = data?.receipt;
  const file = receipt?.attachments.find(isShown);
  if (!receipt) {
    return (
      <Page title={t('Receipt')} back={back}>
        {error ? <LoadError error={error} refetch={refetch} /> : <Skeleton h={320} radius="md" />}
      </Page>
    );
  }
  return (
    <Page
      title={getName(receipt)}
      back={back}
      badge={<ReceiptState {...receipt} />}
      description={receipt.description}
      actions={<ReceiptActions receipt={receipt} />}
    >
      <Beside part={isWide && file && <StoredFile attachment={file} />}>
        <ReversedWith receipt={receipt} />
        {withoutWeaker(receipt.warnings).map((warning) => (
          <Alert key={warning.code} color="yellow">
            {describeWarning(warning, receipt.lines)}{' '}
            {receipt.receiptNumber && <SameNumber number={receipt.receiptNumber} />}
          </Alert>
        ))}
        <CreditedReceipt receipt={receipt} />
        <ReceiptSummary receipt={receipt} />
        {hasLines(receipt) && <LineTable {...receipt} />}
        <Attachments receiptId={receipt.id} attachments={receipt.attachments} isDraft={receipt.status === 'DRAFT'} />
        <Payments payments={receipt.payments} currency={receipt.currency} />
        <Events resourceId={receipt.id} payments={receipt.payments.nodes} currency={receipt.currency} />
        <Changes id={receipt.id} />
      </Beside>
    </Page>
  );
}

/** Whether the lines say more than the summary. */
const hasLines = ({ lines }: Receipt): boolean => lines.length > 1 || !lines.every(isUsual);

function CreditedReceipt({ receipt: { creditedReceiptId } }: { receipt: Receipt }): ReactNode {
  if (!creditedReceiptId) return null;
  return (
    <Alert color="gray">
      <Trans
        i18nKey="The supplier credits <a>another receipt</a>."
        components={{ a: <Anchor component={Link} to={`/receipts/${creditedReceiptId}`} size="sm" /> }}
      />
    </Alert>
  );
}

/** Of a reversed receipt, or of the one that reverses it: the other one. */
function ReversedWith({ receipt: { reversal, reversalOfId, reason } }: { receipt: Receipt }): ReactNode {
  if (!reversal && !reversalOfId) return null;
  const link = <Anchor component={Link} to={`/receipts/${reversal?.id ?? reversalOfId}`} size="sm" />;
  return (
    <Alert color="gray">
      {reversal ? (
        <Trans
          i18nKey="This receipt is reversed by <a>that of {date}</a>"
          values={{ date: date(reversal.receiptDate) }}
          components={{ a: link }}
        />
      ) : (
        <Trans i18nKey="This receipt reverses <a>another</a>" components={{ a: link }} />
      )}
      {reason ? `: ${reason}` : '.'}
    </Alert>
  );
}

function ReceiptSummary({ receipt }: { receipt: Receipt }): ReactNode {
  const { supplier, projectId, currency, status, dueDate, paidAt, category } = receipt;
  const { creditedReceiptId, serviceDate, receivedOn, amountPrepaid, vatAmount, vatRate } = receipt;
  return (
    <DescriptionList
      items={[
        [
          t('Supplier'),
          supplier && (
            <Anchor key="supplier" component={Link} to={`/customers/${supplier.id}`}>
              {supplier.companyName}
            </Anchor>
          ),
        ],
        [t('Gross'), money(receipt.amountGross, currency)],
        [t('Net'), money(receipt.amountNet, currency)],
        [t('VAT, {rate}', { rate: percent(vatRate ?? '0') }), vatAmount && money(vatAmount, currency)],
        [t('Prepaid'), amountPrepaid === '0' ? null : money(amountPrepaid, currency)],
        [
          creditedReceiptId === null ? t('Amount due') : t('To come back'),
          status === 'BOOKED' ? money(computeDue(receipt), currency) : null,
        ],
        [t('Exchange rate'), describeRate(receipt)],
        [t('Date'), date(receipt.receiptDate)],
        [t('Due date'), dueDate && date(dueDate)],
        [t('Supplied on'), serviceDate && date(serviceDate)],
        [t('Received on'), receivedOn && date(receivedOn)],
        [t('Paid'), paidAt && dateTime(paidAt)],
        [t('Category'), category],
        [
          t('Project'),
          projectId && (
            <Anchor key="project" component={Link} to={`/projects/${projectId}`}>
              {t('Open_verb')}
            </Anchor>
          ),
        ],
        ...ownItems(receipt),
      ]}
    />
  );
}
