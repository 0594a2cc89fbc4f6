import { Checkbox, Group, Input, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { label } from '../../../format/format.ts';
import { graphql } from '../../../graphql.ts';
import { t, translate } from '../../../i18n/t.ts';

const EventTypesQuery = graphql(`
  query EventTypes {
    eventTypes {
      name
      description
    }
  }
`);

interface Props {
  /** `['*']`: all events, including future ones. */
  value: string[];
  onChange: (events: string[]) => void;
  error?: ReactNode;
}

export function EventPicker({ value, onChange, error }: Props): ReactNode {
  const [{ data }] = useQuery({ query: EventTypesQuery, requestPolicy: 'cache-first' });
  const all = value.includes('*');
  const groups = Map.groupBy(data?.eventTypes ?? [], ({ name }) => name.slice(0, name.indexOf('.')));
  return (
    <Stack gap="sm">
      <Radio.Group
        label={t('Events')}
        value={all ? 'all' : 'some'}
        onChange={(choice) => onChange(choice === 'all' ? ['*'] : [])}
      >
        <Group mt={6}>
          <Radio value="all" label={t('All, including future ones')} />
          <Radio value="some" label={t('Only these')} />
        </Group>
      </Radio.Group>
      {!all && (
        <Checkbox.Group value={value} onChange={onChange} aria-label={t('Events to send')}>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg">
            {[...groups].map(([resource, types]) => (
              <Stack key={resource} gap={6} role="group" aria-label={label(resource)}>
                <Text size="sm" fw={600}>
                  {label(resource)}
                </Text>
                {types.map(({ name, description }) => (
                  <Checkbox
                    key={name}
                    value={name}
                    label={name}
                    description={translate(`When ${description}`)}
                    size="sm"
                  />
                ))}
              </Stack>
            ))}
          </SimpleGrid>
        </Checkbox.Group>
      )}
      {error && <Input.Error role="alert">{error}</Input.Error>}
    </Stack>
  );
}
