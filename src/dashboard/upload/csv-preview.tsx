import { Box, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../i18n/t.ts';

/** The first rows of a CSV, as they are. */
export function CsvPreview({ rows, headerRow }: { rows: string[][]; headerRow: boolean }): ReactNode {
  if (rows.length === 0) return <Text size="sm">{t('The file’s first rows can’t be read.')}</Text>;
  return (
    <Box style={{ overflowX: 'auto' }} tabIndex={0} role="region" aria-label={t('The file’s first rows')}>
      <Table
        withTableBorder
        withColumnBorders
        fz="xs"
        style={{ whiteSpace: 'nowrap' }}
        data={headerRow ? { head: rows[0] ?? [], body: rows.slice(1, 4) } : { body: rows.slice(0, 3) }}
      />
    </Box>
  );
}
