import { Alert, Button, Group, Text } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { useClient } from 'urql';
import { useReachable } from '../api/connection.ts';
import { refetchActive } from '../api/client.ts';
import { t } from '../i18n/t.ts';

/** A notice that the page may be outdated, shown while the server can't be reached. */
export function ConnectionNotice(): ReactNode {
  const client = useClient();
  const reachable = useReachable();
  useEffect(() => {
    if (reachable) return undefined;
    const refetch = (): void => refetchActive(client);
    window.addEventListener('online', refetch);
    return () => window.removeEventListener('online', refetch);
  }, [client, reachable]);
  if (reachable) return null;
  return (
    <Alert color="yellow" role="status" mb="md">
      <Group justify="space-between" gap="xs">
        <Text size="sm">{t('The server can’t be reached. What you see may be out of date.')}</Text>
        <Button size="xs" variant="default" onClick={() => refetchActive(client)}>
          {t('Try again')}
        </Button>
      </Group>
    </Alert>
  );
}
