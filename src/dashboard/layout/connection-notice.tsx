import { Alert, Button, Group, Text } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { useClient } from 'urql';
import { useConnectionProblem } from '../api/connection.ts';
import { refetchActive } from '../api/client.ts';
import { t } from '../i18n/t.ts';

/** A notice that the page may be outdated, shown while the server can't be reached, or couldn't answer. */
export function ConnectionNotice(): ReactNode {
  const client = useClient();
  const problem = useConnectionProblem();
  useEffect(() => {
    if (problem === undefined) return undefined;
    const refetch = (): void => refetchActive(client);
    window.addEventListener('online', refetch);
    return () => window.removeEventListener('online', refetch);
  }, [client, problem]);
  if (problem === undefined) return null;
  return (
    <Alert color="yellow" role="status" mb="md">
      <Group justify="space-between" gap="xs">
        <Text size="sm">{problem}</Text>
        <Button size="xs" variant="default" onClick={() => refetchActive(client)}>
          {t('Try again')}
        </Button>
      </Group>
    </Alert>
  );
}
