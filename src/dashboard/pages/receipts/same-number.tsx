import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { TextLink } from '../../components/text-link.tsx';
import { useDebouncedInput } from '../../forms/use-debounced-input.ts';
import { graphql } from '../../graphql.ts';
import { t } from '../../i18n/t.ts';
import { describeWarning, withoutWeaker } from './warnings.ts';

const NumberWarnings = graphql(`
  query ReceiptNumberWarnings($supplierId: UUID!, $receiptNumber: String!, $receiptId: UUID) {
    warnings: receiptNumberWarnings(supplierId: $supplierId, receiptNumber: $receiptNumber, receiptId: $receiptId) {
      code
      field
      message
    }
  }
`);

/** A link to the receipts with a number. */
export const SameNumber = ({ number }: { number: string }): ReactNode => (
  <TextLink to={`/receipts?q=${encodeURIComponent(number)}`}>{t('Show the receipts with this number')}</TextLink>
);

interface Props {
  supplierId: string | null;
  receiptNumber: string;
  /** The stored receipt that is edited. */
  receiptId: string | undefined;
}

/** Warns while a receipt is typed of which the supplier's number is there already. */
export function SameNumberWarning({ supplierId, receiptNumber, receiptId }: Props): ReactNode {
  const number = receiptNumber.trim();
  const typed = supplierId && number ? { supplierId, receiptNumber: number, receiptId } : undefined;
  const input = useDebouncedInput(typed);
  const [{ data }] = useQuery({
    query: NumberWarnings,
    variables: input ?? { supplierId: '', receiptNumber: '' },
    pause: !input,
    requestPolicy: 'network-only',
  });
  const warnings = typed && input ? (data?.warnings ?? []) : [];
  return withoutWeaker(warnings).map((warning) => (
    <Alert key={warning.code} color="yellow" role="status">
      {describeWarning(warning)} <SameNumber number={number} />
    </Alert>
  ));
}
