import { Accordion, Badge, Group, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { count, dateTime } from '../../format/format.ts';
import type { Delivery } from './delivery.tsx';
import { t, translate } from '../../i18n/t.ts';

export type Attempt = Delivery['attempts'][number];

/** One request of a delivery and its response, as an accordion item. */
export function AttemptItem({ attempt, body }: { attempt: Attempt; body: string }): ReactNode {
  const { number, status, durationMs, startedAt, error } = attempt;
  const at = String(number);
  const running = durationMs === null;
  const succeeded = status !== null && status >= 200 && status < 300 && !error;
  return (
    <Accordion.Item value={at}>
      <Accordion.Control>
        <Group gap="sm">
          <Text fw={600} size="sm">
            {t('Attempt {number}', { number: at })}
          </Text>
          <Badge variant="light" color={running ? 'blue' : succeeded ? 'teal' : 'red'} tt="none">
            {running ? t('In progress') : (status ?? t('No response'))}
          </Badge>
          <Text size="sm" c="dimmed" className="numbers">
            {dateTime(startedAt)}
            {durationMs !== null && `, ${count(durationMs)} ms`}
          </Text>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="md">
          {error && (
            <Text size="sm" c="var(--mantine-color-error)">
              {translate(error)}
            </Text>
          )}
          <Part title={t('Request')}>
            <Headers headers={attempt.requestHeaders} label={t('Headers of request {number}', { number: at })} />
            <CodeBlock label={t('Body of request {number}', { number: at })} code={body} wrap />
          </Part>
          <Part title={t('Response')}>
            {attempt.responseHeaders.length > 0 && (
              <Headers headers={attempt.responseHeaders} label={t('Headers of response {number}', { number: at })} />
            )}
            {attempt.responseBody ? (
              <CodeBlock label={t('Body of response {number}', { number: at })} code={attempt.responseBody} wrap />
            ) : (
              <Text size="sm" c="dimmed">
                {running ? t('Waiting for a response.') : status === null ? t('No response.') : t('The body is empty.')}
              </Text>
            )}
          </Part>
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

function Headers({ headers, label }: { headers: { name: string; value: string }[]; label: string }): ReactNode {
  return (
    <Table aria-label={label} fz="xs" verticalSpacing={4} layout="auto">
      <Table.Tbody>
        {[...Map.groupBy(headers, ({ name }) => name)].map(([name, values]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w={{ base: 120, sm: 190 }} fw={500} c="dimmed" style={{ verticalAlign: 'top' }}>
              {name}
            </Table.Th>
            <Table.Td ff="monospace" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
              {values.map(({ value }) => value).join('\n')}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
