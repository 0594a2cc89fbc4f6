import { Checkbox, Skeleton } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useClient, useQuery } from 'urql';
import { LoadError } from '../../errors/error-boundary.tsx';
import { graphql, type ResultOf } from '../../graphql.ts';
import { t } from '../../i18n/t.ts';
import { QuestionForm } from '../../list/selection/question.tsx';
import type { Left, QuestionProps } from '../../list/selection/selection.ts';
import type { InvoiceRow } from './invoice-table.tsx';
import { IssueInvoice } from './mutations.ts';
import { translateWarning } from './warning-texts.ts';

const ChecklistsQuery = graphql(`
  query InvoiceChecklists($ids: [UUID!]!) {
    invoices(first: 100, filter: { id: { in: $ids } }) {
      nodes {
        id
        warnings {
          field
          message
        }
      }
    }
  }
`);

type Checked = ResultOf<typeof ChecklistsQuery>['invoices']['nodes'][number];

/** Issues those that lack nothing, and the others as well if that is chosen. */
export function IssueQuestion({ rows, left, begin, ...props }: QuestionProps<InvoiceRow>): ReactNode {
  const client = useClient();
  const [withIncomplete, setWithIncomplete] = useState(false);
  const [{ data, error }, refetch] = useQuery({
    query: ChecklistsQuery,
    variables: { ids: rows.map(({ id }) => id) },
    // A missing detail may have been added since.
    requestPolicy: 'network-only',
  });
  if (!data) return error ? <LoadError error={error} refetch={refetch} /> : <Skeleton h={180} radius="md" />;
  const incomplete = findIncomplete(rows, data.invoices.nodes);
  const complete = rows.filter((row) => incomplete.every((each) => each.row !== row));
  const issued = withIncomplete ? rows : complete;
  const notIssued = withIncomplete ? left : [...incomplete, ...left];
  return (
    <QuestionForm
      {...props}
      rows={issued}
      left={notIssued}
      summary={t('{count} invoices will be issued.', { count: issued.length })}
      consequence={t(
        'They get their numbers and can no longer be edited. You can still record payments or cancel them.',
      )}
      confirm={t('Issue')}
      begin={() =>
        begin({
          rows: inOrder(issued),
          left: notIssued,
          sayDone: (count) => t('{count} invoices are issued.', { count }),
          request: ({ id }) => client.mutation(IssueInvoice, { id }).toPromise(),
        })
      }
    >
      {incomplete.length > 0 && (
        <Checkbox
          label={t('Issue also {count} that lack something', { count: incomplete.length })}
          checked={withIncomplete}
          onChange={(event) => setWithIncomplete(event.currentTarget.checked)}
        />
      )}
    </QuestionForm>
  );
}

function findIncomplete(rows: readonly InvoiceRow[], checked: readonly Checked[]): Left<InvoiceRow>[] {
  const warnings = new Map(checked.map((each) => [each.id, each.warnings]));
  return rows.flatMap((row) => {
    const found = warnings.get(row.id) ?? [];
    return found.length > 0 ? [{ row, reason: found.map(({ message }) => translateWarning(message)).join(' ') }] : [];
  });
}

/** An earlier invoice gets an earlier number; of one day, that which was written first. */
const inOrder = (rows: readonly InvoiceRow[]): InvoiceRow[] => {
  const getOrder = ({ invoiceDate, id }: InvoiceRow): string => `${invoiceDate} ${id}`;
  return rows.toSorted((one, other) => (getOrder(one) < getOrder(other) ? -1 : 1));
};
