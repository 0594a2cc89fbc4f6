import { List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { translate } from '../../i18n/t.ts';

interface Breach {
  rule: string;
  field: string;
  message: string;
}

/** The rules of e-invoices that an invoice breaks. */
export const Breaches = ({ breaches }: { breaches: Breach[] }): ReactNode => (
  <List size="sm">
    {breaches.map(({ rule, field, message }) => (
      <List.Item key={`${rule} ${field}`}>
        {translate(message)}{' '}
        <Text span c="dimmed" size="sm">
          ({rule}, {field})
        </Text>
      </List.Item>
    ))}
  </List>
);
