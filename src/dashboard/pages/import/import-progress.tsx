import { Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { percent } from '../../format/format.ts';
import type { ImportRun } from './use-import.ts';
import { t } from '../../i18n/t.ts';

/** How far the upload is, then how far the import. It takes up its space before it starts. */
export function ImportProgress({ run, label }: { run: ImportRun; label: string }): ReactNode {
  const { busy, sent, done } = run;
  const isUploaded = sent >= 1 || done !== undefined;
  const part = Math.floor((isUploaded ? (done ?? 0) : sent) * 100);
  const step = isUploaded ? label : t('Uploading');
  return (
    <Stack gap={4} mih={34} style={{ visibility: busy ? 'visible' : 'hidden' }}>
      <Progress value={part} animated={busy && isUploaded && done === undefined} aria-label={step} />
      <Text size="sm" c="dimmed" role="status">
        {busy && `${step}: ${percent(String(part))}`}
      </Text>
    </Stack>
  );
}
