import { Anchor, Card, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { count, date, money } from '../../format/format.ts';
import { getReason } from '../credit-notes/fields.ts';
import type { Invoice } from './fields.ts';
import { t } from '../../i18n/t.ts';

type Props = Pick<Invoice, 'creditNotes' | 'currency'>;

/** The credit notes of an invoice. */
export function InvoiceCreditNotes({ creditNotes, currency }: Props): ReactNode {
  const { nodes, pageInfo } = creditNotes;
  if (nodes.length === 0) return null;
  return (
    <Card withBorder radius="md">
      <Title order={2} size="h4" mb="sm">
        {t('Credit notes')}
      </Title>
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {nodes.map((creditNote) => (
          <Group component="li" key={creditNote.id} justify="space-between" gap="xs">
            <div style={{ minWidth: 0 }}>
              <Anchor className="figure" component={Link} to={`/credit-notes/${creditNote.id}`} fw={500}>
                {creditNote.number}
              </Anchor>
              <Text className="long" size="sm" c="dimmed">
                {[date(creditNote.creditNoteDate), getReason(creditNote)].filter(Boolean).join(', ')}
              </Text>
            </div>
            <Text className="numbers figure">{money(creditNote.totalGross, currency)}</Text>
          </Group>
        ))}
      </Stack>
      {pageInfo.hasNextPage && (
        <Text mt="sm">{t('These are the newest {number}.', { number: count(nodes.length) })}</Text>
      )}
    </Card>
  );
}
