import { Card, Group, Text, Title } from '@mantine/core';
import { ChevronRightIcon } from '@heroicons/react/24/outline';
import type { ComponentType, ReactNode } from 'react';
import { Link } from 'wouter';

export interface LinkRow {
  icon?: ComponentType<{ width?: number; 'aria-hidden'?: boolean }>;
  text: string;
  /** Said after the text. */
  note?: string;
  /** Amounts by currency. */
  amounts?: string[];
  /** The list of exactly these rows. */
  to: string;
  isUrgent?: boolean;
}

interface Props {
  id: string;
  title: string;
  rows: readonly LinkRow[];
}

/** Rows that each open a list, with its amounts. Nothing is shown without rows. */
export function LinkList({ id, title, rows }: Props): ReactNode {
  if (rows.length === 0) return null;
  return (
    <Card withBorder radius="md" p={0} component="section" aria-labelledby={id}>
      <Title order={2} size="h4" id={id} px="md" pt="md" pb="xs">
        {title}
      </Title>
      <ul className="tasks">
        {rows.map(({ icon: Icon, text, note, amounts, to, isUrgent }) => (
          <li key={to}>
            <Link to={to}>
              {Icon && <Icon width={20} aria-hidden />}
              <Group component="span" gap="xs" flex={1} justify="flex-end">
                <Text
                  component="span"
                  size="sm"
                  fw={500}
                  flex={1}
                  {...(isUrgent && { c: 'var(--mantine-color-error)' })}
                >
                  {text}
                  {note && ' '}
                  {note && (
                    <Text component="span" inherit c="dimmed" fw={400} display="inline-block">
                      {note}
                    </Text>
                  )}
                </Text>
                <Group component="span" gap="md" justify="flex-end" className="numbers">
                  {amounts?.map((amount) => (
                    <Text key={amount} component="span" size="sm" className="figure">
                      {amount}
                    </Text>
                  ))}
                </Group>
              </Group>
              <ChevronRightIcon width={16} aria-hidden />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}
