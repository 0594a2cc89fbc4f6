import { Button, Group, Select, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { DropZone } from '../../upload/drop-zone.tsx';
import { allRecords, records as known, type Records } from './records.ts';
import { findOneOf } from '../../list/list-state.ts';
import { t } from '../../i18n/t.ts';

interface Props {
  records: Records;
  onRecords: (records: Records) => void;
  file: File | null;
  onFile: (file: File) => void;
  onNext: () => void;
}

/** The first step: what is imported, and from which file. */
export function ChooseFile({ records, onRecords, file, onFile, onNext }: Props): ReactNode {
  return (
    <Stack gap="md">
      <Select
        label={t('Records')}
        description={t('What the file has')}
        maw={360}
        data={allRecords.map((value) => ({ value, label: known[value].label }))}
        value={records}
        onChange={(value) => {
          const chosen = findOneOf(value ?? undefined, allRecords);
          if (chosen) onRecords(chosen);
        }}
      />
      <DropZone label={t('File to import')} file={file} onChange={onFile} description={t('CSV, at most 10,000 rows')} />
      <Group justify="flex-end">
        <Button disabled={!file} onClick={onNext}>
          {t('Next')}
        </Button>
      </Group>
    </Stack>
  );
}
