import { Alert, Button, Progress, Skeleton, Stack } from '@mantine/core';
import { XCircleIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { useParams } from 'wouter';
import { useProgress } from '../../api/use-progress.ts';
import { confirm } from '../../components/confirm.tsx';
import { DescriptionList } from '../../components/description-list.tsx';
import { notifyError, notifySuccess } from '../../components/toast.ts';
import { LoadError } from '../../errors/error-boundary.tsx';
import { count, dateTime, sentence } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { Page } from '../../layout/page.tsx';
import { FailedLines } from './failed-lines.tsx';
import { BulkOperationFields, type BulkOperation } from './fields.ts';
import { BulkOperationState, getTitle, isUnfinished } from './state.tsx';
import { t, translate } from '../../i18n/t.ts';

const BulkOperationQuery = graphql(
  `
    query BulkOperation($id: UUID!) {
      bulkOperation(id: $id) {
        ...BulkOperationFields
      }
    }
  `,
  [BulkOperationFields],
);

const CancelBulkOperation = graphql(
  `
    mutation CancelBulkOperation($id: UUID!) {
      cancelBulkOperation(id: $id) {
        ...BulkOperationFields
      }
    }
  `,
  [BulkOperationFields],
);

const back = { to: '/bulk-operations', label: t('Bulk operations') };

export default function BulkOperationPage(): ReactNode {
  const { id = '' } = useParams();
  const [{ data, error }, refetch] = useQuery({ query: BulkOperationQuery, variables: { id } });
  const operation = data?.bulkOperation;
  useProgress(operation ? isUnfinished(operation) : false, refetch);
  if (operation) return <Details key={id} operation={operation} />;
  return (
    <Page title={t('Bulk operation')} back={back}>
      {error ? <LoadError error={error} refetch={refetch} /> : <Skeleton h={320} radius="md" />}
    </Page>
  );
}

function Details({ operation }: { operation: BulkOperation }): ReactNode {
  const { id, lines, processedLines, succeededLines, failedLines, error, createdAt, finishedAt } = operation;
  const isRunning = isUnfinished(operation);
  const part = lines === 0 ? 0 : (processedLines / lines) * 100;
  return (
    <Page
      title={getTitle(operation)}
      back={back}
      badge={<BulkOperationState {...operation} />}
      actions={isRunning && <CancelButton id={id} />}
    >
      <Stack gap="lg">
        {error && (
          <Alert color="red" title={t('It could not go on')}>
            {sentence(translate(error))}
          </Alert>
        )}
        {isRunning && <Progress value={part} aria-label={t('Progress')} />}
        <DescriptionList
          items={[
            [t('Lines_file'), count(lines)],
            [t('Done'), count(processedLines)],
            [t('Succeeded'), count(succeededLines)],
            [t('Failed'), count(failedLines)],
            [t('Started'), dateTime(createdAt)],
            [t('Ended'), finishedAt && dateTime(finishedAt)],
          ]}
        />
        {failedLines > 0 && <FailedLines key={failedLines} operation={operation} />}
      </Stack>
    </Page>
  );
}

function CancelButton({ id }: { id: string }): ReactNode {
  const [{ fetching }, cancel] = useMutation(CancelBulkOperation);
  const cancelNow = async (): Promise<void> => {
    const isSure = await confirm({
      title: t('Cancel the bulk operation?'),
      children: t('What is done stays. The other lines are not begun.'),
      confirm: t('Cancel the operation'),
      cancel: t('Let it go on'),
      danger: true,
    });
    if (!isSure) return;
    const { error } = await cancel({ id });
    if (error) notifyError(error);
    else notifySuccess(t('The bulk operation is cancelled.'));
  };
  return (
    <Button
      variant="default"
      c="red"
      leftSection={<XCircleIcon width={18} aria-hidden />}
      loading={fetching}
      onClick={() => void cancelNow()}
    >
      {t('Cancel')}
    </Button>
  );
}
