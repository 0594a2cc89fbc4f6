import { Code, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useClient, useQuery, type Client } from 'urql';
import { DownloadLines } from '../../components/download-lines.tsx';
import { count, sentence } from '../../format/format.ts';
import { sayProblem } from '../../errors/plain-messages.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { SimpleTable } from '../../list/simple-table.tsx';
import type { BulkOperation } from './fields.ts';
import { t } from '../../i18n/t.ts';

const FailedLinesQuery = graphql(`
  query FailedLines($id: UUID!, $first: Int, $after: String) {
    bulkOperation(id: $id) {
      id
      results(failed: true, first: $first, after: $after) {
        pageInfo {
          hasNextPage
          endCursor
        }
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

type Results = NonNullable<ResultOf<typeof FailedLinesQuery>['bulkOperation']>['results'];
type FailedLine = Results['nodes'][number];

const shown = 25;
const largestPage = 100;

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
        <DownloadButton id={id} />
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

function DownloadButton({ id }: { id: string }): ReactNode {
  const client = useClient();
  return (
    <DownloadLines fileName="failed-lines.jsonl" read={() => readAll(client, id)}>
      {t('Download')}
    </DownloadLines>
  );
}

/** Without what the client adds for its cache. */
const toJsonLine = ({ line, status, message, details }: FailedLine): string =>
  `${JSON.stringify({
    line,
    status,
    message,
    details: details.map(({ field, code, message: text, params }) => ({ field, code, message: text, params })),
  })}\n`;

/** All failed lines as JSON Lines, page by page. */
async function readAll(client: Client, id: string): Promise<string[]> {
  const parts: string[] = [];
  for (let after: string | null = null; ;) {
    const result = await client.query(FailedLinesQuery, { id, first: largestPage, after }).toPromise();
    if (result.error) throw result.error;
    const results: Results | undefined = result.data?.bulkOperation?.results;
    if (!results) return parts;
    parts.push(...results.nodes.map(toJsonLine));
    if (!results.pageInfo.hasNextPage) return parts;
    after = results.pageInfo.endCursor;
  }
}
