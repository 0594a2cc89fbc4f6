import { Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { TextLink } from '../../components/text-link.tsx';
import { Ago } from '../../components/time.tsx';
import { LoadError } from '../../errors/error-boundary.tsx';
import { count } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { ChangedFields } from './changed-fields.tsx';
import { actions, actionsOfLines, AuditEntryFields, describeActor } from './fields.ts';
import { t } from '../../i18n/t.ts';
import { Trans } from '../../i18n/trans.ts';

const ChangesQuery = graphql(
  `
    query Changes($id: UUID!) {
      auditLog(resourceId: $id, first: 5) {
        totalCount
        nodes {
          ...AuditEntryFields
        }
      }
    }
  `,
  [AuditEntryFields],
);

/** The newest changes of a resource: who made them, and what they set. */
export function Changes({ id }: { id: string }): ReactNode {
  const [{ data, error }, refetch] = useQuery({ query: ChangesQuery, variables: { id } });
  if (!data) return error ? <LoadError error={error} refetch={refetch} /> : <Skeleton h={120} radius="md" />;
  const { nodes, totalCount } = data.auditLog;
  if (nodes.length === 0) return null;
  return (
    <Card withBorder radius="md">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          {t('Changes')}
        </Title>
        {totalCount > nodes.length && (
          <TextLink to={`/audit-log?id=${id}`}>{t('All {total} changes', { total: count(totalCount) })}</TextLink>
        )}
      </Group>
      <Stack component="ol" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
        {nodes.map((entry) => (
          <li key={entry.id}>
            <Text size="sm" className="long">
              <Trans
                i18nKey="<b>{what}</b> by {actor}, <ago/>"
                values={{
                  what: (entry.resource.endsWith('_lines') ? actionsOfLines : actions)[entry.action],
                  actor: describeActor(entry),
                }}
                components={{ b: <b />, ago: <Ago at={entry.at} /> }}
              />
            </Text>
            {entry.action === 'UPDATED' && <ChangedFields entry={entry} few={0} />}
          </li>
        ))}
      </Stack>
    </Card>
  );
}
