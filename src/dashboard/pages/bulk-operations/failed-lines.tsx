import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { ArrowDownTrayIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { count, sentence } from '../../format/format.ts';
import { sayProblem } from '../../errors/plain-messages.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { SimpleTable } from '../../list/simple-table.tsx';
import { useSession } from '../../session/session.tsx';
import type { BulkOperation } from './fields.ts';
import { t } from '../../i18n/t.ts';

const FailedLinesQuery = graphql(`
  query FailedLines($id: UUID!, $first: Int) {
    bulkOperation(id: $id) {
      id
      results(failed: true, first: $first) {
        nodes {
          line
          status
          message
          details {
            field
            code
            message
            params
          }
        }
      }
    }
  }
`);

type FailedLine = NonNullable<ResultOf<typeof FailedLinesQuery>['bulkOperation']>['results']['nodes'][number];

const shown = 25;

/** The first lines that failed, and a file with all of them. */
export function FailedLines({ operation: { id, failedLines } }: { operation: BulkOperation }): ReactNode {
  const [{ data, error }, refetch] = useQuery({ query: FailedLinesQuery, variables: { id, first: shown } });
  const rows = data?.bulkOperation?.results.nodes;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t('Lines that failed')}
        </Title>
        <DownloadLink id={id} />
      </Group>
      <SimpleTable
        caption={t('Lines that failed')}
        rows={rows?.map((row) => ({ ...row, id: String(row.line) }))}
        error={error}
        refetch={refetch}
        columns={[
          { header: t('Line'), cell: ({ line }) => count(line), width: 110 },
          { header: t('Error'), cell: (row) => <Problems row={row} /> },
        ]}
      />
      {failedLines > shown && (
        <Text size="sm" c="dimmed">
          {t('{shown} of {total}. The file has all of them.', { shown: count(shown), total: count(failedLines) })}
        </Text>
      )}
    </Stack>
  );
}

function Problems({ row: { message, details } }: { row: FailedLine }): ReactNode {
  if (details.length === 0) return message && sentence(message);
  return details.map((detail) => (
    <div key={`${detail.field} ${detail.message}`}>
      <Code>{detail.field}</Code> {sayProblem(detail)}
    </div>
  ));
}

/** The browser saves the file as it arrives: it may have a million lines, too many for a script's memory. */
function DownloadLink({ id }: { id: string }): ReactNode {
  const { tenant } = useSession();
  return (
    <Button
      component="a"
      href={`/api/v1/bulk-operations/${id}/results?${new URLSearchParams({ failed: 'true', tenant: tenant.id }).toString()}`}
      download="failed-lines.jsonl"
      variant="default"
      leftSection={<ArrowDownTrayIcon width={18} aria-hidden />}
    >
      {t('Download')}
    </Button>
  );
}
