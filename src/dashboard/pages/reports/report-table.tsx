import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { errorMessage } from '../../errors/form-errors.ts';
import type { Column } from '../../list/responsive-table.tsx';
import { SimpleTable } from '../../list/simple-table.tsx';
import { t } from '../../i18n/t.ts';

interface Props<Row> {
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[] | undefined;
  error: CombinedError | undefined;
  refetch: () => void;
  empty: ReactNode;
}

/** The rows of a report, or why there is none for this period. */
export function ReportTable<Row extends { id: string }>(props: Props<Row>): ReactNode {
  const { error } = props;
  return error?.graphQLErrors.some(({ extensions }) => extensions['code'] === 'VALIDATION_FAILED') ? (
    <Alert color="red" title={t('No report for this period')}>
      {errorMessage(error)}
    </Alert>
  ) : (
    <SimpleTable {...props} />
  );
}
