import { Card, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../i18n/t.ts';

/** A description list of names and values. Empty values are left out. */
export function DescriptionList({ items }: { items: [name: string, value: ReactNode][] }): ReactNode {
  return (
    <Card withBorder radius="md">
      <SimpleGrid component="dl" cols={{ base: 1, xs: 2, lg: 4 }} spacing="md" m={0}>
        {items
          .filter(([, value]) => value !== null && value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <Text component="dt" size="sm" c="dimmed">
                {name}
              </Text>
              <Text component="dd" m={0} style={{ overflowWrap: 'anywhere' }}>
                {value}
              </Text>
            </div>
          ))}
      </SimpleGrid>
    </Card>
  );
}

/** A client's key may be the name of one of our fields. */
const toItems = (metadata: Record<string, string | null>): [string, string | null][] =>
  Object.entries(metadata).map(([key, value]) => [t('{key} (metadata)', { key }), value]);

/** The external id and the metadata that clients of the API keep with a resource. */
export const ownItems = ({
  externalId,
  metadata,
}: {
  externalId: string | null;
  metadata: Record<string, string | null>;
}): [string, string | null][] => [[t('External id'), externalId], ...toItems(metadata)];
